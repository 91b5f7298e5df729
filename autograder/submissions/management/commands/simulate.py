"""`manage.py simulate`: estimates the capacity that a deadline needs, by simulation with measured service times."""

import sys
import time
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from django.core.management.base import CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from autograder.library.command import GradusCommand, bad_usage, number, the_database
from autograder.submissions.capacity import measured as measuring
from autograder.submissions.capacity.arrivals import HOUR, Arrival, busiest_minute, deadline_night
from autograder.submissions.capacity.load import STEPS, Load, load_of
from autograder.submissions.capacity.measured import Measured
from autograder.submissions.capacity.simulation import Fleet, Night
from autograder.submissions.capacity.sizing import smallest
from autograder.submissions.queue import LEASE

SHIPPED = Path(measuring.__file__).with_name("measured.json")
EXERCISES = ("value-engine", "vjp-unbroadcast", "fn-cubic")  # one of each profile
ROUNDS = 5
KILOBYTES = 9.0  # stored per submission, including its work and report (`tests.benchmarks.backup`), without backward passes


class Command(GradusCommand):
    help = "Simulates the hour before a deadline and prints what it needs: workers, machines, database and broker."

    def add_arguments(self, parser: CommandParser) -> None:
        whole: dict[str, Any] = {"type": number, "metavar": "N"}
        parser.add_argument("--students", default=100_000, help="(%(default)s)", **whole)
        parser.add_argument("--each", default=3, help="submissions of each in the last hour (%(default)s)", **whole)
        parser.add_argument(
            "--runs", type=_share, default=0.0, metavar="SHARE", help="of them preceded by a run (%(default)s)"
        )
        parser.add_argument("--courses", default=400, help="(%(default)s)", **whole)
        parser.add_argument("--doubling", default=12, help="minutes in which the rate doubles (%(default)s)", **whole)
        parser.add_argument("--within", default=10, help="seconds for 95 %% of all verdicts (%(default)s)", **whole)
        parser.add_argument(
            "--slots", default=4, help="workers on a machine: as many as it has cores (%(default)s)", **whole
        )
        parser.add_argument("--webs", default=8, help="web processes (%(default)s)", **whole)
        parser.add_argument("--failures", type=_share, default=0.2, help="deaths of a worker in an hour (%(default)s)")
        parser.add_argument("--seed", type=int, default=1, help="(%(default)s)")
        source = parser.add_mutually_exclusive_group()
        source.add_argument(
            "--measured", type=Path, default=SHIPPED, metavar="FILE", help="service times (those that came along)"
        )
        source.add_argument("--from-site", action="store_true", help="service times from this site's latest gradings")
        source.add_argument("--measure", action="store_true", help="service times from real gradings, here and now")
        parser.add_argument("--save", type=Path, metavar="FILE", help="keep the service times, for --measured")

    def handle(self, *args: Any, **options: Any) -> None:
        began, console = time.monotonic(), Console(file=sys.stdout, highlight=False, soft_wrap=True)
        times = self._times(options)
        if options["save"]:
            measuring.write(times, options["save"])
        arrivals = deadline_night(
            students=options["students"], each=options["each"], courses=options["courses"], runs=options["runs"],
            shares=[one.share for one in times.exercises], doubling=60.0 * options["doubling"], random=Random(options["seed"]),
        )  # fmt: skip
        fleet = Fleet(1, LEASE.total_seconds(), options["failures"])
        try:
            fleet, night = smallest(
                arrivals, fleet, times, promised=options["within"], seed=options["seed"], say=self._say(options)
            )
        except ValueError as error:
            raise CommandError(str(error)) from error
        load = load_of(arrivals, night, fleet.workers, web_processes=options["webs"], kilobytes=KILOBYTES)
        _print_assumptions(console, options, times, arrivals)
        _print_needs(console, options, fleet, night)
        _print_load(console, options, load)
        console.print(f"\nSimulated in {time.monotonic() - began:.0f} s; seed {options['seed']} gives the same again.")

    def _times(self, options: dict[str, Any]) -> Measured:
        if options["from_site"]:
            with the_database():
                found = measuring.of_site()
            if found is None:
                raise CommandError("This site has not graded anything yet. --measure grades a few submissions here and now.")
            return found
        if options["measure"]:
            return measuring.of_this_machine(EXERCISES, ROUNDS, self.stderr.write)
        path: Path = options["measured"]
        try:
            return measuring.read(path)
        except (OSError, ValueError) as error:
            raise bad_usage(f"{path} holds no measured times ({error}); --measure --save {path} makes it") from error

    def _say(self, options: dict[str, Any]) -> Callable[[int, bool], object]:
        def say(workers: int, enough: bool) -> None:
            if options["verbosity"] > 1:
                self.stderr.write(f"{workers} workers: {'enough' if enough else 'too few'}")

        return say


