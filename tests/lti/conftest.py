"""A platform over HTTP, registered with this site, and launches as a browser makes them, without a browser."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from autograder.lti.models import Deployment, Registration
from tests.cast import Cast
from tests.lti.platform import MOODLE, Context, Flavour, Form, Link, Platform, User

SITE = "http://testserver"
Connect = Callable[..., "Lms"]


@dataclass
class Lms:
    """A platform with a course, an instructor and a student, and its registration here."""

    platform: Platform
    registration: Registration
    deployment: Deployment
    context: Context
    instructor: User
    student: User
    people: dict[str, User] = field(default_factory=dict)

    def link(self, title: str = "Engine", **more: Any) -> Link:
        return self.platform.add_link(self.context, title, client_id=self.registration.client_id, **more)

    def person(self, name: str, *roles: str, **more: Any) -> User:
        if name not in self.people:
            self.people[name] = self.platform.add_user(name.capitalize(), "Example", **more)
            self.platform.enrol(self.context, self.people[name], *roles)
        return self.people[name]

    def begin(self, client: Client, link: Link, user: User, **options: Any) -> Form:
        """Begin a launch, and return what the browser would send to the launch URL."""
        form, session = self.platform.login_form(link, user, **options)
        response = client.post(form.action.removeprefix(SITE), form.fields)
        assert response.status_code == 302, response.content.decode()
        return self.platform.authorize(response["Location"], session)

    def launch(self, client: Client, link: Link, user: User, **options: Any) -> HttpResponse:
        form = self.begin(client, link, user, **options)
        return client.post(form.action.removeprefix(SITE), form.fields)  # type: ignore[return-value]


def register(platform: Platform, name: str = "School", **options: Any) -> Lms:
    tool = platform.register_tool(
        login_url=SITE + reverse("lti-login"),
        redirect_uris=[SITE + reverse("lti-launch")],
        key_set_url=SITE + reverse("lti-jwks"),
        **options,
    )
    registration = Registration.objects.create(
        name=name,
        product=platform.flavour.family,
        issuer=tool.issuer,
        client_id=tool.client_id,
        auth_url=tool.auth_url,
        token_url=tool.token_url,
        key_set_url=tool.key_set_url,
        audience=tool.audience if tool.audience != tool.token_url else "",
    )
    deployment = Deployment.objects.create(
        registration=registration, deployment_id=tool.deployment_id, state=Deployment.State.APPROVED
    )
    context = platform.add_context("Autodiff 101", label="AD101")
    instructor, student = platform.add_user("Grace", "Hopper"), platform.add_user("Ada", "Lovelace")
    platform.enrol(context, instructor, "Instructor")
    platform.enrol(context, student, "Learner")
    return Lms(platform, registration, deployment, context, instructor, student)


@pytest.fixture
def connect(db: None, settings: Settings) -> Iterator[Connect]:
    """`connect(CANVAS)` starts a platform of that flavour and registers it."""
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})
    started = []

    def connected(flavour: Flavour = MOODLE, **options: Any) -> Lms:
        platform = Platform(flavour)
        started.append(platform)
        platform.__enter__()
        return register(platform, **options)

    yield connected
    for platform in started:
        platform.__exit__(None, None, None)


@pytest.fixture
def lms(connect: Connect) -> Lms:
    return connect()


@pytest.fixture
def cast(db: None) -> Cast:
    return Cast()


@pytest.fixture
def connected(lms: Lms, cast: Cast) -> Lms:
    """An LMS whose course is connected with the course of the cast."""
    context = lms.deployment.contexts.create(context_id=lms.context.id, title=lms.context.title, course=cast.course)
    assert context.course == cast.course
    return lms
