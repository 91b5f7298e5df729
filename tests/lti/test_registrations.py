"""Who may register an LMS, which values are accepted, and who may launch from it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from autograder.courses.errors import AtField, Refused
from autograder.courses.models import AuditEntry, User
from autograder.courses.rights import OPERATOR
from autograder.lti.models import Deployment, LmsAccount, Product, Registration, RegistrationLink
from autograder.lti.registration.registrations import (
    deployment_add,
    deployment_approve,
    deployment_refuse,
    registration_activate,
    registration_create,
    registration_deactivate,
    registration_link_create,
    registration_update,
)

pytestmark = pytest.mark.django_db
VALUES = {
    "name": "The school",
    "product": "moodle",
    "issuer": "https://lms.example.edu",
    "client_id": "abc",
    "auth_url": "https://127.0.0.1/auth",
    "token_url": "https://127.0.0.1/token",
    "key_set_url": "https://127.0.0.1/jwks",
    "audience": "",
}


@pytest.fixture(autouse=True)
def loopback(settings: Any) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1", "localhost"})


@pytest.fixture
def admin() -> User:
    return User.objects.create_superuser("root")


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))


def test_an_administrator_registers_an_lms_with_a_deployment(admin: User) -> None:
    made = registration_create(by=admin, **VALUES | {"client_id": " abc ", "deployment_id": "1"})
    assert (made.client_id, made.made_by, made.active, made.product) == ("abc", admin, True, Product.MOODLE)
    assert [(each.deployment_id, each.state) for each in made.deployments.all()] == [("1", "approved")]
    assert actions() == ["lms-registered", "lms-deployment-added"]
    assert {(entry.actor, entry.course) for entry in AuditEntry.objects.all()} == {(admin, None)}


def _services(made: Registration, deployment: Deployment) -> list[Callable[[User], object]]:
    return [
        lambda by: registration_create(by=by, **VALUES | {"client_id": "other"}),
        lambda by: registration_update(registration=made, by=by, **VALUES),
        lambda by: registration_activate(registration=made, by=by),
        lambda by: registration_deactivate(registration=made, by=by),
        lambda by: deployment_add(registration=made, deployment_id="2", by=by),
        lambda by: deployment_approve(deployment=deployment, by=by),
        lambda by: deployment_refuse(deployment=deployment, by=by),
        lambda by: registration_link_create(by=by),
    ]


def test_nobody_else_may_do_any_of_it(admin: User) -> None:
    made = registration_create(by=OPERATOR, **VALUES)
    deployment = made.deployments.create(deployment_id="1")
    staff = User.objects.create_user("staff", is_staff=True)
    former = User.objects.create_superuser("former", is_active=False)
    for service in _services(made, deployment):
        for user in (staff, former):
            with pytest.raises(Refused, match="Only administrators"):
                service(user)
    assert actions() == ["lms-registered"]
    for service in _services(made, deployment):
        service(admin)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("name", "  ", "The name is missing"),
        ("client_id", "", "The client ID is missing"),
        ("client_id", "a\nb", "one line"),
        ("client_id", "x" * 256, "at most 255 characters"),
        ("product", "word", "Choose one"),
        ("issuer", "lms.example.edu", "must begin with https"),
        ("issuer", "http://lms.example.edu", "must begin with https"),
        ("issuer", "https://", "Copy the issuer exactly"),
        ("issuer", "https://lms.example.edu/?a=1", "Copy the issuer exactly"),
        ("issuer", "https://[::1", "not a valid address"),
        ("auth_url", "http://10.0.0.1/auth", "must begin with https"),
        ("token_url", "https://10.0.0.1/token", "private address"),
        ("key_set_url", "https://169.254.169.254/jwks", "private address"),
        ("key_set_url", "https://user:secret@127.0.0.1/jwks", "user name or a password"),
        ("token_url", "file:///etc/passwd", "must begin with https"),
        ("audience", "x" * 501, "at most 500 characters"),
    ],
)
def test_a_wrong_value_is_refused_at_its_field(admin: User, field: str, value: str, words: str) -> None:
    with pytest.raises(AtField, match=words) as refused:
        registration_create(by=admin, **VALUES | {field: value})
    assert refused.value.field == field
    made = registration_create(by=admin, **VALUES)
    with pytest.raises(AtField, match=words):
        registration_update(registration=made, by=admin, **VALUES | {field: value})
    assert Registration.objects.get().name == "The school"


def test_a_client_id_of_an_issuer_is_registered_once(admin: User) -> None:
    registration_create(by=admin, **VALUES)
    with pytest.raises(AtField, match="already registered with this client ID"):
        registration_create(by=admin, **VALUES)
    second = registration_create(by=admin, **VALUES | {"client_id": "def"})
    with pytest.raises(AtField, match="already registered with this client ID"):
        registration_update(registration=second, by=admin, **VALUES)


def test_registrations_of_an_issuer_use_keys_of_the_same_host(admin: User) -> None:
    first = registration_create(by=admin, **VALUES)
    elsewhere = {"client_id": "def", "key_set_url": "https://localhost/jwks"}
    with pytest.raises(AtField, match=r"The school has the same issuer, and its keys are at 127\.0\.0\.1"):
        registration_create(by=admin, **VALUES | elsewhere)
    registration_create(by=admin, **VALUES | {"client_id": "def", "key_set_url": "https://127.0.0.1/def/jwks"})
    with pytest.raises(AtField, match="same issuer"):
        registration_update(registration=first, by=admin, **VALUES | {"key_set_url": "https://localhost/jwks"})
    other = registration_create(by=admin, **VALUES | elsewhere | {"issuer": "https://other.example.edu"})
    with pytest.raises(AtField, match="same issuer"):
        registration_update(registration=other, by=admin, **VALUES | elsewhere | {"client_id": "ghi"})


def test_new_values_replace_the_old_keys(admin: User) -> None:
    made = registration_create(by=admin, **VALUES)
    Registration.objects.update(key_set={"kid": {}}, key_set_at=timezone.now())
    renamed = registration_update(registration=made, by=admin, **VALUES | {"name": "Renamed"})
    assert renamed.key_set == {"kid": {}}
    moved = registration_update(registration=made, by=admin, **VALUES | {"key_set_url": "https://localhost/jwks"})
    assert (moved.key_set, moved.key_set_at) == ({}, None)
    last = AuditEntry.objects.filter(action="lms-registration-changed").latest("pk")
    assert last.details["changes"] == {
        "name": ["Renamed", "The school"],
        "key_set_url": [VALUES["key_set_url"], "https://localhost/jwks"],
    }


def test_the_issuer_stays_once_people_came_from_it(admin: User) -> None:
    made = registration_create(by=admin, **VALUES)
    registration_update(registration=made, by=admin, **VALUES | {"issuer": "https://new.example.edu"})
    LmsAccount.objects.create(issuer="https://new.example.edu", sub="1", user=admin, registration=made)
    with pytest.raises(AtField, match="People have come from this issuer"):
        registration_update(registration=made, by=admin, **VALUES)
    changed = VALUES | {"issuer": "https://new.example.edu", "client_id": "new"}
    assert registration_update(registration=made, by=admin, **changed).client_id == "new"


def test_a_registration_is_deactivated_and_activated(admin: User) -> None:
    made = registration_create(by=admin, **VALUES)
    registration_deactivate(registration=made, by=admin)
    registration_deactivate(registration=made, by=admin)
    assert not Registration.objects.get().active
    registration_activate(registration=made, by=admin)
    assert Registration.objects.get().active
    assert actions()[1:] == ["lms-registration-deactivated", "lms-registration-activated"]


def test_a_deployment_waits_until_it_is_approved(admin: User) -> None:
    made = registration_create(by=admin, **VALUES)
    waiting = made.deployments.create(deployment_id="1")
    deployment_refuse(deployment=waiting, by=admin)
    assert waiting.state == made.deployments.get().state == "refused"
    assert deployment_add(registration=made, deployment_id=" 1 ", by=admin) == waiting
    assert made.deployments.get().state == "approved"
    deployment_approve(deployment=waiting, by=admin)
    assert actions()[1:] == ["lms-deployment-refused", "lms-deployment-approved"]


def test_only_the_hash_of_a_link_is_stored(admin: User) -> None:
    made = registration_link_create(by=admin)
    link = RegistrationLink.objects.get()
    assert made.token not in str(vars(link))
    assert timedelta(hours=23) < link.expires_at - timezone.now() <= timedelta(hours=24)
    assert made.token not in str([vars(entry) for entry in AuditEntry.objects.all()])
