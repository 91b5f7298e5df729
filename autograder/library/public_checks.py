"""Gradings with the public checks alone: runs on the site, and `manage.py grade --public`."""

from dataclasses import replace

import msgspec

from autograder.explain import batch
from autograder.explain.batch import GradedSource, GradingRequest
from autograder.explain.diagnosis import Explanation
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.report import Report
from autograder.trace.model import Trace


def public(pack: Pack) -> Pack:
    """Return the exercise with its public checks only. If they are worth no points, each counts 1, so that there is a verdict."""
    checks = tuple(check for check in pack.checks if not check.hidden)
    if not any(check.points for check in checks):
        checks = tuple(replace(check, points=1.0) for check in checks)
    points = sum(check.points for check in checks)
    return replace(pack, checks=checks, settings=msgspec.structs.replace(pack.settings, points=points))


def grade(judge: Judge, exercise: Pack, submission: GradingRequest) -> Report:
    """Work for a slot: grades a submission with the public checks."""
    return batch.grade(judge, public(exercise), submission)


def explained(judge: Judge, exercise: Pack, graded: GradedSource) -> tuple[tuple[Trace, ...], tuple[Explanation, ...]]:
    """Work for a slot: the traces and the explanations of a submission that was graded with the public checks."""
    return batch.explained(judge, public(exercise), graded)
