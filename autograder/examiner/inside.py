"""The operations of an examiner. Runs in its sandbox, next to the code of the exercise's author."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np

from autograder.examiner.in_process import InProcess
from autograder.examiner.messages import Exercise, Opened, Refusal, exercise_of, seconds_of
from autograder.explain.diagnosis import explain, prediction, prepare
from autograder.explain.diagnosis.dictionary import Dictionary
from autograder.judge.arrays import Numbers
from autograder.judge.grade import CEILING, Judge, report_of
from autograder.judge.outcome import Outcome
from autograder.judge.pack import Content, Pack, public, read, with_checks
from autograder.judge.replay import Replay
from autograder.judge.report import CheckResult, Report
from autograder.prove import scaffold
from autograder.prove.memory import Memory
from autograder.prove.proving import prove_here
from autograder.trace.traces import traces_of
from sandbox import errors
from sandbox.guest.runner import DescriptorChannel, Operation
from sandbox.job import Job
from sandbox.session import Session
from sandbox.wire import Begin, End, Exited, Fork, Limits, Progress, ProgressRequest, Warm

Ask = Callable[..., Any]
TakeDescriptors = Callable[[], tuple[int, int, int, int]]


def warm_up() -> None:
    """Use in the zygote what every examiner needs, so that none of them pays for the first time: an exercise of each
    kind is graded, traced and explained."""
    prepare()
    with TemporaryDirectory() as folder:
        for kind in scaffold.KINDS:
            _rehearse(scaffold.TEMPLATES / kind, f"{folder}/{kind}")
    sys.modules.pop("submission", None)


def _rehearse(template: Path, folder: str) -> None:
    """Grade the template's solution and a wrong solution, as `operations` do, with the submission in this process."""
    content = read(template)
    examiner = Examiner(lambda: (0, 0, 0, 0))  # none arrive
    examiner.open(
        _body(msgspec.msgpack.encode(exercise_of(content, folder, whole=True))), lambda *_: msgspec.msgpack.encode(False)
    )
    examiner.judge = ExaminerJudge(InProcessSandbox(content.settings.profile))
    checks = [check.listed for check in examiner.pack.checks]
    nothing = msgspec.msgpack.encode(Dictionary((1,), (), ()))
    for source in (content.solution, next(iter(content.wrong.values()))):
        outcome = msgspec.msgpack.decode(examiner.grade(_body(source), 1, None, False).tobytes(), type=Outcome)
        report = report_of(content, checks, source, outcome, seed=1, seconds=0.0, sandbox="", libraries={})
        graded = _body(source), _body(msgspec.msgpack.encode(report)), False
        examiner.trace(*graded)
        examiner.explain(*graded, _body(nothing))


def operations(channel: DescriptorChannel) -> dict[str, Operation]:
    examiner = Examiner(channel.take_descriptors)
    methods = (examiner.open, examiner.grade, examiner.trace, examiner.explain, examiner.learn, examiner.prove)
    return {f"examiner.{method.__name__}": _operation(method) for method in methods}


def _operation(method: Callable[..., Any]) -> Operation:
    return lambda _, args, __: method(*args)


class InProcessSandbox:
    """For the warm-up."""

    def __init__(self, profile: str) -> None:
        self._profile = profile

    def session(self, _: Limits) -> InProcess:
        return InProcess(self._profile)


@dataclass(frozen=True)
class InWorker:
    """Stands for the backend, which the worker knows, and writes into the reports."""

    name: str = ""


class StudentSandbox:
    """The sandbox of the submission, as far as the judge uses it. The worker has it, and does what is asked here."""

    starts = deaths = 0
    alive = True
    warm: Warm | None = None

    def __init__(self, ask: Ask, take_descriptors: TakeDescriptors) -> None:
        self._ask_worker, self._take_descriptors = ask, take_descriptors
        self.layers: frozenset[str] = frozenset()

    def session(self, limits: Limits) -> Session:
        opened = self._ask("session", Opened, msgspec.to_builtins(limits))
        self.layers = opened.layers
        return Session(self, Job(opened.number, *self._take_descriptors()), limits)

    def close(self) -> None:
        self._ask("restart", None)

    def tell(self, message: Fork | Begin | ProgressRequest | End) -> None:
        assert isinstance(message, End)
        self._ask("end", None, message.job, message.ask_stack)

    def progress(self, number: int, seconds: float) -> Progress | None:
        found: Progress | None = self._ask("progress", Progress | None, number, seconds)
        return found

    def wait_for_exit(self, number: int, seconds: float) -> Exited | None:
        found: Exited | None = self._ask("exit", Exited | None, number, seconds)
        return found

    def memory_ran_out(self) -> bool:
        return bool(self._ask("memory", bool))

    def taint(self) -> None:
        self._ask("taint", None)

    def _ask(self, what: str, returns: Any, *args: Any) -> Any:
        answer = msgspec.msgpack.decode(self._ask_worker(what, *args), type=Refusal | returns)
        if isinstance(answer, Refusal):
            kind = getattr(errors, answer.error)
            raise kind(answer.layer, answer.words) if answer.layer else kind(answer.words)
        return answer


