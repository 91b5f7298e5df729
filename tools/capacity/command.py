"""The command line of `python -m tools.capacity`."""

import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path
from random import Random

from django.core.management.base import CommandError
from rich.console import Console
from rich.table import Table

from autograder.library.command import number, the_database
from autograder.submissions.work.leases import LEASE
from tools.capacity import local_times, service_times, site_times
from tools.capacity.arrivals import HOUR, Arrival, busiest_minute, deadline_night
from tools.capacity.database_load import TRANSACTIONS, PeakLoad, load_of
from tools.capacity.service_times import ServiceTimes
from tools.capacity.simulation import Fleet, Result
from tools.capacity.sizing import smallest_fleet

INCLUDED = Path(__file__).with_name("service_times.json")
EXERCISES = ("value-engine", "vjp-unbroadcast", "fn-cubic")  # one of each profile
ROUNDS = 5
KILOBYTES = 9.0  # stored per submission, including its work and report (`bench.backup`), without backward passes


def main(arguments: Sequence[str]) -> int:
    """Run the command, and return its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        times = _service_times(options)
    except (OSError, ValueError) as error:
        parser.error(
            f"{options.measured} contains no measured times ({error}); --measure --save {options.measured} creates it"
        )
    except CommandError as error:
        print(error, file=sys.stderr)
        return 1
    if options.save:
        service_times.write(times, options.save)
    return _simulate(options, times)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="python -m tools.capacity",
        description="Simulates the hour before a deadline and prints what it needs: workers, machines, database and broker.",
    )
    for name, default, text in (
        ("students", 100_000, "(%(default)s)"),
        ("each", 3, "submissions of each student in the last hour (%(default)s)"),
        ("courses", 400, "(%(default)s)"),
        ("doubling", 12, "minutes in which the rate doubles (%(default)s)"),
        ("within", 10, "seconds in which 95 %% of all verdicts arrive (%(default)s)"),
        ("slots", 4, "workers per machine, normally one per core (%(default)s)"),
        ("webs", 8, "web processes (%(default)s)"),
    ):
        parser.add_argument(f"--{name}", type=number, default=default, metavar="N", help=text)
    parser.add_argument("--runs", type=_share, default=0.0, metavar="SHARE", help="of them preceded by a run (%(default)s)")
    parser.add_argument("--failures", type=_share, default=0.2, help="failures per worker and hour (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="(%(default)s)")
    parser.add_argument("--verbose", action="store_true", help="print every number of workers that is tried")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--measured", type=Path, default=INCLUDED, metavar="FILE", help="service times (the included ones)")
    source.add_argument("--from-site", action="store_true", help="service times of this site's latest gradings")
    source.add_argument("--measure", action="store_true", help="service times measured now, with real gradings")
    parser.add_argument("--save", type=Path, metavar="FILE", help="store the service times, for --measured")
    return parser


def _service_times(options: Namespace) -> ServiceTimes:
    if options.measure:
        return local_times.of_this_machine(EXERCISES, ROUNDS, lambda line: print(line, file=sys.stderr))
    if not options.from_site:
        return service_times.read(options.measured)
    with the_database():
        found = site_times.of_site()
    if found is None:
        raise CommandError("This site has not graded anything yet. --measure grades a few submissions here and now.")
    return found


def _simulate(options: Namespace, times: ServiceTimes) -> int:
    began, console = time.monotonic(), Console(file=sys.stdout, highlight=False, soft_wrap=True)
    arrivals = deadline_night(
        students=options.students, each=options.each, courses=options.courses, runs=options.runs,
        shares=[exercise.share for exercise in times.exercises], doubling=60.0 * options.doubling, random=Random(options.seed),
    )  # fmt: skip

    def report(workers: int, enough: bool) -> None:
        if options.verbose:
            print(f"{workers} workers: {'enough' if enough else 'too few'}", file=sys.stderr)

    fleet = Fleet(1, LEASE.total_seconds(), options.failures)
    try:
        fleet, result = smallest_fleet(arrivals, fleet, times, within=options.within, seed=options.seed, report=report)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    load = load_of(arrivals, result, fleet.workers, web_processes=options.webs, kilobytes=KILOBYTES)
    _print_assumptions(console, options, times, arrivals)
    _print_needs(console, options, fleet, result)
    _print_load(console, options, load)
    console.print(f"\nSimulated in {time.monotonic() - began:.0f} s; seed {options.seed} gives the same result again.")
    return 0


def _print_assumptions(console: Console, options: Namespace, times: ServiceTimes, arrivals: list[Arrival]) -> None:
    console.print(
        f"[bold]{options.students:,} students, {len(arrivals):,} pieces of work in the hour before the deadline[/]"
    )
    console.print(f"  Their rate doubles every {options.doubling} minutes: {len(arrivals) / HOUR:.0f}/s on average, "
                  f"{busiest_minute(arrivals):.0f}/s in the busiest minute")  # fmt: skip
    console.print(f"  Service times: {times.source}, {times.measured_at:%Y-%m-%d}, {times.cores} cores, "
                  f"load {times.load:.1f} per core")  # fmt: skip
    console.print(f"  A worker is busy for {1000 * times.mean_busy:.0f} ms on average, the verdict is stored after "
                  f"{1000 * times.mean_verdict:.0f} ms; a zygote or worker is warm after {times.warm_up:.1f} s")  # fmt: skip
    console.print(f"  A worker fails {options.failures:g} times per hour; its lease lasts {LEASE.total_seconds():g} s\n")


def _print_needs(console: Console, options: Namespace, fleet: Fleet, result: Result) -> None:
    machines = -(-fleet.workers // options.slots)
    console.print(f"[bold]Needed for 95% within {options.within} s[/]")
    console.print(f"  {fleet.workers} workers on {machines} machines of {options.slots} slots each")
    console.print(f"  verdict after {result.percentile(0.5):.2f} s (median), {result.percentile(0.95):.2f} s (p95), "
                  f"{result.percentile(1):.1f} s (longest); {result.deepest:,} waiting at most")  # fmt: skip
    share = result.busy / (fleet.workers * max(result.ended, 1.0))
    console.print(f"  workers busy {share:.0%} of the hour; {result.steps['zygote started']:,} zygotes replaced, "
                  f"{result.steps['worker died']} workers failed, {result.steps['taken back']} gradings repeated, "
                  f"{result.failed} failed\n")  # fmt: skip


def _print_load(console: Console, options: Namespace, load: PeakLoad) -> None:
    table = Table(
        box=None, pad_edge=False, header_style="bold", title="Database, in the busiest minute", title_justify="left"
    )
    table.add_column("step")
    table.add_column("per second", justify="right")
    table.add_column("statements each", justify="right")
    for name, rate in load.transactions.items():
        table.add_row(name, f"{rate:,.1f}", str(TRANSACTIONS[name].statements))
    console.print(table)
    console.print(f"  {sum(load.transactions.values()):,.0f} transactions a second, {load.writes:,.0f} of them write; "
                  f"{load.statements:,.0f} statements a second")  # fmt: skip
    console.print(f"  {load.stored_megabytes:,.0f} MB more are stored after this hour\n")
    console.print("[bold]Broker, in the busiest minute[/]")
    console.print(f"  {load.sent:,.0f} messages a second to it, {load.delivered:,.0f} from it to workers and "
                  f"{options.webs} web processes")  # fmt: skip


def _share(text: str) -> float:
    """An argparse type: a number from 0 to 100."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise ArgumentTypeError(f"'{text}' is not a number from 0 to 100")
    return value
