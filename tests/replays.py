"""The traces and the explanations of a graded submission, each from a replay of its own."""

from autograder.explain.diagnosis import Explanation, explain
from autograder.explain.diagnosis.dictionary import Dictionary
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.replay import Replay
from autograder.judge.report import Report
from autograder.trace.model import Trace
from autograder.trace.traces import SECONDS, traces_of


def explained(judge: Judge, pack: Pack, source: bytes, report: Report, known: Dictionary) -> tuple[Explanation, ...]:
    with Replay(judge, pack, source) as replay:
        return explain(replay, report, known)


def submission_traces(
    judge: Judge, pack: Pack, source: bytes, report: Report, seconds: float = SECONDS
) -> tuple[Trace, ...]:
    with Replay(judge, pack, source) as replay:
        return traces_of(replay, report, seconds=seconds)
