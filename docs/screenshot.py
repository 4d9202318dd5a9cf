"""Take the picture of a report that docs/report.md shows, where Chromium and Playwright are.

A process of its own, called by pictures.py: python screenshot.py PAGE PICTURE
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def main(page: str, picture: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        tab = browser.new_page(viewport={"width": 1280, "height": 720})
        tab.goto(Path(page).resolve().as_uri())
        tab.wait_for_timeout(1000)
        tab.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
