"""Two thousand damaged files: no crash, no hang, no memory above the limit."""

import pytest

from damage import damaged_files, read_in_one_process
from osmofuse.errors import LimitError, UnreadableError
from osmofuse.io import Limits, read

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("seed", range(100, 110))
def test_damaged_files_are_refused_by_name(seed, tmp_path):
    answers = read_in_one_process(damaged_files(tmp_path, 200, seed), 2 * 2**30)
    refused = [answer for answer in answers if answer["message"]]
    assert len(answers) == 200
    assert len(refused) > 100
    assert all(answer["message"].startswith(answer["path"]) for answer in refused)
    assert max(answer["seconds"] for answer in answers) < 10


def test_damaged_files_in_a_child_each(tmp_path):
    limits = Limits(pixels=4_000_000, bytes=64 * 2**20)
    paths = damaged_files(tmp_path, 200, seed=200)
    messages = {path: refusal(path, limits) for path in paths}
    refused = {path: message for path, message in messages.items() if message}
    assert len(refused) > 100
    assert all(message.startswith(str(path)) for path, message in refused.items())


def refusal(path, limits):
    try:
        read(path, limits=limits, isolated=True)
    except (LimitError, UnreadableError) as error:
        return str(error)
    return None
