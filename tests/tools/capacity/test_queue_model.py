"""The queue of the simulation serves work in the same order as the real one."""

from random import Random

import pytest
from django.utils import timezone

from autograder.submissions.models import Kind, Lane, Submission
from autograder.submissions.work import queue
from autograder.submissions.work.leases import Claim
from tests.cast import Cast
from tools.capacity.queue_model import QueueModel, WaitingWork

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("seed", range(5))
def test_any_history_is_served_in_the_same_order(seed: int) -> None:
    """Two courses and few students, with random runs, submissions, claims, verdicts and returned work."""
    random, ours, numbers = Random(seed), QueueModel(), dict[int, int]()
    casts = [Cast(slug="large"), Cast(slug="small")]
    people = [(cast, cast.membership(f"s{n}")) for cast, size in zip(casts, (6, 2), strict=True) for n in range(size)]
    about, held = list[tuple[int, int, int]](), list[tuple[Claim, WaitingWork]]()
    for _ in range(150):
        step = random.choice(("come", "come", "come", "claim", "claim", "end", "back"))
        if step == "come":
            cast, member = random.choice(people)
            kind = random.choice(list(Kind))
            submission = Submission.objects.create(
                assignment=cast.assignment, membership=member, kind=kind, source=b"x", submitted_at=timezone.now()
            )
            numbers[queue.enqueue(submission).pk] = len(about)
            about.append((int(Lane.RUN if kind == Kind.RUN else Lane.SUBMIT), member.pk, cast.course.pk))
            lane, student, course = about[-1]
            ours.enter(len(about) - 1, lane=lane, student=student, course=course)
        elif step == "claim":
            claim, work = queue.claim("box"), ours.take([course for _, _, course in about])
            assert (claim and numbers[claim.pk]) == (work and work.number)
            if claim and work:
                held.append((claim, work))
        elif held:
            claim, work = held.pop(random.randrange(len(held)))
            lane, student, course = about[work.number]
            if step == "end":
                queue.gradings.finish(claim)
                ours.end(lane=lane, student=student)
            else:
                queue.gradings.give_back(claim, "died", tried=False)
                ours.put(work, course)
