"""Student text made harmless for terminals, pages and databases; numbers in as few digits as tell them apart."""

import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.judge.text import CUT, MESSAGE_LIMIT, OUTPUT_LIMIT, neutralise, neutralise_output, number, pair

anything = st.text(st.characters(exclude_categories=()), max_size=300)


def is_harmless(text: str) -> bool:
    text.encode("utf-8")
    return all(c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for c in text)


@pytest.mark.parametrize(
    "text", ["", "plain", "two\nlines\tand a tab", "Ünïcødé 日本 → ∂f/∂x 🙂", "a non-breaking\u00a0space"]
)
def test_readable_text_stays_as_it_is(text: str) -> None:
    assert neutralise(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\x00b", "a\\x00b"),
        ("bell\x07", "bell\\x07"),
        ("\x7f", "\\x7f"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202etxt", "\\u202etxt"),
        ("\u2066\u2069", "\\u2066\\u2069"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\ud800", "\\ud800"),
        ("\ue000", "\\ue000"),
        ("\U000f0000", "\\U000f0000"),
        ("\U000e0041", "\\U000e0041"),
        ("line\u2028separator\u2029", "line\\u2028separator\\u2029"),
        ("over\rwritten", "over\\x0dwritten"),
    ],
)
def test_what_would_act_is_written_out(text: str, shown: str) -> None:
    assert neutralise(text) == shown


def test_windows_line_ends_become_plain_ones() -> None:
    assert neutralise("a\r\nb\r\n") == "a\nb\n"


@given(anything)
def test_the_result_is_always_harmless(text: str) -> None:
    assert is_harmless(neutralise(text))


@given(anything, st.integers(1, 40))
def test_the_result_is_harmless_wherever_it_is_cut(text: str, limit: int) -> None:
    assert is_harmless(neutralise(text, limit))


@given(anything)
def test_neutralising_twice_changes_nothing_more(text: str) -> None:
    assert neutralise(neutralise(text)) == neutralise(text)


def test_long_text_is_cut_and_says_so() -> None:
    assert neutralise("x" * (MESSAGE_LIMIT + 1)) == "x" * MESSAGE_LIMIT + CUT


def test_text_of_exactly_the_limit_is_whole() -> None:
    assert neutralise("x" * MESSAGE_LIMIT) == "x" * MESSAGE_LIMIT


@given(anything, st.integers(1, 40))
def test_the_result_is_never_much_longer_than_the_limit(text: str, limit: int) -> None:
    assert len(neutralise(text, limit)) <= 2 * limit + len(CUT)


def test_escapes_that_are_cut_say_so_too() -> None:
    assert neutralise("\x00" * MESSAGE_LIMIT).endswith(CUT)


@given(st.binary(max_size=300))
def test_any_output_becomes_harmless_text(data: bytes) -> None:
    assert is_harmless(neutralise_output(data))


@given(st.text(st.characters(categories=("L", "N", "P")), max_size=100))
def test_printable_output_stays_as_it_is(text: str) -> None:
    assert neutralise_output(text.encode()) == text


def test_bytes_that_are_not_utf8_are_written_out() -> None:
    assert neutralise_output(b"\xff\xfe ok") == "\\xff\\xfe ok"


def test_output_that_the_sandbox_cut_says_so() -> None:
    assert neutralise_output(b"begin", cut=True) == "begin" + CUT
    assert neutralise_output(b"begin") == "begin"


def test_output_says_only_once_that_it_is_cut() -> None:
    assert neutralise_output(b"x" * (OUTPUT_LIMIT + 1), cut=True).count(CUT) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2"),
        (1 / 3, "0.333333"),
        (-1e-9, "-1e-09"),
        (1234567.0, "1.23457e+06"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        (7, "7"),
        (True, "True"),
        (1 + 2j, "(1+2j)"),
        (10**39, "1" + "0" * 39),
    ],
)
def test_a_number_has_at_most_six_digits(value: complex, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize("digits", [41, 1000])
def test_a_long_integer_is_shortened(digits: int) -> None:
    assert number(10 ** (digits - 1)) == "1" + "0" * 29 + f"... ({digits} digits)"


def test_an_integer_longer_than_python_prints_is_shortened() -> None:
    assert len(number(10**9000)) < 100


def test_a_pair_has_few_digits_when_they_tell_the_numbers_apart() -> None:
    assert pair(1 / 3, 2 / 3) == ("0.333333", "0.666667")


def test_a_pair_has_more_digits_when_fewer_would_look_equal() -> None:
    assert pair(1.0, 1.0000001) == ("1", "1.0000001")
    assert pair(0.3, 0.1 + 0.2) == ("0.29999999999999999", "0.30000000000000004")


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_a_pair_of_different_numbers_never_looks_equal(one: float, other: float) -> None:
    left, right = pair(one, other)
    assert (left == right) == (one == other) or one == other


def test_nan_and_nan_may_look_equal() -> None:
    assert pair(math.nan, math.nan) == ("nan", "nan")
