import numba
import pytest


@pytest.fixture(autouse=True)
def one_thread():
    """Thousands of passes over tiny planes: waking a second thread would only cost."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    yield
    numba.set_num_threads(before)
