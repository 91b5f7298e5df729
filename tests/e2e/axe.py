"""Accessibility violations that axe-core finds in light and dark mode, and sentences with a space before a full stop."""

from typing import Any

from playwright.sync_api import Page

SCHEMES = ("light", "dark")
OPTIONS = {
    "resultTypes": ["violations"],
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}

SPACED = """() => [...document.querySelectorAll("p, dd, dt, li, summary, label, legend, caption, figcaption")]
    .filter(element => !element.closest(".prose, pre, .cm-editor") && !element.querySelector("p, li, pre, .cm-editor"))
    .map(element => element.innerText).filter(text => /[^\\s] [.,:;](\\s|$)/.test(text))"""


def violations(page: Page, axe: str) -> list[str]:
    """Check the page in its current state, in both color schemes, after all of it has arrived."""
    page.wait_for_load_state()
    found = [f"{page.url} has a space before punctuation: {text}" for text in page.evaluate(SPACED)]
    page.evaluate(axe)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        ran: dict[str, Any] = page.evaluate("options => axe.run(options)", OPTIONS)
        found += [_told(scheme, page.url, broken) for broken in ran["violations"]]
    return found


def clean(found: list[str]) -> None:
    assert not found, "\n".join(found)


def _told(scheme: str, url: str, broken: dict[str, Any]) -> str:
    nodes = "; ".join(
        f"{node['target']} {node['html'][:160]} {node['failureSummary'][:300]}" for node in broken["nodes"][:4]
    )
    return f"{scheme} {url} {broken['id']}: {broken['help']}: {nodes}"
