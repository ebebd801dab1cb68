"""The page in a real browser, with mouse and keyboard, without other side effects."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.page.repositories import Pages, document_of
from tests.page.shown import Shown, shown
from tests.pictures.pages import WIDTH, comment, comment_page

VIEWS = (
    "#",
    "#view=findings",
    "#view=change",
    "#view=find&find=8",
    "#ip=10.40.0.20",
    "#q=team-c%2Fthree",
    "#pool=butler%2FNetworkPool%2Fbutler-system%2Fedge",
    "#pool=novaedge%2FProxyIPPool%2F_%2Fv6",
)
WIDTHS = (1440, 800, 400)


@pytest.mark.parametrize(
    ("name", "scheme"), [("lived", "light"), ("change", "dark"), ("quiet", "light")]
)
def test_every_view_is_drawn_and_asks_nobody(
    name: str, scheme: str, browser: Browser, pages: Pages
) -> None:
    for width in WIDTHS:
        size = {"width": width, "height": 900}
        with shown(browser, pages.of(name), viewport=size, color_scheme=scheme) as page:
            for view in VIEWS:
                page.go(view)
                assert page.page.locator("main h2").count() >= 1, view
                wide = page.page.evaluate("document.documentElement.scrollWidth")
                assert wide <= width, f"{view} is {wide} wide at {width}"
            page.assert_well()


def test_dark_is_dark_and_a_button_switches(browser: Browser, lived: Path) -> None:
    def brightness(page: Shown) -> int:
        colour = page.page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3])

    with shown(browser, lived, color_scheme="dark") as page:
        dark = brightness(page)
        page.page.get_by_role("button", name="Switch between dark and light").click()
        assert dark < 150 < 600 < brightness(page)


def test_search_by_keyboard_tells_who_has_an_address_and_who_had_it(
    browser: Browser, lived: Path
) -> None:
    with shown(browser, lived) as page:
        page.page.keyboard.press("/")
        expect(page.page.locator("#search")).to_be_focused()
        page.page.keyboard.type("10.40.0.20")
        expect(page.page.locator("[role=option]").first).to_contain_text("10.40.0.20")
        page.page.keyboard.press("Enter")
        page.settle()
        assert page.page.evaluate("location.hash") == "#ip=10.40.0.20"
        answer = page.page.locator(".answer").first.inner_text()
        assert "team-a/one" in answer  # removed on day 80: its ranges are in retention or free
        assert "#11" in answer or "One goes" in answer or "2026" in answer
        page.assert_well()


def test_search_finds_names_requests_networks_and_commits(browser: Browser, lived: Path) -> None:
    commit = document_of(lived)["commits"]["id"][2][:7]
    names = ("team-c/three", "team-c", "edge", "#9", "10.40.0.0/28", "2001:db8::")
    with shown(browser, lived) as page:
        for typed in (*names, commit):
            page.page.fill("#search", typed)
            expect(page.page.locator("[role=option]").first).to_contain_text(typed)


def test_a_deep_link_shows_a_day(browser: Browser, lived: Path) -> None:
    day = str(document_of(lived)["asOf"])[:10]
    with shown(browser, lived) as page:
        page.go(f"#ip=10.40.0.20&at={day}")
        assert "Now" in page.page.locator(".answer").first.inner_text()
        page.go("#ip=10.40.0.20&at=2026-02-20")
        answer = page.page.locator(".answer").first.inner_text()
        assert "On 20" in answer
        assert "team-a/one" in answer.split("Now")[0]
        page.assert_well()


def test_find_gives_a_run_and_what_to_copy(browser: Browser, lived: Path) -> None:
    with shown(browser, lived) as page:
        page.page.fill("#find", "16")
        page.page.keyboard.press("Enter")
        page.settle()
        text = page.text()
        assert "kind: IPAllocation" in text
        assert "count: 16" in text
        page.assert_well()


def test_the_grid_goes_by_arrows_and_says_what_a_cell_is(browser: Browser, lived: Path) -> None:
    with shown(browser, lived) as page:
        page.go(VIEWS[6])
        cells = page.page.get_by_role("gridcell")
        assert cells.count() == 256
        cells.first.focus()
        page.page.keyboard.press("End")
        page.page.keyboard.press("ArrowDown")
        said = page.page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert said.startswith("10.40.0."), said
        page.page.keyboard.press("Home")
        assert page.page.evaluate("document.activeElement.getAttribute('aria-label')") != said
        page.assert_well()


def test_the_slider_goes_back_through_the_commits_of_a_pool(browser: Browser, lived: Path) -> None:
    every = "them => them.map((it) => it.getAttribute('aria-label')).join('|')"
    with shown(browser, lived) as page:
        page.go(VIEWS[6])
        slider = page.page.locator("input.slider-range")
        now = slider.evaluate("it => Number(it.value)")
        slider.focus()
        for key, is_there in (("Home", False), ("End", True)):
            page.page.keyboard.press(key)
            page.settle()
            assert (slider.evaluate("it => Number(it.value)") == now) is is_there
            labels = page.page.get_by_role("gridcell").evaluate_all(every)
            assert ("team-c/three" in labels) is is_there
        page.assert_well()


def test_pools_are_sorted_by_any_column_and_by_keyboard(browser: Browser, lived: Path) -> None:
    with shown(browser, lived) as page:
        headers = page.page.locator("main table").last.locator("th")
        for at in range(headers.count()):
            button = headers.nth(at).locator("button")
            if not button.count():
                continue
            button.focus()
            page.page.keyboard.press("Enter")
            assert headers.nth(at).get_attribute("aria-sort") in ("ascending", "descending")


def test_a_page_with_nothing_to_do_says_so(browser: Browser, pages: Pages) -> None:
    for name, is_quiet in (("quiet", True), ("lived", False), ("nothing", False)):
        with shown(browser, pages.of(name)) as page:
            assert ("Nothing needs attention" in page.text()) is is_quiet


def test_a_page_of_the_wrong_folder_says_that_there_is_nothing(
    browser: Browser, pages: Pages
) -> None:
    with shown(browser, pages.of("nothing")) as page:
        assert "This report has no pools." in page.text()
        page.go("#view=findings")
        assert "nothing-to-check" in page.text()
        page.assert_well()


def test_a_change_is_told_in_a_sentence_with_maps_before_and_after(
    browser: Browser, pages: Pages
) -> None:
    with shown(browser, pages.of("change"), viewport={"width": 1440, "height": 900}) as page:
        page.go("#view=change")
        text = page.text()
        assert "team-d/new" in text
        assert "team-b/two" in text
        assert ("before" in text, "after" in text) == (True, True)
        page.assert_well()


def test_what_a_change_takes_is_offered_to_nobody_else(browser: Browser, pages: Pages) -> None:
    given = given_to(pages.of("change"), "/new/")
    with shown(browser, pages.of("change")) as page:
        page.go("#view=find&find=4")
        row = page.page.locator("main tbody tr", has_text="edge").first
        expect(row).to_contain_text("this change allocates it")
        assert given["start"] not in row.inner_text().split("without")[0]
        row.get_by_role("link", name="this change allocates it").click()
        page.settle()
        assert page.page.evaluate("location.hash") == "#view=change"
        page.go(f"#ip={given['start']}")
        answer = page.page.locator(".answer").first
        expect(answer).to_contain_text("free; the change allocates it to team-d/new")
        taken = given_to(pages.of("change"), "/two/")
        page.go(f"#ip={taken['start']}")
        expect(answer).to_contain_text("the change releases it")
        page.go("#")
        expect(page.page.locator("main table").last).to_contain_text("with this change: ")
        page.go(VIEWS[6])
        expect(page.page.locator(".view-head")).to_contain_text("with this change: ")
        page.assert_well()


def given_to(made: Path, part: str) -> dict[str, str]:
    actions = document_of(made)["change"]["actions"]
    found: dict[str, str] = next(it for it in actions if part in it["claim"])
    return found


def test_the_search_finds_what_only_the_change_knows(browser: Browser, pages: Pages) -> None:
    document = document_of(pages.of("change"))
    for typed in ("team-d/new", str(document["revision"]), str(document["base"])):
        with shown(browser, pages.of("change")) as page:
            page.page.fill("#search", typed)
            hit = page.page.locator("[role=option]", has_text="Change").first
            expect(hit).to_contain_text(typed[:10])
            hit.dispatch_event("mousedown")
            page.settle()
            assert page.page.evaluate("location.hash") == "#view=change"
            page.assert_well()


def test_what_is_no_address_is_said_to_be_none(browser: Browser, lived: Path) -> None:
    with shown(browser, lived) as page:
        for typed in ("300.1.2.3", "10.40.0.070", "10.40.0.0/33", "fd00:::1"):
            page.page.fill("#search", typed)
            expect(page.page.locator("#hits")).to_contain_text(f"{typed} is not an address")
            page.go(f"#q={typed}")
            expect(page.page.locator(".answer").first).to_contain_text(f"{typed} is not an address")
        page.assert_well()


def test_a_request_with_a_name_that_no_cluster_takes_is_not_copied(
    browser: Browser, lived: Path
) -> None:
    with shown(browser, lived) as page:
        page.go("#view=find&find=8")
        copy = page.page.get_by_role("button", name="Copy YAML")
        expect(page.page.locator("#ask-said")).to_contain_text("my-cluster")
        expect(copy).to_be_enabled()
        page.page.fill("#ask-name", "My cluster")
        expect(copy).to_be_disabled()
        page.page.fill("#ask-name", "checkout")
        page.page.fill("#ask-namespace", "")
        expect(copy).to_be_disabled()
        expect(page.page.locator("#ask-said")).to_contain_text("Namespace is empty")
        page.page.fill("#ask-namespace", "team-shop")
        expect(copy).to_be_enabled()
        expect(page.page.locator("#ask-said")).to_be_empty()
        page.assert_well()


def test_on_paper_there_are_no_controls(browser: Browser, lived: Path) -> None:
    with shown(browser, lived) as page:
        page.page.emulate_media(media="print")
        assert not page.page.locator("#search").is_visible()
        assert page.page.locator("main table").first.is_visible()
        assert page.page.pdf()[:5] == b"%PDF-"


def test_hostile_texts_are_texts(browser: Browser, pages: Pages) -> None:
    with shown(browser, pages.of("hostile")) as page:
        hostile = ("#q=%23", "#q=%3Cscript%3E", "#ip=%3Cimg%20src%3Dx%3E", "#pool=%22%3E%3Cb%3E")
        for view in (*VIEWS, *hostile):
            page.go(view)
            assert page.page.locator("script").count() == 2
            active = "img, iframe, object, a[href^='javascript'], [onerror], [onload]"
            assert page.page.locator(active).count() == 0, view
        page.page.fill("#search", "<img src=x onerror=alert(1)>")
        page.settle()
        page.assert_well()


def test_the_comment_of_the_pictures_fits_its_page(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(comment_page(comment()), encoding="utf-8")
    with shown(browser, file, viewport={"width": WIDTH, "height": 600}) as page:
        assert page.page.evaluate("document.body.scrollWidth") <= WIDTH
