"""Service times of gradings, and the small JSON file that stores them."""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

MAX_PER_EXERCISE = 400  # enough for a 95th percentile


class GradingTimes(msgspec.Struct, frozen=True, array_like=True):
    """The times of one grading in seconds: from its claim to the stored verdict, and until its worker is free again."""

    verdict: float
    busy: float


class ExerciseTimes(msgspec.Struct, frozen=True):
    """The measured times of one exercise; `share` is its share of all submissions."""

    slug: str
    share: float
    times: tuple[GradingTimes, ...]


class ServiceTimes(msgspec.Struct, frozen=True):
    """All measured times."""

    source: str = msgspec.field(name="of")
    measured_at: datetime = msgspec.field(name="at")
    cores: int
    load: float  # system load per core during the measurement
    wakeup_delay: float = msgspec.field(name="bell")  # seconds from submitting until an idle worker claims the work
    warm_up: float = msgspec.field(name="warming")  # seconds until a new worker or zygote can grade
    exercises: tuple[ExerciseTimes, ...]

    @property
    def mean_busy(self) -> float:
        return sum(e.share * sum(t.busy for t in e.times) / len(e.times) for e in self.exercises)

    @property
    def mean_verdict(self) -> float:
        return sum(e.share * sum(t.verdict for t in e.times) / len(e.times) for e in self.exercises)


def service_times(
    source: str, by_slug: Mapping[str, Sequence[GradingTimes]], *, wakeup_delay: float, warm_up: float
) -> ServiceTimes:
    total = sum(map(len, by_slug.values()))
    exercises = tuple(
        ExerciseTimes(slug, len(times) / total, tuple(times[:: len(times) // MAX_PER_EXERCISE + 1]))
        for slug, times in sorted(by_slug.items())
    )
    cores = os.cpu_count() or 1
    return ServiceTimes(source, datetime.now(UTC), cores, os.getloadavg()[0] / cores, wakeup_delay, warm_up, exercises)


def read(path: Path) -> ServiceTimes:
    """Read a file of service times. Raises ValueError if it is not one."""
    found = msgspec.json.decode(path.read_bytes(), type=ServiceTimes)
    if not found.exercises or not all(exercise.times for exercise in found.exercises):
        raise ValueError("it contains no times")
    return found


def write(times: ServiceTimes, path: Path) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(times), indent=0))
