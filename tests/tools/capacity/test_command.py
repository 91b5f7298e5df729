"""`python -m tools.capacity`: its output, the source of its durations, and invalid input."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.submissions.grader import Grader
from autograder.submissions.work import queue
from tests.cast import Cast
from tests.commands import Ended
from tools.capacity.command import INCLUDED, main
from tools.capacity.service_times import read
from tools.capacity.site_times import of_site

Run = Callable[..., Ended]


@pytest.fixture
def capacity(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: object) -> Ended:
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            status = int(ended.code or 0)
        printed = capsys.readouterr()
        return Ended(status, printed.out, printed.err)

    return run


def test_it_tells_workers_machines_database_and_broker(capacity: Run) -> None:
    ended = capacity("--students", 2_000, "--within", 5)
    assert ended.status == 0
    for word in (
        "6,000 pieces of work",
        "Needed for 95% within 5 s",
        "machines of 4 slots",
        "transactions a second",
        "Broker",
    ):
        assert word in ended.out


def test_the_same_seed_prints_the_same(capacity: Run) -> None:
    one, same, other = (capacity("--students", 500, "--seed", seed).out.partition("Simulated in")[0] for seed in (3, 3, 4))
    assert one == same
    assert one != other


def test_more_students_need_more(capacity: Run) -> None:
    few, many = (capacity("--students", count, "--slots", 1).out for count in (2_000, 20_000))
    workers = [int(text.partition(" workers on")[0].split()[-1]) for text in (few, many)]
    assert workers[0] < workers[1] < 20 * workers[0]


def test_the_times_that_came_along_are_of_real_gradings() -> None:
    times = read(INCLUDED)
    assert len(times.exercises) == 3
    assert all(0 < one.verdict <= one.busy < 60 for exercise in times.exercises for one in exercise.times)


@pytest.mark.django_db
def test_the_times_of_a_site_are_those_of_its_gradings(cast: Cast, grader: Grader, capacity: Run, tmp_path: Path) -> None:
    assert capacity("--from-site").error.startswith("This site has not graded anything yet.")
    for name in ("ada", "ben", "cy"):
        cast.hands_in(name)
    while grader.work_once():
        pass
    regraded = cast.hands_in("dan")
    assert queue.claim("box") is not None, regraded  # unfinished: not counted
    found = of_site()
    assert found is not None
    (exercise,) = found.exercises
    assert (exercise.slug, len(exercise.times)) == ("value-engine", 3)
    assert all(0 < one.verdict <= one.busy for one in exercise.times)
    file = tmp_path / "times.json"
    assert capacity("--from-site", "--students", 100, "--save", file).status == 0
    assert read(file).exercises == found.exercises
    assert capacity("--measured", file, "--students", 100).status == 0


@pytest.mark.parametrize("content", ["", "{}", '{"of": 1}'])
def test_a_file_that_holds_no_times_is_a_wrong_call(capacity: Run, content: str, tmp_path: Path) -> None:
    (tmp_path / "times.json").write_text(content)
    ended = capacity("--measured", tmp_path / "times.json")
    assert ended.status == 2
    assert "contains no measured times" in ended.error


@pytest.mark.parametrize(
    "given", [("--students", "0"), ("--failures", "-1"), ("--within", "soon"), ("--from-site", "--measure")]
)
def test_a_wrong_number_is_a_wrong_call(capacity: Run, given: tuple[str, ...]) -> None:
    assert capacity(*given).status == 2
