"""Remembers what the jobs of a proof found, so that the next proof of an exercise that is being written repeats only the jobs
that depend on what has changed.

Whoever proves an exercise vouches for the exercise alone, so a memory is of one exercise and of one release of this site.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from autograder.explain.diagnosis import Explanation
from autograder.judge.pack import Pack, content_of
from autograder.judge.source_hash import exercise_hash
from autograder.prove.jobs import Cost, Difference, GradingOutcome, ProofJob

SOURCES_OF_JOBS = ("right", "wrong")  # a job has its own source; the others do not depend on it
RESULTS: dict[str, Any] = {
    "vacuous": list[tuple[str, str]],
    "cost": Cost,
    "equivalent": Difference | None,
    "diagnosis": list[tuple[str, tuple[Explanation, ...]]],
}


class Memory:
    """`before` is what the last proof has kept; `kept` is what the next one may use."""

    def __init__(self, exercise: Pack, before: Mapping[str, bytes] | None = None) -> None:
        self._exercise, self._before = exercise, before or {}
        self._common = _hash_of_what_all_jobs_use(exercise)
        self.kept: dict[str, bytes] = {}

    def result(self, job: ProofJob, find: Callable[[], Any]) -> Any:
        """The result of the job, which `find` gives if it is not known."""
        key = self._key(job)
        if key in self._before:
            self.kept[key] = self._before[key]
            return msgspec.msgpack.decode(self.kept[key], type=RESULTS.get(job.purpose, list[GradingOutcome]))
        found = find()
        self.kept[key] = msgspec.msgpack.encode(found)
        return found

    def _key(self, job: ProofJob) -> str:
        wrong = sorted(self._exercise.wrong.items()) if job.purpose == "diagnosis" else ()
        endings = sorted((name, sorted(ended.items())) for name, ended in job.endings.items())
        about = (self._common, job.purpose, job.name, job.source, job.seeds, endings, wrong)
        return hashlib.sha256(repr(about).encode()).hexdigest()[:32]


def _hash_of_what_all_jobs_use(exercise: Pack) -> str:
    digest = hashlib.sha256()
    for path in content_of(exercise.folder):
        name = path.relative_to(exercise.folder)
        if name.parts[0] in SOURCES_OF_JOBS or name.name == "statement.md":
            continue
        content = exercise_hash(exercise.folder, [path]).encode() if path.suffix == ".toml" else path.read_bytes()
        digest.update(f"{name.as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
