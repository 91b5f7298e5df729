"""Joining and splitting names."""

import pytest

from autograder.courses.person_names import full_name, listed_name, split_name


@pytest.mark.parametrize(
    ("first", "last", "full", "listed"),
    [
        ("Ada", "Lovelace", "Ada Lovelace", "Lovelace, Ada"),
        ("明", "李", "李 明", "李 明"),
        ("민준", "김", "김 민준", "김 민준"),
        ("さくら", "山田", "山田 さくら", "山田 さくら"),
        ("Zoë", "", "Zoë", "Zoë"),
        ("", "Novák", "Novák", "Novák"),
        ("", "", "", ""),
    ],
)
def test_put_together(first: str, last: str, full: str, listed: str) -> None:
    assert (full_name(first, last), listed_name(first, last)) == (full, listed)


@pytest.mark.parametrize(
    ("whole", "first", "last"),
    [
        ("Ada  Lovelace", "Ada", "Lovelace"),
        ("Lovelace, Ada", "Ada", "Lovelace"),
        ("Augusta Ada King", "Augusta Ada", "King"),
        ("Plato", "Plato", ""),
        ("李 明", "明", "李"),
        ("李明", "李明", ""),
        ("", "", ""),
    ],
)
def test_taken_apart(whole: str, first: str, last: str) -> None:
    assert split_name(whole) == (first, last)
