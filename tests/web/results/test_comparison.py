"""The comparison of expected and given values: what is shown first, and no difference is lost by rounding or folding."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.judge.report import Detail, Shown
from autograder.web import numbers
from autograder.web.results.comparison import LINES, LIST, SQUARE, Comparison, comparison_of, on_one_line

MINUS = "−"


def array(values: list[float], shape: tuple[int, ...], kind: str = "tensor", cut: bool = False) -> Shown:
    return Shown(kind, tuple(repr(value) for value in values), shape, "float64", cut=cut)


def sides(expected: Shown | None, given: Shown | None, *differing: int, what: str = "") -> Comparison:
    found = comparison_of(Detail(what, {}, expected, given, differing))
    assert found is not None
    return found


def test_nothing_to_compare_is_no_table() -> None:
    assert comparison_of(Detail("x", {}, None, Shown("float", ("1.0",)))) is None


def test_shapes_first_and_no_values() -> None:
    found = sides(array([1.0] * 4, (4,)), array([1.0] * 12, (3, 4)), what="gradient by b")
    assert (found.shapes, found.heading, found.grids) == (True, "Shape of", ())
    assert [(row.name, row.expected, row.given, row.differs) for row in found.rows] == [
        ("gradient by b", "(4,)", "(3, 4)", True)
    ]


def test_named_values_keep_their_names() -> None:
    expected = Shown("values", ("1.0", "-6.0"), names=("x.grad", "y.grad"))
    given = Shown("values", ("1.0", "-3.0"), names=("x.grad", "y.grad"))
    found = sides(expected, given, 1)
    assert [(row.name, row.expected, row.given, row.differs) for row in found.rows] == [
        ("x.grad", "1.0", "1.0", False),
        ("y.grad", f"{MINUS}6.0", f"{MINUS}3.0", True),
    ]
    assert found.rows[1].say == "off by 3"


def test_one_number() -> None:
    (row,) = sides(Shown("float", ("-6.0",)), Shown("float", ("3.0",)), what="gradient of x").rows
    assert (row.name, row.expected, row.given, row.differs) == ("gradient of x", f"{MINUS}6.0", "3.0", True)


def test_a_small_array_is_shown_whole_with_what_differs_marked() -> None:
    found = sides(array([-1.2, 0.35, 0.8, 2.0], (2, 2)), array([-1.2, 0.8, 0.35, 2.0], (2, 2)), 1, 2)
    assert [grid.side for grid in found.grids] == ["expected", "yours"]
    assert [[(cell.text, cell.differs) for cell in line.cells] for line in found.grids[1].lines] == [
        [(f"{MINUS}1.2", False), ("0.8", True)],
        [("0.35", True), ("2.0", False)],
    ]
    assert found.say == "2 of 4 entries differ."


def test_of_a_large_array_the_rows_that_differ() -> None:
    size = SQUARE + 1
    values = [float(n) for n in range(size * 3)]
    wrong = values.copy()
    wrong[4 * 3 + 1] = -1.0
    expected, yours = sides(array(values, (size, 3)), array(wrong, (size, 3)), 13).grids
    assert [line.name for line in expected.lines] == [line.name for line in yours.lines] == ["[4]"]
    assert [cell.differs for cell in yours.lines[0].cells] == [False, True, False]
    assert yours.more == f"… {size - 1} rows agree"


def test_of_a_wide_array_the_columns_around_what_differs() -> None:
    width = 100
    wrong = [0.0] * width
    wrong[97] = 5.0
    expected, yours = sides(array([0.0] * width, (1, width)), array(wrong, (1, width)), 97).grids
    assert len(yours.lines[0].cells) == len(expected.lines[0].cells) == SQUARE
    assert [cell.text for cell in yours.lines[0].cells if cell.differs] == ["5.0"]


def test_of_a_vector_one_line() -> None:
    expected, yours = sides(array([1.0, 2.0], (2,)), array([1.0, 3.0], (2,)), 1).grids
    assert [len(expected.lines), len(yours.lines)] == [1, 1]
    assert yours.lines[0].name == ""


def test_more_dimensions_are_named_by_index() -> None:
    found = sides(array([0.0] * 12, (2, 3, 2)), array([0.0] * 11 + [1.0], (2, 3, 2)), 11)
    assert [line.name for line in found.grids[1].lines] == ["[0, 0]", "[0, 1]", "[0, 2]", "[1, 0]", "[1, 1]", "[1, 2]"]


def test_a_cut_array_shows_its_whole_rows_and_says_that_there_are_more() -> None:
    found = sides(array([0.0] * 64, (100, 3), cut=True), array([1.0] * 64, (100, 3), cut=True), *range(64))
    assert len(found.grids[0].lines) == SQUARE
    assert found.grids[0].more == f"… {100 - SQUARE} more rows"
    assert found.say == "", "how many differ in all is not known"


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_what_is_no_finite_number_is_said_as_it_is(value: str) -> None:
    (row,) = sides(Shown("float", ("2.0",)), Shown("float", (value,)), what="y").rows
    assert (row.given, row.say) == (value.replace("-", MINUS), "")
    assert row.differs


def test_nan_beside_nan() -> None:
    (row,) = sides(Shown("float", ("nan",)), Shown("float", ("nan",)), what="y").rows
    assert (row.expected, row.given) == ("nan", "nan")


def test_lists_of_different_lengths_stand_in_one_line_each() -> None:
    expected, given = Shown("list", ("1.0", "2.0", "3.0")), Shown("list", ("1.0", "2.0"))
    (row,) = sides(expected, given, what="order").rows
    assert (row.expected, row.given) == ("1.0, 2.0, 3.0", "1.0, 2.0")


def test_texts_are_compared_line_by_line() -> None:
    expected, given = Shown("text", ("scale", "layers.0.weight", "<b>")), Shown("text", ("scale", "weight"))
    rows = sides(expected, given, what="names").rows
    assert [(row.name, row.expected, row.given, row.differs) for row in rows] == [
        ("1", "scale", "scale", False),
        ("2", "layers.0.weight", "weight", True),
        ("3", "<b>", "", True),
    ]
    long = Shown("text", tuple(f"line {n}" for n in range(LINES + 5)))
    found = sides(long, given)
    assert (len(found.rows), found.more) == (LINES, "… 5 more lines")


def test_entries_that_look_different_are_marked_where_the_check_names_none() -> None:
    found = sides(array([1.0, 2.0, 3.0, 4.0], (2, 2)), array([1.0, 2.0 + 1e-9, 3.5, 4.0], (2, 2)))
    assert [[cell.differs for cell in line.cells] for line in found.grids[1].lines] == [[False, False], [True, False]]
    assert found.say == "1 of 4 entries differ."
    expected, given = Shown("array", ("True", "nan", "1j"), (3,)), Shown("array", ("False", "nan", "1j"), (3,))
    assert [cell.differs for cell in sides(expected, given).grids[1].lines[0].cells] == [True, False, False]


def test_text_against_a_number() -> None:
    (row,) = sides(Shown("float", ("3.0",)), Shown("text", ("<b>three</b>",)), what="y").rows
    assert (row.expected, row.given, row.say) == ("3.0", "<b>three</b>", "")


def test_a_number_against_an_array() -> None:
    (row,) = sides(Shown("float", ("3.0",)), array([1.0, 2.0], (2,)), what="y").rows
    assert (row.expected, row.given) == ("3.0", "[1.0, 2.0]")


def test_an_empty_array_breaks_nothing() -> None:
    sides(array([], (0, 3)), array([], (0, 3)))
    sides(array([], (3, 0)), array([], (3, 0)))
    sides(array([], (0,)), array([1.0], (1,)))


def test_of_many_values_those_that_differ() -> None:
    values = tuple(str(n) for n in range(40))
    found = sides(Shown("list", values), Shown("list", ("-1", *values[1:])), 0)
    assert [row.name for row in found.rows] == ["[0]"]
    assert found.more == "… 39 more values"
    assert len(sides(Shown("list", values), Shown("list", ("x",) * 40), *range(40)).rows) == LIST


# -- digits ----------------------------------------------------------------------------------------------------------------


@given(st.floats())
def test_at_most_six_digits_and_a_true_minus(value: float) -> None:
    shown = numbers.short(repr(value))
    assert "-" not in shown
    digits = shown.lstrip(MINUS).partition("e")[0].replace(".", "").strip("0")
    assert len(digits) <= 6 or len(repr(value)) <= 8


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_two_numbers_that_differ_look_different(left: float, right: float) -> None:
    expected, given = repr(left), repr(right)
    shown = numbers.pair(expected, given)
    assert (shown[0] == shown[1]) == (expected == given)


def test_as_many_digits_as_it_takes() -> None:
    assert numbers.pair("0.333333333333", "0.25") == ("0.333333", "0.25")
    assert numbers.pair("0.3333333333331", "0.3333333333332") == ("0.3333333333331", "0.3333333333332")


@pytest.mark.parametrize("text", ["exp(-x)", "3-4", "log-det"])
def test_dashes_of_words_and_differences_stay(text: str) -> None:
    assert numbers.minus(text.replace("(-x", "(−x")) == text.replace("(-x", "(−x")
    assert numbers.minus("it is -3.5, not -inf") == "it is −3.5, not −inf"


@pytest.mark.parametrize(
    ("value", "shown"), [(10, "10"), (7.5, "7.5"), (90.58, "90.58"), (0.0, "0"), (None, "–"), (-1, "−1"), (100.0, "100")]
)
def test_points(value: float | None, shown: str) -> None:
    assert numbers.points(value) == shown


def test_an_input_in_one_line() -> None:
    assert on_one_line(Shown("float", ("-2.0",))) == f"{MINUS}2.0"
    assert on_one_line(array([1.0] * 20, (4, 5))) == (
        "[[1.0, 1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0, 1.0], [1.0, 1.0, …]] of shape (4, 5)"
    )
    assert math.isnan(float(on_one_line(Shown("float", ("nan",)))))


def test_only_given_entries_are_marked() -> None:
    found = sides(array([1.0, 2.0, 3.0], (3,)), array([1.0, 5.0, 3.0], (3,)), 1)
    marked = {grid.side: [cell.text for line in grid.lines for cell in line.cells if cell.differs] for grid in found.grids}
    assert marked == {"expected": [], "yours": ["5.0"]}
