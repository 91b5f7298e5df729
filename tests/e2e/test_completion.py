"""Code completion offers names of the exercise's profile and does not capture keys of users who do not want it."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG
from tests.e2e.exercise_page import ExercisePage


def offered(page: Page) -> Locator:
    return page.get_by_role("listbox").get_by_role("option")


TAKE = """editor => {
    for (const key of ["ArrowDown", "Enter"])
        editor.dispatchEvent(new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true }))
}"""


def take_the_first(page: Page) -> None:
    """Send both keys at once: between them, typing could replace the list and drop the selection."""
    page.locator(".cm-content").evaluate(TAKE)


def begin(desk: ExercisePage, assignment: str, text: str, typed: str) -> Page:
    desk.open(assignment).put(text)
    desk.type(typed)
    return desk.page


def test_a_name_of_torch_is_taken(desk: ExercisePage) -> None:
    page = begin(desk, "cubic", "import torch\n", "with torch.no_g")
    expect(offered(page).first).to_have_text("no_grad")
    take_the_first(page)
    assert desk.text == "import torch\nwith torch.no_grad"


def test_modules_are_known_by_the_names_they_were_imported_under(desk: ExercisePage) -> None:
    page = begin(desk, "cubic", "import numpy as np\nimport torch.nn.functional as F\n", "y = F.log_softm")
    expect(offered(page)).to_have_text(["log_softmax"])
    desk.type("\nz = np.linalg.qr")
    expect(offered(page)).to_have_text(["qr"])
    desk.type("\nctx.save_for_b")
    expect(offered(page).first).to_have_text("save_for_backward")


def test_own_names_and_their_members(desk: ExercisePage) -> None:
    own = "class Value:\n    def add_upstream(self):\n        self.gradient_sum = 0\n\nfirst_value = Value()\n"
    page = begin(desk, "engine", own, "first_v")
    expect(offered(page)).to_have_text(["first_value"])
    desk.type("alue.gradient")
    expect(offered(page)).to_have_text(["gradient_sum"])


def test_a_profile_without_torch_offers_nothing_of_it(desk: ExercisePage) -> None:
    page = begin(desk, "engine", "retain_mine = 1\n", "torch.retain_gr")
    page.keyboard.press("Control+Space")
    desk.type("\nretain_m")
    expect(offered(page)).to_have_text(["retain_mine"])
    assert "no_grad" not in page.content()


def test_enter_tab_and_escape_do_what_they_always_do(desk: ExercisePage) -> None:
    page = begin(desk, "cubic", "import torch\n", "torch.zer")
    expect(offered(page).first).to_be_visible()
    page.keyboard.press("Tab")
    assert desk.text == "import torch\n    torch.zer"
    desk.type("o")
    expect(offered(page).first).to_be_visible()
    page.keyboard.press("Enter")
    assert desk.text == "import torch\n    torch.zero\n"
    page.keyboard.type("torch.on")
    expect(offered(page).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(offered(page)).to_have_count(0)
    page.keyboard.press("Tab")
    expect(desk.button("run")).to_be_focused()


def test_nothing_is_offered_in_comments_and_strings(desk: ExercisePage) -> None:
    page = begin(desk, "cubic", "import torch\n", "# torch.zer")
    desk.type("\ns = 'torch.zer")
    desk.type("\n\ntorch.zer")
    expect(offered(page).first).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.press("Control+Space")
    expect(offered(page)).to_have_count(0)


def test_what_exercises_teach_comes_first_and_nothing_twice(desk: ExercisePage) -> None:
    page = begin(desk, "cubic", "import torch\n", "with torch.no")
    expect(offered(page).first).to_have_text("no_grad")
    desk.type("\nctx.save_for_backward\nctx.save_f")
    expect(offered(page)).to_have_text(["save_for_backward", "save_for_forward"])


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_list_never_covers_the_buttons(visit: Visit, student: str, size: tuple[int, int]) -> None:
    width, height = size
    desk = ExercisePage(visit(student, viewport={"width": width, "height": height}), SLUG)
    page = begin(desk, "engine", "".join(f"long_name_{n} = {n}\n" for n in range(40)), "long_n")
    expect(offered(page).first).to_be_visible()
    shown, buttons = page.get_by_role("listbox").bounding_box(), page.locator("#acts").bounding_box()
    assert shown and buttons and shown["y"] + shown["height"] <= buttons["y"]
    assert buttons["y"] + buttons["height"] <= height
