"""Lists of people are sorted as people sort names, in the same way on SQLite and PostgreSQL."""

import pytest

from autograder.courses.models import User
from autograder.courses.person_names import by_name

pytestmark = pytest.mark.django_db

IN_ORDER = [
    ("", "", "nameless"),
    ("Vigdis", "Aasen", "aasen"),
    ("Agda", "Åberg", "aberg"),
    ("Ada", "Adams", "adams"),
    ("Ælfric", "Adams", "aelfric"),
    ("Ágnes", "Adams", "agnes"),
    ("Éva", "de Boer", "eva"),
    ("Jan", "de Vries", "jan"),
    ("Ana", "Đurić", "ana"),
    ("Ewa", "Łukasik", "ewa"),
    ("Nils", "Müller", "nils"),
    ("Anna", "Muller-Roth", "anna"),
    ("Liv", "Ødegaard", "liv"),
    ("Can", "Öztürk", "can"),
    ("Iga", "Świątek", "iga"),
    ("Ken", "Tanaka", "ken"),
    ("Bob", "Zeman", "bob"),
    ("Ольга", "Иванова", "olga"),
    ("明", "李", "ming"),
]


def test_people_are_sorted_by_letters_before_accents() -> None:
    User.objects.bulk_create(User(username=login, first_name=first, last_name=last) for first, last, login in IN_ORDER[::-1])
    assert list(User.objects.order_by(*by_name("")).values_list("username", flat=True)) == [login for *_, login in IN_ORDER]


@pytest.mark.parametrize("names", [("ada", "Ada"), ("Muller", "Müller"), ("Strasse", "Straße")])
def test_accents_and_case_decide_last(names: tuple[str, str]) -> None:
    User.objects.bulk_create(User(username=f"u{n}", last_name=name) for n, name in enumerate(names[::-1]))
    assert list(User.objects.order_by(*by_name("")).values_list("last_name", flat=True)) == list(names)
