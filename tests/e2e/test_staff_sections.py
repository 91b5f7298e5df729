"""An assistant of the Monday section sees its students, and no URL shows them the work of others."""

import re

from playwright.sync_api import expect

from tests.browser import Watch
from tests.e2e.classroom import SLUG
from tests.e2e.conftest import Visit

HOME = f"/t/{SLUG}"
OTHERS = re.compile("Young|Cyrus|Dee|Zoë")


def test_she_sees_her_section_and_changes_nothing_beyond_it(visit: Visit, watch: Watch) -> None:
    watch.expects("status of 404")
    owner, assistant = visit("ines"), visit("ann")
    owner.goto(f"{HOME}/")
    row = owner.get_by_role("row").filter(has_text="Cyrus Young")
    of_another = [str(link.get_attribute("href")) for link in row.get_by_role("link").all()]
    assert any("/submissions/" in where for where in of_another)
    owner.goto(f"{HOME}/gradebook/?q=young")
    (number,) = re.findall(r"open=(\d+)", owner.get_by_role("link", name="Young, Cyrus").get_attribute("href") or "")

    for where in (f"{HOME}/", f"{HOME}/gradebook/", f"{HOME}/exercises/engine/"):
        assistant.goto(where)
        expect(assistant.get_by_role("main")).not_to_contain_text(OTHERS)
    assistant.goto(f"{HOME}/gradebook/?q=young")
    expect(assistant.get_by_text("No students match “young”.")).to_be_visible()
    assistant.goto(f"{HOME}/gradebook/")
    expect(assistant.get_by_role("table")).to_contain_text("Lovelace, Ada")
    for button in ("Extend", "Freeze", "Regrades"):
        expect(assistant.get_by_role("link", name=button)).to_have_count(0)
    here = assistant.context.request
    for where in (*of_another, f"{HOME}/gradebook/{number}/", f"{HOME}/gradebook/?section=987654", f"{HOME}/people/"):
        assert here.get(where).status == 404, where
    token = {"X-CSRFToken": next(one["value"] for one in assistant.context.cookies() if one["name"] == "csrftoken")}
    sent: dict[str, str | float | bool] = {
        "assignment": "engine",
        "do": "override",
        "points": "10",
        "reason": "mine",
        "seen": "0",
    }
    for where in (*of_another, f"{HOME}/gradebook/{number}/", f"{HOME}/gradebook/extend/", f"{HOME}/regrades/new/"):
        answer = here.post(where, form=sent, headers={**token, "Referer": assistant.url})
        assert answer.status in (404, 405), where

    assistant.goto(f"{HOME}/gradebook/export/?format=csv")
    with assistant.expect_download() as download:
        assistant.get_by_role("button", name="Download", exact=True).click()
    text = download.value.path().read_text("utf-8-sig")
    assert "Lovelace" in text
    assert not OTHERS.search(text)
