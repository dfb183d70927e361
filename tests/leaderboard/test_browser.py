"""The page in a real browser, from disk, with the network off."""

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bridgebench.leaderboard.command import write
from bridgebench.leaderboard.drilldown import compare
from bridgebench.leaderboard.report import read_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="no Chromium with chromedriver here (Debian: chromium, chromium-driver)"
)

HOSTILE = "<script>window.pwned=1</script></script><img src=x onerror=window.pwned=1>\"'\u202eevil\x00"


@pytest.fixture(scope="module")
def page(synthetic: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs, out = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("page")
    retrieved = [{"id": "d0", "title": HOSTILE, "text": f"{HOSTILE} {'x' * 1_000_000}", "sources": ["d0"]}]
    odd = {"question": HOSTILE, "answer": HOSTILE, "retrieved": retrieved, "read": retrieved}
    for benchmark in ("hotpotqa", "musique"):
        for generator in ("synthetic/Llama-3.2-1B-Instruct", "synthetic/Llama-3.1-8B-Instruct"):
            for bridge, skill in (("naive", 0.3), ("no_documents", 0.1), ("r2u", 0.9), (f"x{HOSTILE}", 0.4)):
                synthetic.write_cell(
                    logs,
                    bridge,
                    skill=skill,
                    n=12,
                    benchmark=f"bridgebench/{benchmark}",
                    generator=generator,
                    name="cell",
                    sample_options=odd if bridge.startswith("x") else None,
                )
    report = read_report([logs], resamples=100)
    return write(report, out, compare(report))[0]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    # The proxy leads nowhere: a page that asked the network for anything would log an error.
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"):
        options.add_argument(argument)
    options.add_argument("--proxy-server=127.0.0.1:9")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium: Any, page: Path) -> Iterator[Any]:
    """The page, freshly opened; no test may leave an error in the console."""
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.get(page.as_uri())
    yield chromium
    assert chromium.get_log("browser") == []


def shown(browser: Any, selector: str) -> list[str]:
    """Texts of the matching elements that a person can see."""
    script = "return [...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent).map(e => e.textContent)"
    return list(browser.execute_script(script, selector))


def press(browser: Any, element: Any) -> None:
    """Click with the mouse, the element in the middle of the window, clear of the bar at its top."""
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def names(browser: Any) -> list[str]:
    return [name.split()[0] for name in shown(browser, "#benchmarks article:nth-of-type(1) tbody th")[:4]]


def test_opens_from_disk_with_nothing_hostile_run(browser: Any) -> None:
    assert browser.title == "Leaderboard · bridgebench"
    assert browser.execute_script("return window.pwned") is None
    assert browser.execute_script("return document.scripts.length") == 1
    assert browser.execute_script("return document.images.length") == 0
    assert (
        browser.execute_script(
            "return performance.getEntriesByType('resource').filter(r => !r.name.startsWith('data:')).length"
        )
        == 0
    )


def test_sorts_by_a_column_both_ways_with_dashes_last(browser: Any) -> None:
    heads = browser.find_elements("css selector", "#benchmarks article:nth-of-type(1) thead th")
    f1 = next(head for head in heads if head.text.startswith("F1"))
    press(browser, f1.find_element("tag name", "button"))
    assert f1.get_attribute("aria-sort") == "descending"
    assert names(browser)[0] == "r2u"
    press(browser, f1.find_element("tag name", "button"))
    assert f1.get_attribute("aria-sort") == "ascending"
    assert names(browser)[-1] == "r2u"
    difference = next(head for head in heads if head.text.startswith("− naive"))
    for _ in range(2):
        press(browser, difference.find_element("tag name", "button"))
        assert names(browser)[-1] == "naive", "naive has no difference to itself"
    assert "sorted by − naive F1, ascending" in browser.find_element("css selector", "nav output").get_attribute(
        "textContent"
    )


