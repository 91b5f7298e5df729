"""`python -m bench.gradebook [embedded|servers]...`: a thousand students by sixty assignments, twice graded each.

The pages as a browser gets them from a real web process, to the first byte and to the last; the sheet below them, and what
is exported of it. Prints what was measured, also what missed, and how busy the machine was.
"""

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import replace
from statistics import median
from typing import Any

from bench.engine import row
from bench.http import timed
from tests.chaos import ROOT, stack
from tests.servers import wait_for

FIRST, WHOLE, EXPORT = 0.3, 1.0, 3.0  # seconds
QUERIES = 40
ASKED = 7
NAMES = {"embedded": "SQLite and a folder", "servers": "PostgreSQL and Redis"}
PAGES = {
    "by name": "gradebook/",
    "by name, a row open": "gradebook/?open={member}",
    "by total": "gradebook/?sort=-total",
    "by total, page ten": "gradebook/?sort=total&page=10",
}


def main(kind: str) -> None:
    with stack(kind) as site:
        os.environ.update(site.environment)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        from bench.large import session_of
        from bench.web import answers
        from tests.gradebook.large import large_course

        course = large_course(real_sizes=True)
        session = session_of(_owner_of(course))
        _take_stock()
        site.start("web")
        wait_for(lambda: answers(site), "the site does not answer")
        print(f"{'1,000 x 60: ' + NAMES[kind]:<66} {'measured':>18} {'must reach':>16}")
        print(f"  load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        pages(site.port, session, course)
        sheet(course)


def _owner_of(course: Any) -> Any:
    from autograder.courses.models import Membership, User

    owner = User.objects.create_user("grace")
    Membership.objects.create(course=course, user=owner, role="owner")
    return owner


def _take_stock() -> None:
    """What PostgreSQL does by itself while a term goes by; here everything came within seconds."""
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")


def pages(port: int, session: str, course: Any) -> None:
    member = course.memberships.filter(role="student").first().pk
    base = f"/t/{course.slug}/"
    for name, path in PAGES.items():
        where = base + path.format(member=member)
        first, whole = _times(port, where, session)
        row(f"gradebook {name}: first byte (median of {ASKED})", f"{1000 * first:.0f} ms", "under 300 ms", first < FIRST)
        row(f"gradebook {name}: all of it", f"{1000 * whole:.0f} ms", "under 1 s", whole < WHOLE)
        asked = _queries(where, session)
        row(f"gradebook {name}: queries", str(asked), f"under {QUERIES}", asked < QUERIES)
    _, whole = _times(port, base, session)
    row("overview, the matrix of all: all of it", f"{1000 * whole:.0f} ms", "under 1 s", whole < WHOLE)


def _times(port: int, where: str, session: str) -> tuple[float, float]:
    async def ask() -> list[tuple[float, float]]:
        return [await timed(port, where, session) for _ in range(ASKED + 2)]

    first, whole = zip(*asyncio.run(ask())[2:], strict=True)
    return median(first), median(whole)


def _queries(where: str, session: str) -> int:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(headers={"host": "127.0.0.1"})
    client.cookies["sessionid"] = session
    with CaptureQueriesContext(connection) as captured:
        assert client.get(where).getvalue()
    return len(captured)


def sheet(course: Any) -> None:
    """In this process, by its own clock: what others do on the machine is not counted."""
    from autograder.gradebook.exports import EXPORTS
    from autograder.gradebook.grades.sheet import sheet_of
    from tests.gradebook.exports.cast import ONEROSTER
    from tests.gradebook.exports.test_sizes import downloaded

    sheet_of(course)  # what is made once is made
    began = time.process_time()
    found = sheet_of(course)
    read = time.process_time() - began
    row("the sheet, from 120,000 gradings: processor time", f"{read:.2f} s", f"under {WHOLE:g} s", read < WHOLE)
    options = replace(ONEROSTER, template=downloaded(found))
    for name, to in EXPORTS.items():
        began = time.process_time()
        assert not to.unmatched(found, options)
        to.refuse(found, options)
        to.write(found, options)
        took = read + time.process_time() - began
        row(f"export for {name}, with the sheet: processor time", f"{took:.2f} s", f"under {EXPORT:g} s", took < EXPORT)


if __name__ == "__main__":
    kinds = sys.argv[1:] or list(NAMES)
    if len(kinds) == 1:
        main(kinds[0])
    else:
        for one in kinds:  # each in a process of its own: settings are read once
            subprocess.run([sys.executable, "-m", "bench.gradebook", one], cwd=ROOT, check=True)
