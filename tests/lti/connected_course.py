"""A course that is connected with one of a platform: its students, a column there, and the sender without its threads."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from autograder.lti.models import Context, LineItem, LmsAccount, OutgoingScore, Registration
from autograder.lti.sending import delivery
from autograder.lti.sending.changes import contexts_changed
from autograder.lti.sending.scores import scores_collect
from autograder.submissions.models import Submission
from tests.cast import Cast
from tests.gradebook.conftest import graded
from tests.lti.platform import MOODLE, Flavour, Platform, User
from tests.lti.platform import LineItem as Column
from tests.lti.platform.state import Context as LmsCourse
from tests.lti.platform.state import Result
from tests.lti.platform.vocabulary import ALL_SCOPES
from tests.lti.registered import key_set_served, register


@dataclass
class ConnectedCourse:
    cast: Cast
    platform: Platform
    registration: Registration
    context: Context
    lms_course: LmsCourse
    column: Column
    people: dict[str, User]

    def student(self, name: str) -> User:
        """Return a student of both courses."""
        if name not in self.people:
            user = self.platform.add_user(name.capitalize(), "Example")
            self.platform.enrol(self.lms_course, user)
            account = self.cast.student(name)
            issuer = self.registration.issuer
            LmsAccount.objects.create(issuer=issuer, sub=user.sub, user=account, registration=self.registration)
            self.people[name] = user
        return self.people[name]

    def graded(self, name: str, points: float, at: datetime | None = None, **grading: Any) -> Submission:
        self.student(name)
        return graded(self.cast, name, points, at, **grading)

    def collect(self) -> int:
        """Queue what changed, as after a time in which everything is looked at."""
        Context.objects.filter(pk=self.context.pk).update(collected_at=None)
        return collect()

    def send(self) -> int:
        """Collect, and send what is due. Returns the number of scores that were tried."""
        self.collect()
        return send(self.registration)

    def score(self, name: str) -> OutgoingScore:
        return OutgoingScore.objects.get(membership__user__username=name, line_item__context=self.context)

    def result(self, name: str) -> Result:
        return self.platform.result(self.column, self.student(name))

    def posted(self, name: str) -> list[dict[str, Any]]:
        """Return the scores that the platform has accepted for a student."""
        return self.result(name).scores


def collect() -> int:
    return sum(scores_collect(context, change) for context, change in contexts_changed())


def send(registration: Registration) -> int:
    tried = 0
    while scores := delivery.next_scores(registration.pk, 100):
        for score in scores:
            if (claim := delivery.score_claim(score)) is not None:
                delivery.score_send(claim)
                tried += 1
    return tried


def time_passes(score: OutgoingScore, **units: float) -> None:
    """Move the next try of a score into the past by moving it, and nothing else, back."""
    OutgoingScore.objects.filter(pk=score.pk).update(try_at=score.try_at - timedelta(**units))


@contextmanager
def connected_course(
    flavour: Flavour = MOODLE, *, cast: Cast | None = None, scopes: tuple[str, ...] = ALL_SCOPES, **settings: Any
) -> Iterator[ConnectedCourse]:
    """`settings` are those of the assignment."""
    cast = cast or Cast(settings=settings)
    with Platform(flavour) as platform, key_set_served() as url:
        registration = register(platform, url, scopes=scopes, product=flavour.family)
        course = platform.add_context(cast.course.title)
        link = platform.add_link(course, cast.assignment.title, score_maximum=float(cast.assignment.points))
        assert link.line_item is not None
        deployment = registration.deployments.get()
        context = Context.objects.create(
            deployment=deployment, context_id=course.id, title=course.title, course=cast.course, scopes=list(scopes),
            line_items_url=platform.line_items_url(course, deployment.deployment_id), connected_at=timezone.now(),
        )  # fmt: skip
        LineItem.objects.create(context=context, assignment=cast.assignment, url=platform.line_item_url(link.line_item))
        yield ConnectedCourse(cast, platform, registration, context, course, link.line_item, {})