def _print_assumptions(console: Console, options: dict[str, Any], times: Measured, arrivals: list[Arrival]) -> None:
    console.print(
        f"[bold]{options['students']:,} students, {len(arrivals):,} pieces of work in the hour before the deadline[/]"
    )
    console.print(f"  Their rate doubles every {options['doubling']} minutes: {len(arrivals) / HOUR:.0f}/s on average, "
                  f"{busiest_minute(arrivals):.0f}/s in the busiest minute")  # fmt: skip
    console.print(f"  Service times: {times.of}, {times.at:%Y-%m-%d}, {times.cores} cores, load {times.load:.1f} a core")
    console.print(f"  A worker is busy for {1000 * times.mean_busy:.0f} ms on average, the verdict is out after "
                  f"{1000 * times.mean_verdict:.0f} ms; a zygote or worker is warm after {times.warming:.1f} s")  # fmt: skip
    console.print(
        f"  A worker dies {options['failures']:g} times an hour; its lease runs out after {LEASE.total_seconds():g} s\n"
    )


def _print_needs(console: Console, options: dict[str, Any], fleet: Fleet, night: Night) -> None:
    machines = -(-fleet.workers // options["slots"])
    console.print(f"[bold]Needed for 95 % within {options['within']} s[/]")
    console.print(f"  {fleet.workers} workers on {machines} machines of {options['slots']} slots each")
    console.print(f"  verdict after {night.percentile(0.5):.2f} s (median), {night.percentile(0.95):.2f} s (p95), "
                  f"{night.percentile(1):.1f} s (longest); {night.deepest:,} waiting at most")  # fmt: skip
    share = night.busy / (fleet.workers * max(night.ended, 1.0))
    console.print(f"  workers busy {share:.0%} of the hour; {night.steps['zygote started']:,} zygotes replaced, "
                  f"{night.steps['worker died']} workers died, {night.steps['taken back']} gradings taken back, "
                  f"{night.failed} failed\n")  # fmt: skip


def _print_load(console: Console, options: dict[str, Any], load: Load) -> None:
    table = Table(
        box=None, pad_edge=False, header_style="bold", title="Database, in the busiest minute", title_justify="left"
    )
    for name, justify in (("step", "left"), ("a second", "right"), ("statements each", "right")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for name, rate in load.transactions.items():
        table.add_row(name, f"{rate:,.1f}", str(STEPS[name].statements))
    console.print(table)
    console.print(f"  {sum(load.transactions.values()):,.0f} transactions a second, {load.writes:,.0f} of them write; "
                  f"{load.statements:,.0f} statements a second")  # fmt: skip
    console.print(f"  {load.stored_megabytes:,.0f} MB more are stored after this hour\n")
    console.print("[bold]Broker, in the busiest minute[/]")
    console.print(f"  {load.sent:,.0f} messages a second to it, {load.delivered:,.0f} from it to workers and "
                  f"{options['webs']} web processes")  # fmt: skip


def _share(text: str) -> float:
    """An argparse type: a number from 0 to 100."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise ArgumentTypeError(f"'{text}' is not a number from 0 to 100")
    return value
