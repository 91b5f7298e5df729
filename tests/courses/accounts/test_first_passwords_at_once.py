"""Two concurrent requests for first passwords hand out each password once, on both databases."""

import json

from tests.submissions.test_claims_at_once import Site, site  # noqa: F401 - a fixture, and its type

FILL = """
from django.core.management import call_command
call_command("flush", interactive=False, verbosity=0)
from autograder.courses.models import Course, Membership, User
course = Course.objects.create(slug="large", title="Large")
users = User.objects.bulk_create([User(username=f"s{n}", password="!none") for n in range(500)])
Membership.objects.bulk_create([Membership(course=course, user=user) for user in users])
print("filled")
"""
HASHES = """
import json
from autograder.courses.models import User
print(json.dumps(dict(User.objects.values_list("username", "password"))))
"""


def test_each_account_gets_one_password_and_it_is_the_one_that_is_stored(site: Site) -> None:  # noqa: F811
    from django.contrib.auth.hashers import PBKDF2PasswordHasher

    site.ask(FILL)
    handed = site.at_once("hand_out", [("large",)] * 3)
    given = [(login, password) for one in handed for login, password in one.items()]
    assert len(given) == len(dict(given)) == 500
    stored = json.loads(site.ask(HASHES))
    verify = PBKDF2PasswordHasher().verify
    assert all(verify(password, stored[login]) for login, password in given)