def test_sorts_by_keyboard(browser: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    button = browser.find_element("css selector", "#benchmarks thead th:nth-child(2) button")
    button.send_keys(Keys.ENTER)
    assert names(browser)[0] == "r2u"


def test_filters_rows_and_tables(browser: Any) -> None:
    tables = len(shown(browser, "#benchmarks article > h3"))
    assert tables == 4
    browser.find_element("name", "bridge").send_keys("R2U")
    assert set(shown(browser, "#benchmarks article > .scroll tbody th")) == {"r2u"}
    browser.find_element("css selector", "select[name=benchmark] option:nth-child(2)").click()
    assert len(shown(browser, "#benchmarks article > h3")) == 2
    browser.find_element("css selector", "select[name=generator] option:nth-child(3)").click()
    (left,) = shown(browser, "#benchmarks article > h3")
    assert "Llama" in left
    assert "rows shown" in browser.find_element("css selector", "nav output").get_attribute("textContent")


def test_a_question_opens_with_its_documents_side_by_side(browser: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    drill = next(d for d in browser.find_elements("css selector", ".drill") if d.text.startswith("r2u"))
    # By keyboard: a click may meet the bar at the top, as the browser scrolls to what it clicks on.
    drill.find_element("tag name", "summary").send_keys(Keys.ENTER)
    drill.find_element("css selector", ".case summary").send_keys(Keys.ENTER)
    left, right = drill.find_element("css selector", ".case").find_elements("css selector", ".side")
    assert left.rect["y"] == right.rect["y"]
    assert left.rect["x"] < right.rect["x"]
    assert left.find_elements("tag name", "del"), "the bridge removed words"
    assert "Read by the generator" in right.text


def test_hostile_documents_are_shown_as_text(browser: Any) -> None:
    browser.execute_script("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    headings = shown(browser, ".heading")
    assert any("<script>window.pwned=1</script>" in heading and "�" in heading for heading in headings)
    assert browser.execute_script("return window.pwned") is None


def test_dark_by_the_system_and_by_the_button(browser: Any) -> None:
    background = "return getComputedStyle(document.body).backgroundColor"
    light = browser.execute_script(background)
    browser.find_element("name", "theme").click()
    dark = browser.execute_script(background)
    assert dark != light
    dark_features = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark_features)
    browser.refresh()
    assert browser.execute_script(background) == dark
    assert browser.find_element("name", "theme").text == "Light"
    browser.find_element("name", "theme").click()
    assert browser.execute_script(background) == light


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_enough_contrast(browser: Any, dark: bool) -> None:
    """WCAG AA: 4.5 for text of this size."""
    if dark:
        browser.find_element("name", "theme").click()
    colours = browser.execute_script(
        """const style = getComputedStyle(document.documentElement);
        return Object.fromEntries(["ink", "soft", "accent", "up", "down", "mark", "paper", "raised", "faint"]
          .map(name => [name, style.getPropertyValue("--" + name).trim()]));"""
    )

    def luminance(colour: str) -> float:
        digits = colour.lstrip("#")
        digits = digits if len(digits) == 6 else "".join(2 * d for d in digits)
        parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for ink in ("ink", "soft", "accent", "mark"):
        for paper in ("paper", "raised", "faint"):
            light, deep = sorted((luminance(colours[ink]), luminance(colours[paper])), reverse=True)
            assert (light + 0.05) / (deep + 0.05) >= 4.5, (ink, paper, colours[ink], colours[paper])


def test_a_narrow_screen_scrolls_tables_and_not_the_page(browser: Any) -> None:
    metrics = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.refresh()
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    browser.execute_script("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390


def test_prints_whole_and_without_the_controls(browser: Any) -> None:
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")
    assert browser.execute_script("return document.querySelectorAll('details[open]').length") == 0
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.execute_script("return getComputedStyle(document.querySelector('nav')).display") == "none"


def test_every_control_has_a_name_and_every_table_its_heads(browser: Any) -> None:
    script = """return [...document.querySelectorAll("input, select, button, svg[role=img], [role=region]")]
      .filter(e => !(e.labels?.length || e.textContent.trim() || e.getAttribute("aria-label"))).map(e => e.outerHTML)"""
    assert browser.execute_script(script) == []
    assert browser.execute_script("return [...document.querySelectorAll('th')].every(e => e.scope)")
    assert browser.execute_script("return document.documentElement.lang") == "en"
    levels = [int(tag[1]) for tag in browser.execute_script(
        "return [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(e => e.tagName)")]  # fmt: skip
    assert levels[0] == 1
    assert levels.count(1) == 1


def test_a_table_of_words_claims_no_order(chromium: Any, synthetic: ModuleType, tmp_path: Path) -> None:
    """What the paper states is text: a button that sorts it by no value would say that it is sorted."""
    synthetic.write_cell(tmp_path / "logs", "naive", n=2, benchmark="bridgebench/longbench")
    chromium.get(write(read_report([tmp_path / "logs"], resamples=50), tmp_path / "out")[0].as_uri())
    buttons = "return document.querySelectorAll(arguments[0] + ' thead button').length"
    assert chromium.execute_script(buttons, "table.words") == 0
    assert chromium.execute_script(buttons, "#benchmarks table") > 0
