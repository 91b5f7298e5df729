"""`make bench-web`, `python -m bench.web [embedded|servers]...`: how fast the pages are, on real processes.

Queries and times with a large course stored, two hundred students who follow their results at once, from pressing Run to
the result on the screen of a real browser, and what a page weighs on the wire. Prints what was measured, also what missed.
"""

import asyncio
import gzip
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from statistics import median, quantiles
from typing import Any

from bench.engine import row
from bench.http import follow, get
from bench.large import COURSE, EXERCISES, STUDENTS, first_assignment, large_course
from tests.chaos import ROOT, Stack, stack
from tests.servers import wait_for

ASKED, READERS, PER_SECOND, ROUNDS = 120, 200, 25, 2
RUNS, RUNNERS = 10, 21  # a student may run twelve times in a minute; the first one's Runs are not counted
NAMES = {"embedded": "SQLite and a folder", "servers": "PostgreSQL and Redis"}


def main(kind: str) -> None:
    with stack(kind) as site:
        site.environment["GRADUS_STATIC"] = str(site.data / "static")
        os.environ.update(site.environment)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        print(f"{'web: ' + NAMES[kind]:<66} {'measured':>18} {'must reach':>16}")
        people = large_course(READERS, RUNNERS)
        site.start("web")
        wait_for(lambda: answers(site), "the site does not answer")
        slug = first_assignment()
        pages = {"course home": f"/c/{COURSE}/", "exercise": f"/c/{COURSE}/{slug}/"}
        for name, path in pages.items():
            queries(name, path, people[0])
        for name, path in pages.items():
            server_time(name, site.port, path, people)
        if site.redis is not None:
            following(site.port, slug, people[:READERS])
        site.start("worker")
        in_a_browser(site, pages, people[-RUNNERS:])


def answers(site: Stack) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{site.port}/sign-in/", timeout=5):
            return True
    except OSError:
        return False


# -- pages -------------------------------------------------------------------------------------------------------------


def queries(name: str, path: str, session: str) -> None:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(headers={"host": "127.0.0.1"})
    client.cookies["sessionid"] = session
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    row(f"queries, {name}", f"{len(captured)}", "under 30", len(captured) < 30)


def server_time(name: str, port: int, path: str, sessions: Sequence[str]) -> None:
    """From the last byte asked to the last byte answered, one after the other, over the loopback."""

    async def ask() -> list[float]:
        times = []
        for session in islice(cycle(sessions), ASKED + 5):
            begun = time.perf_counter()
            await get(port, path, session)
            times.append(1000 * (time.perf_counter() - begun))
        return times[5:]

    times = asyncio.run(ask())
    stored = f"{EXERCISES} exercises, {STUDENTS:,} students"
    row(f"{name}, {stored}: median", f"{median(times):.0f} ms", "under 50 ms", median(times) < 50)
    row(f"{name}, {stored}: 95 of 100", f"{late(times):.0f} ms", "under 150 ms", late(times) < 150)


def late(times: Sequence[float]) -> float:
    """What 95 of 100 stay under."""
    return quantiles(times, n=20)[-1]


# -- two hundred at once -----------------------------------------------------------------------------------------------


def following(port: int, slug: str, sessions: Sequence[str]) -> None:
    """Everybody's page hears of an event and asks for the outcome, as pages do; one web process answers them all."""
    numbers = _waiting(slug, len(sessions))
    delays = asyncio.run(_follow_all(port, list(zip(numbers, sessions, strict=True))))
    heard = f"{len(delays)} of {len(sessions) * ROUNDS}"
    row(f"{len(sessions)} follow results at once: events heard", heard, "all", len(delays) == len(sessions) * ROUNDS)
    if len(delays) > 1:
        found = 1000 * late(delays)
        row(f"{len(sessions)} follow results at once: delay, 95 of 100", f"{found:.0f} ms", "under 500 ms", found < 500)


def _waiting(slug: str, count: int) -> list[int]:
    """Submissions that wait for a worker that is not there yet, one of each student."""
    from autograder.courses.models import Course, User
    from autograder.submissions.handing_in.intake import submit
    from tests.cast import source_of

    course = Course.objects.get(slug=COURSE)
    users = {user.username: user for user in User.objects.filter(username__startswith="student-")}
    source = source_of("value-engine")
    return [submit(user=users[f"student-{n}"], course=course, assignment=slug, source=source).pk for n in range(count)]


async def _follow_all(port: int, readers: Sequence[tuple[int, str]]) -> list[float]:
    sent: dict[int, float] = {}
    delays: list[float] = []
    ready = asyncio.Semaphore(0)

    async def read(number: int, session: str) -> None:
        heard = 0
        async for name in follow(port, f"/s/{number}/events/", session):
            if name == "hello":
                ready.release()
            elif name == "check":
                delays.append(time.perf_counter() - sent[number])
                await get(port, f"/s/{number}/outcome/", session)
                heard += 1
            if heard == ROUNDS:
                return

    async def tell() -> None:
        from autograder.submissions.messages import events

        for _ in readers:
            await asyncio.wait_for(ready.acquire(), 30)
        await asyncio.sleep(1.0)  # the last of them may still be on its way to the ear that hears for all
        for _ in range(ROUNDS):
            for number, _session in readers:
                sent[number] = time.perf_counter()
                await asyncio.to_thread(events.tell, number, "check", title="x", passed=True, hidden=False)
                await asyncio.sleep(1 / PER_SECOND)

    reading = [asyncio.create_task(read(*reader)) for reader in readers]
    await tell()
    await asyncio.wait(reading, timeout=20)
    for task in reading:
        task.cancel()
    return delays


# -- a real browser ----------------------------------------------------------------------------------------------------

