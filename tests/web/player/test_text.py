import pytest

from autograder.web.player import text


@pytest.mark.parametrize(
    ("logged", "shown"),
    [
        ("-6", "−6"),
        ("3.0", "3.0"),
        ("0.30000000000000004", "0.3"),
        ("7.38905609893065", "7.38906"),
        ("-1234567.5", "−1.23457e6"),
        ("1e-07", "1e−7"),
        ("-inf", "−inf"),
        ("nan", "nan"),
        ("[[1, -2.123456789], [3, 4]]", "[[1, −2.12346], [3, 4]]"),
    ],
)
def test_a_number_has_a_minus_sign_and_at_most_six_digits(logged: str, shown: str) -> None:
    assert text.numeral(logged).short == shown


def test_the_full_value_stays_at_hand() -> None:
    found = text.numeral("-7.38905609893065")
    assert found.full == "−7.38905609893065"
    assert found.is_cut
    assert not text.numeral("-6").is_cut


def test_two_numbers_that_differ_late_show_where() -> None:
    assert [number.short for number in text.pair("0.333333333", "0.333333334")] == ["0.333333333", "0.333333334"]
    assert [number.short for number in text.pair("1", "-1")] == ["1", "−1"]


def test_hyphens_of_names_and_differences_stay() -> None:
    assert text.sentence("x-1 and a - 1 are no signs, -1 is one") == "x-1 and a - 1 are no signs, −1 is one"


def test_marks_that_turn_the_writing_are_spelled_out() -> None:
    assert text.plain("a\u202eb\u200f\x07") == "a\\u202eb\\u200f\\u0007"
    assert text.plain("año שלום") == "año שלום"


def test_a_screen_reader_hears_minus() -> None:
    assert text.spoken("yours −6") == "yours minus 6"


def test_shapes() -> None:
    assert [text.shape(extents) for extents in (None, (), (3,), (3, 2))] == ["", "scalar", "3", "3×2"]
