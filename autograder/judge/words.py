"""The sentences with which a grading ends.

The judge and the sandbox decide by facts; only here they become words. A change of the wording makes no proof stale.
"""

from collections.abc import Sequence

from autograder.judge.text import neutralise
from sandbox.errors import JobEnded, OutOfTime
from sandbox.wire import Line, Raised

NAMES_SHOWN = 8
NAMES_KEPT = 400  # characters

EMPTY = "The file is empty."
FAILED = "Failed."
NOT_RUN = "This check did not run."
STOPPED_HERE = "The submission was stopped during this check."
UNREADABLE = "Your code's answer does not have the form that this check expects."
UNSAFE = "Graded without a sandbox (GRADUS_SANDBOX=unsafe): for development only."


def ending(ended: JobEnded) -> str:
    """Why the process of a submission ended, as a clause."""
    match ended.cause:
        case "wall":
            return f"not finished after {ended.figure:g} s"
        case "asleep":
            return f"the code did nothing for {ended.figure:g} s, as if it waited for something"
        case "cpu":
            return f"more than {ended.figure:g} s of CPU time"
        case "unread":
            return f"the code did not read {ended.figure:,} bytes that were sent to it"
        case "output":
            return f"the code printed more than {megabytes(ended.figure)} MB"
        case "signal":
            return f"the process was ended by {ended.figure}"
        case "exit":
            return f"the process exited with status {ended.figure} before it had answered"
        case "unreadable":
            return f"the answer of the code could not be read: {ended.figure}"
        case "closed":
            return "the code closed its channel to the grader"
        case "unasked":
            return "the code wrote to the grader without being asked"
        case "machine":
            return "the machine ran out of memory and ended the process"
        case "answers":
            return f"the answers are longer than {megabytes(ended.figure)} MB"


def megabytes(figure: float | str) -> str:
    return f"{float(figure) / (1 << 20):g}"


# -- before the first check -------------------------------------------------------------------------------------------


def too_large(limit: int) -> str:
    return f"The file is larger than {limit:,} bytes, the maximum size of a submission."


def not_python(exception: str) -> str:
    return f"The file is not valid Python: {exception}"


def not_defined(missing: Sequence[str], defined: Sequence[str], main: str) -> str:
    """`main` is the file that should define the names; empty for the only file."""
    others = f" It defines {', '.join(defined[:NAMES_SHOWN])}." if defined else " It defines nothing."
    return f"{main or 'The file'} does not define {', '.join(missing)}.{neutralise(others, NAMES_KEPT)}"


def slow_to_load(late: OutOfTime) -> str:
    return f"Loading the file used more than {late.seconds:g} s of CPU time."


def loading_raised(exception: str) -> str:
    return f"Loading the file raised {exception}"


def loading_exceeded_memory(exception: str) -> str:
    return f"Loading the file exceeded the memory limit: {exception}"


def ended_while_loading(ended: JobEnded) -> str:
    return f"While loading the file: {ending(ended)}."


# -- during a check ---------------------------------------------------------------------------------------------------


def raised(exception: str) -> str:
    return f"Your code raised {exception}"


def exceeded_memory(exception: str) -> str:
    return f"Your code exceeded the memory limit: {exception}"


def used_too_much_time(late: OutOfTime) -> str:
    return f"Your code used more than {late.seconds:g} s of CPU time."


def ended_during(title: str, ended: JobEnded) -> str:
    return f"During the check “{title}”: {ending(ended)}."


def ran_out_of_time(titles: Sequence[str]) -> str:
    checks = "These checks" if len(titles) > 1 else "This check"
    return f"{checks} ran out of time: {', '.join(f'“{title}”' for title in titles)}."


# -- the judge's own --------------------------------------------------------------------------------------------------


def sandbox_failed(tries: int, error: Exception) -> str:
    return f"The sandbox failed {tries} times: {error}"


def checks_took_too_long(late: OutOfTime) -> str:
    return f"The checks of this exercise used more than {late.seconds:g} s{_in_checks(late.stack)}."


def checks_ended(ended: JobEnded) -> str:
    return f"The process of this exercise's checks has ended: {ending(ended)}{_in_checks(ended.stack)}."


def checks_file_raised(raised: Raised) -> str:
    """`checks.py` itself could not be run, or what runs the checks failed."""
    name = raised.type_name.rpartition(".")[2]
    return neutralise(raised.message if name == "PackError" else f"{name}: {raised.message}")


def checks_unreadable(problem: object) -> str:
    return f"The checks of this exercise returned what cannot be read: {problem}"


def _in_checks(stack: Sequence[Line]) -> str:
    return f", in checks.py:{stack[-1].number}" if stack else ""


def check_raised(check: str, trace: str) -> str:
    return f"The check {check} of this exercise raised an exception: {trace}"