class Examiner:
    """Everything that is asked about one submission to one exercise. `open` comes first."""

    judge: "ExaminerJudge"
    pack: Pack

    def __init__(self, take_descriptors: TakeDescriptors) -> None:
        self._take_descriptors = take_descriptors
        self._ask: Ask
        self._replay: Replay | None = None

    def open(self, body: Numbers, ask: Ask) -> Numbers:
        exercise = msgspec.msgpack.decode(body.tobytes(), type=Exercise)
        self.pack, self._ask = with_checks(_laid_out(exercise, Path(exercise.folder))), ask
        self.judge = ExaminerJudge(StudentSandbox(ask, self._take_descriptors))
        return _packed([check.listed for check in self.pack.checks])

    def grade(self, source: Numbers, seed: int, ceiling: dict[str, Any] | None, only_public: bool) -> Numbers:
        limits = None if ceiling is None else msgspec.convert(ceiling, Limits)
        return _packed(self.judge.examine(self._part(only_public), source.tobytes(), seed, limits, enough=self._enough))

    def _enough(self, result: CheckResult) -> bool:
        return bool(msgspec.msgpack.decode(self._ask("check", result.id, result.passed), type=bool))

    def trace(self, source: Numbers, report: Numbers, only_public: bool) -> Numbers:
        return _packed(traces_of(self._again(source, only_public), msgspec.msgpack.decode(report.tobytes(), type=Report)))

    def explain(self, source: Numbers, report: Numbers, only_public: bool, known: Numbers) -> Numbers:
        replay = self._again(source, only_public)
        dictionary = msgspec.msgpack.decode(known.tobytes(), type=Dictionary)
        return _packed(explain(replay, msgspec.msgpack.decode(report.tobytes(), type=Report), dictionary))

    def _again(self, source: Numbers, only_public: bool) -> Replay:
        """The replay of the submission, which its traces and its explanation share."""
        if self._replay is None:
            pack = self._part(only_public)
            deadline = time.monotonic() + seconds_of(pack.limits(CEILING))
            self._replay = Replay(self.judge, pack, source.tobytes(), deadline=deadline)
        return self._replay

    def learn(self, endings: dict[str, Any]) -> Numbers:
        return _packed(prediction.predict(self.judge, self.pack, progress=self._tell, proved=lambda _: endings))

    def prove(self, before: Numbers) -> Numbers:
        memory = Memory(self.pack, msgspec.msgpack.decode(before.tobytes(), type=dict[str, bytes]))
        proof = prove_here(self.judge, self.pack, memory, self._tell)
        return _packed((proof, msgspec.msgpack.encode(memory.kept)))

    def _tell(self, done: int, of: int) -> None:
        self._ask("done", done, of)

    def _part(self, only_public: bool) -> Pack:
        return public(self.pack) if only_public else self.pack


def _laid_out(exercise: Exercise, folder: Path) -> Content:
    for path, data in (exercise.tree or exercise.checks).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    if exercise.tree:
        return read(folder)
    return Content(
        slug=exercise.slug,
        folder=folder,
        version=exercise.version,
        settings=exercise.settings,
        statement="",
        starter=exercise.starter,
        solution=exercise.solution,
        wrong=dict.fromkeys(exercise.wrong, b""),
        right={},
        files=exercise.files,
    )


class ExaminerJudge(Judge):
    """A judge whose sandbox is the worker's."""

    def __init__(self, sandbox: StudentSandbox | InProcessSandbox) -> None:
        self._only, self.ceiling, self._sandboxes = sandbox, CEILING, {}
        self.backend = InWorker()  # type: ignore[assignment]  # nothing but its name is asked

    def sandbox(self, _: str) -> StudentSandbox | InProcessSandbox:  # type: ignore[override]
        return self._only


def _packed(value: Any) -> Numbers:
    return _body(msgspec.msgpack.encode(value))


def _body(data: bytes) -> Numbers:
    return np.frombuffer(data, np.uint8)
