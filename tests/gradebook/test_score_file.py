"""Score files as written by people and programs, and the error messages for unreadable ones."""

from decimal import Decimal

import pytest

from autograder.courses.errors import Refused
from autograder.gradebook.imports.score_file import NotPoints, points_in, read


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_columns_are_parted_by_commas_semicolons_or_tabs(delimiter: str, encoding: str) -> None:
    text = "who,Exam,Tälk\nada,18,\n\nben,,7\n".replace(",", delimiter)
    file = read(text.encode(encoding), "exam.csv")
    assert file.columns == ("Exam", "Tälk")
    assert [(row.line, row.who, row.cells) for row in file.rows] == [(2, "ada", ("18", "")), (4, "ben", ("", "7"))]


@pytest.mark.parametrize(
    ("header", "identities"),
    [
        ("Login", ("login", "email")),
        ("E-Mail", ("email",)),
        ("LMS ID", ("lms_id",)),
        ("sis_id", ("sis_id",)),
        ("Matriculation number", ("login", "email", "lms_id", "sis_id")),
    ],
)
def test_the_first_header_may_say_which_name_it_is(header: str, identities: tuple[str, ...]) -> None:
    assert read(f"{header},Exam\nada,1\n".encode(), "exam.csv").identities == identities


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("18", "18"),
        ("18.5", "18.50"),
        ("18,5", "18.50"),
        (".5", "0.5"),
        ("3.", "3"),
        ("+2", "2"),
        ("-0", "0"),
        ("2.005", "2.01"),
    ],
)
def test_points_are_numbers_with_a_point_or_a_comma(text: str, points: str) -> None:
    assert points_in(text) == Decimal(points)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("absent", "'absent' is not a number"),
        ("90%", "'90%' is not a number"),
        ("1e3", "'1e3' is not a number"),
        ("NaN", "'NaN' is not a number"),
        ("1_000", "'1_000' is not a number"),
        ("٣", "'٣' is not a number"),
        ("1.234,5", "'1.234,5' is not a number"),
        ("1,234", "'1,234' is ambiguous: write 1.234 or 1234"),
        ("-3", "-3 is negative"),
        ("\u22123", "\u22123 is negative"),
        ("100000", "100000 is more than 99999.99"),
        ("9" * 50, "9999999999999999999999999999999999999999 is more than 99999.99"),
    ],
)
def test_what_is_no_score_is_not_guessed_at(text: str, words: str) -> None:
    with pytest.raises(NotPoints) as refused:
        points_in(text)
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The file is empty."),
        ("who,Exam\n", "The file has a header but no rows."),
        (
            "who\nada\n",
            "The file has no score columns. The first column identifies the student; every other column is an assignment.",
        ),
        ("who" + ",x" * 200 + "\nada\n", "The file has 201 columns; the limit is 200."),
        (
            "who,Exam\n" + "ada,1\n" * 5001,
            "The file has more than 5,000 rows. Split it and import the parts one at a time.",
        ),
    ],
)
def test_a_file_that_is_no_table_of_scores_is_refused(text: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        read(text.encode(), "exam.csv")
    assert refused.value.message == words


def test_a_line_of_another_width_is_told_and_the_others_are_read() -> None:
    file = read(b"who,Exam\nada,1,2\nben,2\n", "exam.csv")
    assert [(row.who, row.unreadable) for row in file.rows] == [
        ("ada", "The row has 3 columns, but the header has 2."),
        ("ben", ""),
    ]


def test_a_file_of_gradus_is_known_by_its_columns() -> None:
    file = read(b"login,email,last_name,first_name,section,lms_id,sis_id,'-exam\n'=ada,a@x,L,F,Mon,1,s1,18.00\n", "x.csv")
    assert file.exported
    assert (file.identities, file.columns, file.rows[0].who) == (("login",), ("-exam",), "=ada")


def test_the_name_of_the_file_is_kept_on_one_line_and_short() -> None:
    assert read(b"who,Exam\nada,1\n", "a\n\u202eb.csv").name == "a b.csv"
    assert read(b"who,Exam\nada,1\n", "x" * 300 + ".csv").name == "x" * 96 + ".csv"
