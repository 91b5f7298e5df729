"""A site with its own database whose sender is a process of its own, as an operator runs it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.at_once import ROOT, Crowd
from tests.lti.platform import MOODLE, Flavour, Platform
from tests.lti.platform.server import Server, json_response
from tests.lti.platform.state import LineItem

SITE = """
import json
from django.core.management import call_command
call_command("migrate", verbosity=0)
from autograder.lti import keys
print(json.dumps(keys.key_set()))
"""
CONNECT = """
from django.utils import timezone
from autograder.courses.models import Membership, User
from autograder.lti.models import *
from tests.cast import Cast
cast = Cast(slug={slug!r})
registration = Registration.objects.create(
    name={slug!r}, product={product!r}, issuer={issuer!r}, client_id={client_id!r}, auth_url="", key_set_url="",
    token_url={token_url!r})
deployment = Deployment.objects.create(registration=registration, deployment_id="1", state="approved")
context = Context.objects.create(deployment=deployment, context_id="1", course=cast.course)
column = LineItem.objects.create(context=context, assignment=cast.assignment, url={url!r})
users = User.objects.bulk_create(User(username=f"{slug}-{{sub}}") for sub in {subs!r})
members = Membership.objects.bulk_create(Membership(course=cast.course, user=user) for user in users)
LmsAccount.objects.bulk_create(
    LmsAccount(issuer={issuer!r}, sub=sub, user=user, registration=registration) for sub, user in zip({subs!r}, users))
"""
GRADE = """
from django.utils import timezone
from autograder.courses.models import Course
from autograder.submissions.models import Grading, Submission, Work
course, now = Course.objects.get(slug={slug!r}), timezone.now()
assignment = course.assignments.get()
members = list(course.memberships.filter(role="student"))
submissions = Submission.objects.bulk_create(
    Submission(assignment=assignment, membership=member, source=b"", submitted_at=now) for member in members)
works = Work.objects.bulk_create(
    Work(submission=one, version=assignment.version, course=course, membership=one.membership, lane=1, queued_at=now,
         state="done", ended_at=now) for one in submissions)
Grading.objects.bulk_create(
    Grading(submission=one, work=work, version=assignment.version, current=True, why="first", seed=1, verdict="partial",
            score={points}, max_score=10, seconds=0.1, report={{}}, worker="w", graded_at=now)
    for one, work in zip(submissions, works))
"""
REGRADE = """
from autograder.courses import audit
from autograder.courses.models import Course
from autograder.submissions.models import Grading
course = Course.objects.get(slug={slug!r})
Grading.objects.filter(submission__assignment__course=course).update(score={points})
audit.record("grade-changed", course, actor=None, course=course)
"""
EXPIRE_LEASES = """
from django.utils import timezone
from autograder.lti.models import OutgoingScore
OutgoingScore.objects.filter(state="sending").update(try_at=timezone.now())
"""
STATES = """
import json
from django.db.models import Count
from autograder.lti.models import OutgoingScore
scores = OutgoingScore.objects.filter(line_item__context__course__slug={slug!r})
print(json.dumps(dict(scores.order_by().values_list("state").annotate(Count("pk")))))
"""


class SenderSite(Crowd):
    def __init__(self, data: Path) -> None:
        self.environment = {
            "GRADUS_DATA": str(data), "GRADUS_BROKER_URL": "filesystem://", "GRADUS_LTI_PRIVATE_HOSTS": "127.0.0.1",
            "DATABASE_URL": f"sqlite:///{data / 'gradus.sqlite3'}",
        }  # fmt: skip
        super().__init__(self.environment)

    def start_sender(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "manage.py", "lms_sender"], cwd=ROOT, env={**os.environ, **self.environment}
        )

    def connect(self, platform: Platform, slug: str, students: int) -> LineItem:
        """Connect a course with this number of students, and return its column."""
        client = platform.registration(next(iter(platform.tools)))
        course = platform.add_context(slug)
        users = [platform.add_user(f"Student {number}", "Example") for number in range(students)]
        for user in users:
            platform.enrol(course, user)
        link = platform.add_link(course, "Engine")
        assert link.line_item is not None
        known = {"issuer": client.issuer, "client_id": client.client_id, "token_url": client.token_url}
        url, subs = platform.line_item_url(link.line_item), [user.sub for user in users]
        self.python(CONNECT.format(slug=slug, product=platform.flavour.family, url=url, subs=subs, **known))
        return link.line_item

    def grade(self, slug: str, points: float) -> None:
        """Give every student of a course a graded submission."""
        self.python(GRADE.format(slug=slug, points=points))

    def regrade(self, slug: str, points: float) -> None:
        self.python(REGRADE.format(slug=slug, points=points))


@contextmanager
def sender_site(data: Path) -> Iterator[tuple[SenderSite, str]]:
    """Yield a site and the address of its key set."""
    site = SenderSite(data)
    with site:
        keys = json.loads(site.python(SITE).strip().splitlines()[-1])
        server = Server(lambda request: json_response(keys), "127.0.0.1")
        server.start()
        try:
            yield site, f"{server.url}/jwks"
        finally:
            server.close()


@contextmanager
def platform_of(key_set_url: str, flavour: Flavour = MOODLE) -> Iterator[Platform]:
    with Platform(flavour) as platform:
        tool = "https://gradus.test/lti"
        platform.register_tool(login_url=f"{tool}/login/", redirect_uris=[f"{tool}/launch/"], key_set_url=key_set_url)
        yield platform


@contextmanager
def running(site: SenderSite) -> Iterator["subprocess.Popen[bytes]"]:
    sender = site.start_sender()
    try:
        yield sender
    finally:
        sender.send_signal(signal.SIGTERM)
        assert sender.wait(60) == 0


def final_scores(column: LineItem) -> list[float | None]:
    return [result.final_score for result in list(column.results.values())]
