"""Drive reports' pages in a real browser, and write what was found as JSON.

A process of its own: python drive.py CHROMIUM AXE PAGE [OTHER ...]

AXE is the path of axe-core, or empty. PAGE is that of a fusion with results to be ranked, on which
everything is tried; the others are visited.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
SIZE = {"width": 1280, "height": 720}
BROKEN = """() => Promise.all([...document.images].map((image) => image.decode())).then(
  () => [], (error) => [String(error)])"""
STATE = """root => {
  const of = (side) => root.querySelector(`.pane[data-side=${side}]`);
  const b = of("b").style;
  return {
    view: root.dataset.view,
    pressed: [...root.querySelectorAll(".views [aria-pressed=true]")].map((e) => e.dataset.view),
    a: of("a").firstElementChild.style.transform,
    b: of("b").firstElementChild.style.transform,
    clip: b.clipPath, opacity: b.opacity, visibility: b.visibility,
    zoom: parseInt(root.querySelector("output").textContent),
    titles: [...root.querySelectorAll(".tag")].map((e) => e.textContent),
    widths: ["a", "b"].map((side) => of(side).clientWidth),
    tinted: root.classList.contains("tinted"),
    legend: root.querySelector(".legend").textContent,
    playing: root.querySelector("[data-do=play]").getAttribute("aria-pressed") === "true",
    amount: Number(root.querySelector(".below > .amount input").value),
  };
}"""


class Tab:
    """A page, with what it asked for and complained of."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url[:200]))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address)
        self.page.wait_for_selector("#looking .viewer")
        self.viewer = self.page.locator("#looking .viewer")
        self.stage = self.viewer.locator(".stage")

    def state(self) -> dict[str, Any]:
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => done()))")
        found: dict[str, Any] = self.viewer.evaluate(STATE)
        return found

    def box(self) -> tuple[float, float, float, float]:
        box = self.stage.bounding_box()
        return box["x"], box["y"], box["width"], box["height"]

    def button(self, name: str) -> None:
        self.viewer.locator(f"button[data-do={name}], .views [data-view={name}]").click()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag by the mouse; places are parts of the stage."""
        x, y, width, height = self.box()
        self.page.mouse.move(x + start[0] * width, y + start[1] * height)
        self.page.mouse.down()
        self.page.mouse.move(x + end[0] * width, y + end[1] * height, steps=4)
        self.page.mouse.up()


def by_mouse(tab: Tab) -> dict[str, Any]:
    found = {"start": tab.state()}
    tab.drag((0.5, 0.5), (0.25, 0.5))
    found["divided"] = tab.state()
    for view in ("blink", "opacity", "beside", "slider"):
        tab.button(view)
        found[view] = tab.state()
    tab.page.mouse.wheel(0, -300)
    found["unfocused wheel"] = tab.state()
    tab.page.evaluate("scrollTo({top: 0, behavior: 'instant'})")
    for _ in range(3):
        tab.button("in")
    found["larger"] = tab.state()
    tab.drag((0.8, 0.7), (0.7, 0.6))
    found["moved"] = tab.state()
    tab.page.mouse.wheel(0, -300)
    found["wheel"] = tab.state()
    tab.button("beside")
    found["beside, larger"] = tab.state()
    tab.button("fit")
    found["whole"] = tab.state()
    tab.button("one")
    found["one"] = tab.state()
    tab.viewer.locator("select[data-side=a]").select_option(label="Fused")
    found["picked"] = tab.state()
    tab.viewer.locator("[data-do=tint]").check()
    tab.page.locator("[data-show]").first.click()
    found["map"] = tab.state()
    return found


def by_keyboard(tab: Tab) -> dict[str, Any]:
    found, keys = {}, tab.page.keyboard
    tab.stage.focus()
    for key in ("2", "3", "4", "1", "+", "ArrowRight", "ArrowDown", "-", "0", "]", "x", "t"):
        keys.press(key)
        found[key] = tab.state()
    keys.down("b")
    found["b held"] = tab.state()
    keys.up("b")
    found["b released"] = tab.state()
    slider = tab.viewer.locator(".below > .amount input")
    slider.focus()
    keys.press("End")
    found["range"] = tab.state()
    return found


def by_touch(tab: Tab) -> dict[str, Any]:
    client = tab.page.context.new_cdp_session(tab.page)
    x, y, width, height = tab.box()

    def touch(kind: str, *places: tuple[float, float]) -> None:
        if kind == "touchEnd":  # the fingers rest before they leave: no swipe that goes on
            tab.page.wait_for_timeout(150)
        points = [
            {"x": x + a * width, "y": y + b * height, "id": k} for k, (a, b) in enumerate(places)
        ]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    found = {"start": tab.state()}
    touch("touchStart", (0.4, 0.6), (0.6, 0.6))
    for k in range(1, 5):
        touch("touchMove", (0.4 - 0.05 * k, 0.6), (0.6 + 0.05 * k, 0.6))
    touch("touchEnd")
    found["pinched"] = tab.state()
    touch("touchStart", (0.7, 0.8))
    for k in range(1, 5):
        touch("touchMove", (0.7 - 0.05 * k, 0.8 - 0.05 * k))
    touch("touchEnd")
    found["moved"] = tab.state()
    touch("touchStart", (0.5, 0.5))
    for k in range(1, 5):
        touch("touchMove", (0.5 + 0.05 * k, 0.5))
    touch("touchEnd")
    found["divided"] = tab.state()
    tab.viewer.locator(".views [data-view=beside]").tap()
    found["tapped"] = tab.state()
    return found


def answer(tab: Tab, *choices: str) -> list[list[str]]:
    """Answer the blind comparison; return the titles that were seen meanwhile."""
    place, seen = tab.page.locator(".blind"), []
    for choice in choices:
        seen.append(place.locator(".tag").all_inner_texts())
        tab.page.get_by_role("button", name=choice).click()
    tab.page.get_by_label("Judged by").fill("A. Judge")
    return seen


def judge(tab: Tab) -> dict[str, Any]:
    page, place = tab.page, tab.page.locator(".blind")
    found: dict[str, Any] = {"before": place.inner_text()}
    page.get_by_role("button", name="Left is better").click()
    page.get_by_role("button", name="Back").click()
    found["titles"] = answer(tab, "Left is better", "No difference", "Right is better")
    found["after"] = place.inner_text()
    found["shown"] = page.locator("#answers").inner_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    found["name"] = download.value.suggested_filename
    found["kept"] = Path(download.value.path()).read_text(encoding="utf-8")
    page.locator("[data-copy=command]").click()
    page.get_by_role("button", name="Copied").wait_for()
    found["copied"] = page.evaluate("navigator.clipboard.readText()")
    return found


def printed(tab: Tab) -> dict[str, Any]:
    seen = ("#looking", "#pictures", "#pictures img", "h1", ".scores", ".curve", ".facts", ".blind")
    tab.page.emulate_media(media="print")
    found = {name: tab.page.locator(name).first.is_visible() for name in seen}
    tab.page.emulate_media(media="screen")
    return found


def accessible(tab: Tab, axe: str) -> list[str]:
    tab.page.evaluate(axe)
    found = tab.page.evaluate("axe.run().then(found => found.violations)")
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


def visited(browser: Browser, address: str, axe: str | None) -> dict[str, Any]:
    """Try the views of a page by mouse, keys and touch, its contact sheet, and its ranking."""
    context = browser.new_context(
        viewport=SIZE, has_touch=True, reduced_motion="reduce", color_scheme="dark"
    )
    tab = Tab(context, address)
    found: dict[str, Any] = {"mouse": {}, "keyboard": {}, "touch": {}, "start": tab.state()}
    for view in ("blink", "opacity", "beside", "slider"):
        tab.button(view)
        found["mouse"][view] = tab.state()
    tab.stage.focus()
    for key in ("2", "3", "4", "1", ".", ",", "x"):
        tab.page.keyboard.press(key)
        found["keyboard"][key] = tab.state()
    for view in ("beside", "slider"):
        tab.viewer.locator(f".views [data-view={view}]").tap()
        found["touch"][view] = tab.state()
    tab.page.locator(".contact button").last.click()
    found["contact"] = tab.state()
    found["words"] = tab.page.locator("main").inner_text()
    if tab.page.locator("#judge").count():
        answer(tab, "Left is better")
        found["answers"] = tab.page.locator("#answers").inner_text()
    found["axe"] = accessible(tab, axe) if axe else []
    found["broken"] = tab.page.evaluate(BROKEN)
    found["requests"], found["complaints"] = tab.requests, tab.complaints
    context.close()
    return found


def main(chromium: str, axe: str, path: str, *others: str) -> None:
    from playwright.sync_api import sync_playwright

    address, source = Path(path).as_uri(), Path(axe).read_text(encoding="utf-8") if axe else None
    found: dict[str, Any] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        context = browser.new_context(viewport=SIZE, accept_downloads=True)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        tabs = [Tab(context, address)]
        found["mouse"], found["print"] = by_mouse(tabs[0]), printed(tabs[0])
        if source:
            found["axe"] = {"light": accessible(tabs[0], source)}
        found["judge"] = judge(tabs[0])
        if source:
            found["axe"]["judged"] = accessible(tabs[0], source)
        calm = browser.new_context(
            viewport=SIZE, has_touch=True, reduced_motion="reduce", color_scheme="dark"
        )
        tabs.append(Tab(calm, address))
        found["touch"] = by_touch(tabs[1])
        tabs[1].button("fit")
        found["keyboard"] = by_keyboard(tabs[1])
        if source:
            found["axe"]["dark"] = accessible(tabs[1], source)
        found["requests"] = [url for tab in tabs for url in tab.requests]
        found["complaints"] = [words for tab in tabs for words in tab.complaints]
        found["others"] = [visited(browser, Path(one).as_uri(), source) for one in others]
        browser.close()
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