# Notes when the page hears that its result is there.
HEARS = """() => {
    const Stream = window.EventSource
    window.EventSource = class extends Stream {
        constructor(...given) {
            super(...given)
            for (const name of ["graded", "explained"])
                this.addEventListener(name, () => { window.heard ??= performance.timeOrigin + performance.now() })
        }
    }
}"""
PRESS_RUN = """() => new Promise((done) => {
    const now = () => performance.timeOrigin + performance.now()
    document.querySelector("#outcome").dataset.old = ""
    delete window.heard
    const pressed = now()
    const seen = new MutationObserver(() => {
        const heading = document.querySelector("#outcome:not([data-old]) #result h2")
        if (!heading?.textContent.includes("public checks pass")) return
        seen.disconnect()
        requestAnimationFrame(() => done([pressed, window.heard ?? now(), now()]))
    })
    seen.observe(document.body, { subtree: true, childList: true })
    document.querySelector("#send-run").click()
})"""
STAGES = ("request", "wait", "grade", "store", "event", "render")


def in_a_browser(site: Stack, pages: dict[str, str], sessions: Sequence[str]) -> None:
    from tests.cast import source_of

    text = source_of("value-engine").decode()
    with browsing(site, sessions[0]) as page:
        for name, most in (("course home", 100), ("exercise", 400)):
            weight(name, page, site, pages[name], most)
    _drained()
    runs: list[tuple[float, ...]] = []
    fallbacks = 0
    for warm_up, session in enumerate(sessions):
        with browsing(site, session) as page:
            page.add_init_script(f"({HEARS})()")
            page.goto(pages["exercise"])
            page.locator(".cm-content").fill(text)
            seen = [_run(page) for _ in range(RUNS)]
            fallbacks += int(page.locator("body").get_attribute("data-fallbacks") or 0)
        if warm_up:
            runs += map(_stages, seen, _graded(RUNS))
    totals = [sum(stages) for stages in runs]
    count = f"from pressing Run to the result, {len(runs)} Runs"
    row(f"{count}: median", f"{median(totals):.0f} ms", "under 150 ms", median(totals) < 150)
    row(f"{count}: 95 of 100", f"{late(totals):.0f} ms", "under 400 ms", late(totals) < 400)
    for name, times in zip(STAGES, zip(*runs, strict=True), strict=True):
        row(f"  {name}: median, 95 of 100", f"{median(times):.0f}, {late(times):.0f} ms", "", True)
    row(f"{count}: found by fallback", f"{fallbacks}", "0", fallbacks == 0)


def _run(page: Any) -> list[float]:
    """Press Run; the one before is explained by now, so that what comes is this one's."""
    page.locator("#outcome:not([data-events])").wait_for()
    return list(page.evaluate(PRESS_RUN))


def _stages(seen: Sequence[float], graded: tuple[float, float, float, float]) -> tuple[float, ...]:
    """Milliseconds in each of `STAGES`, of what a browser and the database noted. Both have the same clock."""
    (pressed, heard, shown), (submitted, claimed, seconds, stored) = seen, graded
    return (submitted - pressed, claimed - submitted, seconds, stored - claimed - seconds, heard - stored, shown - heard)


def _graded(count: int) -> list[tuple[float, float, float, float]]:
    """Of the newest Runs: when it was stored, when claimed, how long it was graded and when its verdict was stored."""
    from autograder.submissions.models import Grading

    columns = ("submission__submitted_at", "work__started_at", "seconds", "graded_at")
    newest: Any = Grading.objects.order_by("-pk").values_list(*columns)[:count]
    return [
        (1000 * submitted.timestamp(), 1000 * claimed.timestamp(), 1000 * seconds, 1000 * stored.timestamp())
        for submitted, claimed, seconds, stored in reversed(newest)
    ]


def _drained() -> None:
    """Idle and warm: nobody waits any more."""
    from autograder.submissions.models import Work

    wait_for(lambda: not Work.objects.filter(state__in=("queued", "running")).exists(), "the queue is not empty")


@contextmanager
def browsing(site: Stack, session: str) -> Iterator[Any]:
    """In a process of its own loop: Django takes a running browser for asynchronous code, which may not ask a database."""
    from tests.browser import chromium, patient

    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    home = f"http://127.0.0.1:{site.port}"
    with chromium() as browser:
        context = patient(browser.new_context(base_url=home))
        context.add_cookies([{"name": "sessionid", "value": session, "url": home}])
        yield context.new_page()


def weight(name: str, page: Any, site: Stack, path: str, most: int) -> None:
    """Everything that a first visit fetches, as it travels."""
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(path)
    page.wait_for_load_state("load")
    cookie = "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies())
    home = f"http://127.0.0.1:{site.port}/"
    total = sum(_travels(url, cookie) for url in fetched if url.startswith(home) and not url.endswith("/events/"))
    row(f"weight of {name}, {len(fetched)} files", f"{total / 1000:.0f} kB", f"under {most} kB", total < most * 1000)


def _travels(url: str, cookie: str) -> int:
    """Compressed; a page itself is compressed by the server in front, if at all, and counted so."""
    request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip", "Cookie": cookie})
    with urllib.request.urlopen(request, timeout=20) as answer:
        body = answer.read()
        page = answer.headers["Content-Type"].startswith("text/html") and not answer.headers["Content-Encoding"]
    return len(gzip.compress(body)) if page else len(body)


if __name__ == "__main__":
    kinds = sys.argv[1:] or list(NAMES)
    if len(kinds) == 1:
        main(kinds[0])
    else:
        for one in kinds:  # each in a process of its own: settings are read once
            subprocess.run([sys.executable, "-m", "bench.web", one], cwd=ROOT, check=True)
