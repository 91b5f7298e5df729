"""The fixtures of the tests of submissions: a grader with real sandboxes, and a cast."""

from tests.submissions.conftest import bell, cast, grader, nothing_remembered, warm_grader

__all__ = ["bell", "cast", "grader", "nothing_remembered", "warm_grader"]
