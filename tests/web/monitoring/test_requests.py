"""Every response has the id under which its request is logged."""

import logging

import pytest
from django.test import Client

from autograder.observability import ids
from autograder.submissions import regrades
from autograder.submissions.models import Work
from autograder.submissions.work import queue
from tests.cast import Cast
from tests.web.conftest import Signed

pytestmark = pytest.mark.django_db
ID = "watched-0001"


@pytest.mark.parametrize("path", ["/", "/help/", "/nowhere/", "/healthz", "/c/autodiff/", "/static/web/site.css"])
def test_every_answer_names_its_request(path: str) -> None:
    assert Client().get(path, headers={"X-Request-ID": ID})["X-Request-ID"] == ID
    made = {Client().get(path)["X-Request-ID"] for _ in range(3)}
    assert len(made) == 3


def test_work_remembers_the_request_that_asked_for_it(cast: Cast, signed: Signed) -> None:
    where = f"/c/{cast.course.slug}/{cast.assignment.slug}/hand-in/"
    signed("ada").post(where, {"kind": "submit", "source": "x = 1\n"}, headers={"X-Request-ID": ID})
    claim = queue.claim("box")
    assert claim is not None
    assert claim.request == ID


def test_work_of_a_regrade_remembers_its_own(cast: Cast) -> None:
    cast.hands_in("ada")
    with ids.bound(request=ID):
        batch = regrades.start(course=cast.course, by=cast.staff, reason="A check was wrong.")
    assert list(Work.objects.filter(batch=batch).values_list("request", flat=True)) == [ID]
    assert Work.objects.get(batch=None).request == ""


def test_a_line_names_the_pattern_of_an_address_and_not_the_address(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "gradus.requests"):
        Client().get("/join/a-secret-token/?and=a-query")
        Client().get("/no/such/address/")
        Client().get("/healthz")
    first, second, third = (record.__dict__ for record in caplog.records if record.name == "gradus.requests")
    assert (first["route"], first["method"], first["status"]) == ("join/<str:token>/", "GET", 404)
    assert (second["route"], second["status"]) == ("none", 404)
    assert (third["route"], third["levelname"]) == ("healthz", "DEBUG")
    assert "secret" not in str(first)


def test_nothing_of_a_request_is_left_for_the_next(cast: Cast) -> None:
    Client().get("/help/", headers={"X-Request-ID": ID})
    assert ids.current() == ""
