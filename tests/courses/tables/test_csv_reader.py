"""CSV files of other programs are read correctly or rejected with line and reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.courses.errors import Refused
from autograder.courses.tables.csv_reader import column_name, decoded, lines

ROWS = [["login", "name"], ["zoe", "O'Hara, Zoë"], ["x", "a;b\tc"], ["y", "two\nlines"]]


def written(rows: list[list[str]], delimiter: str, newline: str = "\r\n") -> str:
    return newline.join(delimiter.join(f'"{cell}"' for cell in row) for row in rows) + newline


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_delimiter_in_every_encoding(delimiter: str, encoding: str) -> None:
    text = decoded(written(ROWS, delimiter).encode(encoding))
    assert [cells for _, cells in lines(text)] == ROWS


def test_a_row_is_told_by_its_first_line() -> None:
    assert [line for line, _ in lines('a,b\n\n"x\ny",1\nz,2\n')] == [1, 3, 5]


def test_a_delimiter_in_quotes_is_text() -> None:
    assert list(lines('"a;;;b",c\n1,2\n')) == [(1, ["a;;;b", "c"]), (2, ["1", "2"])]


def test_a_row_that_cannot_be_read_leaves_the_others_alone() -> None:
    (_, _), (line, words), (_, last) = lines('a,b\n"x"y,1\nz,2\n')
    assert (line, last) == (2, ["z", "2"])
    assert isinstance(words, str)
    assert words.startswith("The row is not valid CSV")


def test_a_cell_of_megabytes_is_a_row_that_cannot_be_read() -> None:
    found = list(lines('a,b\n"' + "x" * 1_000_000 + '",1\n'))
    assert isinstance(found[1][1], str)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("Bj\xf6rn".encode("latin-1"), "The file is not UTF-8: line 1"),
        (b"a\nb\xff", "The file is not UTF-8: line 2"),
        ("a".encode("utf-16-le"), "UTF-16 without a byte order mark"),
        ("a".encode("utf-16-be"), "UTF-16 without a byte order mark"),
        (b"\xff\xfea", "is marked as UTF-16 but cannot be decoded"),
    ],
)
def test_an_encoding_that_would_have_to_be_guessed(data: bytes, words: str) -> None:
    with pytest.raises(Refused, match=words):
        decoded(data, "The file")


def test_column_names_are_compared_without_case_and_blanks() -> None:
    assert [column_name(one) for one in (" E-Mail ", "SIS User ID", "\u00a0login")] == ["e_mail", "sis_user_id", "login"]


@given(
    st.lists(st.lists(st.text(st.characters(exclude_characters='"\0', exclude_categories=["Cs"])), min_size=2, max_size=2))
)
def test_what_is_quoted_comes_back(rows: list[list[str]]) -> None:
    table = [["one", "two"], *rows]
    assert [cells for _, cells in lines(decoded(written(table, ",").encode()))] == table
