"""Runs one check of an exercise on a submission and says how it ended.

Gradings, traces, transcripts and the linter all run checks through `run_check`.
"""

import zlib
from dataclasses import dataclass
from typing import Literal

import numpy as np

from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.registry import Check
from autograder.judge.checks.student import BadAnswer, Student, StudentRaised
from sandbox.errors import JobEnded, OutOfTime, SandboxError

# `broken` means that the check itself raised an exception, which is an error of the exercise's author
RunEnding = Literal["passed", "failed", "raised", "late", "ended", "broken"]


@dataclass(frozen=True)
class CheckRun:
    """How a check ended. `error` is the exception that ended it, which holds the evidence; None if the check passed."""

    ending: RunEnding
    error: Exception | None = None


def run_check(check: Check, student: Student, seed: int) -> CheckRun:
    """Runs a check with the inputs that it draws with this seed. Only failures of the sandbox are raised."""
    try:
        check.run(student, inputs_generator(check, seed))
    except (CheckFailed, BadAnswer) as error:
        return CheckRun("failed", error)
    except StudentRaised as error:
        return CheckRun("raised", error)
    except OutOfTime as error:
        return CheckRun("late", error)
    except JobEnded as error:
        return CheckRun("ended", error)
    except SandboxError:
        raise
    except Exception as error:
        return CheckRun("broken", error)
    return CheckRun("passed")


def inputs_generator(check: Check, seed: int) -> np.random.Generator:
    """The generator of a check's random inputs. They do not depend on the checks that ran before."""
    return np.random.default_rng([seed, zlib.crc32(check.id.encode())])
