"""The same checks without any sandbox: the student's file in this very process. What isolation costs is measured against it.

Also a program: `python -m bench.inline SLUG` grades the solution once in a fresh process, as most graders do.
"""

import sys

from autograder.examiner.in_process import InProcess
from autograder.judge import pack
from autograder.judge.check_run import inputs_generator
from autograder.judge.checks.student import Student
from autograder.judge.pack import Pack
from sandbox.wire import Loaded
from tests.conftest import EXERCISES


class InlineJudge:
    """Grades right submissions in this process; the values cross as bytes, as they do in the sandbox."""

    def __init__(self, exercise: Pack) -> None:
        self._pack = exercise

    def grade(self, source: bytes, seed: int) -> None:
        session = InProcess(self._pack.settings.profile)
        loaded = session.load(source, seed, self._pack.entry_points)
        assert isinstance(loaded, Loaded), loaded
        student = Student(session)  # type: ignore[arg-type]
        for check in self._pack.checks:
            check.run(student, inputs_generator(check, seed))


def main() -> None:
    exercise = pack.load(pack.find(EXERCISES, sys.argv[1]))
    InlineJudge(exercise).grade(exercise.solution, 1)


if __name__ == "__main__":
    main()
