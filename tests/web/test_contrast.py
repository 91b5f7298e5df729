"""Every text color has a contrast of at least 4.5:1 on every background it may be used on, in light and dark mode,
computed from the design tokens.
"""

import re

import pytest

from tests.frontend import SOURCES

TOKENS = (SOURCES / "src" / "style" / "tokens.css").read_text()
PAIRS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)", TOKENS)
}
SCHEMES = {"light": 0, "dark": 1}
GROUNDS = ("paper", "surface", "sunken")
WORDS = (
    *("ink", "ink-2", "ink-3", "accent", "passed", "partial", "failed", "waiting", "internal", "expected", "given"),
    *("upstream", "local", "accumulated", "code-keyword", "code-string", "code-number", "code-comment"),
)
SOFT = tuple(name for name in PAIRS if name.endswith("-soft"))
READABLE, SEEN = 4.5, 3.0


def luminance(colour: str) -> float:
    """WCAG 2's relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def too_weak(words: tuple[str, ...], grounds: tuple[str, ...], scheme: str, least: float) -> list[str]:
    at = SCHEMES[scheme]
    ratios = {(word, ground): contrast(PAIRS[word][at], PAIRS[ground][at]) for word in words for ground in grounds}
    return [f"{word} on {ground}: {ratio:.2f}" for (word, ground), ratio in ratios.items() if ratio < least]


def test_contrast_is_computed_as_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_words_read_on_every_ground(scheme: str) -> None:
    assert too_weak(WORDS, GROUNDS, scheme, READABLE) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_ink_and_the_own_colour_read_on_a_soft_ground(scheme: str) -> None:
    own = [too_weak((soft.removesuffix("-soft"), "ink"), (soft,), scheme, READABLE) for soft in SOFT]
    assert [line for lines in own for line in lines] == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_primary_button_reads(scheme: str) -> None:
    assert too_weak(("on-accent",), ("accent",), scheme, READABLE) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_strong_lines_are_seen(scheme: str) -> None:
    assert too_weak(("line-strong",), GROUNDS, scheme, SEEN) == []


def test_every_colour_has_both_schemes_and_a_role() -> None:
    """Every new token must be declared as text, background or line."""
    colours = set(re.findall(r"--([\w-]+):[^;]*#[0-9a-f]{3,8}", TOKENS))
    assert colours == PAIRS.keys()
    assert PAIRS.keys() - {*WORDS, *GROUNDS, *SOFT} == {"line", "line-strong", "on-accent", "partial-fill"}
