"""Runs actions in several processes at the same moment, each with its own database connection.

`Crowd(environment)` manages the processes. Run as a module, this file is their parent: it imports the site once and forks
a process for every connection to its socket. Each reads an action, reports that it is ready, waits for the signal, acts
and answers with the result, until the connection ends.
"""

import json
import os
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 600.0  # seconds; a process without an answer after that is considered hung


class Crowd:
    """Processes with the settings of one site, started on demand and kept until the crowd is closed."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = {**os.environ, **environment}
        self._opened = ExitStack()
        self._members: list[Member] = []
        self._door = ""

    def __enter__(self) -> "Crowd":
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def at_once(
        self,
        action: str,
        calls: Sequence[Sequence[object]],
        also: Sequence[tuple[str, Sequence[object]]] = (),
    ) -> list[Any]:
        """Run the action in one process per call, with its arguments, and return the results. `also` adds other actions
        with theirs.
        """
        deeds = [*((action, call) for call in calls), *also]
        while len(self._members) < len(deeds):
            self._members.append(self._start())
        acting = self._members[: len(deeds)]
        for member, (deed, arguments) in zip(acting, deeds, strict=True):
            member.tell(json.dumps([deed, *map(str, arguments)]))
        for member in acting:
            assert member.answer() == "ready"
        for member in acting:
            member.tell("now")
        found = [json.loads(member.answer()) for member in acting]
        trouble = [each["trouble"] for each in found if "trouble" in each]
        assert not trouble, "\n".join(trouble)
        return [each["found"] for each in found]

    def python(self, code: str) -> str:
        """Run Python code inside the site and return its output."""
        (printed,) = self.at_once("python", [(code,)])
        return str(printed)

    def _start(self) -> "Member":
        if not self._members:
            self._start_parent()
        member = Member(self._door)
        self._opened.callback(member.close)
        return member

    def _start_parent(self) -> None:
        self._door = str(Path(self._opened.enter_context(tempfile.TemporaryDirectory())) / "door")
        parent = subprocess.Popen(
            [sys.executable, "-m", "tests.at_once", self._door],
            cwd=ROOT,
            env=self._environment,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._opened.callback(_end, parent)
        assert parent.stdout is not None
        assert parent.stdout.readline() == "open\n", f"no process can be forked: {parent.wait()}"


class Member:
    """The test's end of the connection to one process."""

    def __init__(self, door: str) -> None:
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.settimeout(PATIENCE)
        self._connection.connect(door)
        self._lines = self._connection.makefile("r")

    def tell(self, line: str) -> None:
        self._connection.sendall(f"{line}\n".encode())

    def answer(self) -> str:
        line = self._lines.readline()
        assert line, "a process ended without an answer"
        return line.rstrip("\n")

    def close(self) -> None:
        self._lines.close()
        self._connection.close()


def _end(parent: "subprocess.Popen[str]") -> None:
    """The parent and all that it has forked."""
    os.killpg(parent.pid, signal.SIGKILL)
    parent.wait()
    assert parent.stdout is not None
    parent.stdout.close()


def claim() -> list[int]:
    """Claim until the queue is empty, with a pause after each so that other processes get a turn on few cores."""
    from autograder.submissions.work import queue

    mine = []
    while (claimed := queue.claim(f"worker {os.getpid()}")) is not None:
        mine.append(claimed.pk)
        time.sleep(0.005)
    return mine


def finish(work_id: str, token: str) -> bool:
    """Store a report, as a grader does."""
    from autograder.judge.report import Report
    from autograder.submissions.grader import store
    from autograder.submissions.work.leases import Claim
    from autograder.submissions.work.work_item import work_item_of

    report = Report(
        *("value-engine", "0" * 16, "passed", None, "", 10.0, 10.0, 0.1, 1, (), "", "python", "none", "test"),
    )
    return store(work_item_of(Claim(int(work_id), token)), report, f"worker {os.getpid()}") is not None


def commit(batch_id: str) -> str:
    from autograder.courses.errors import Refused
    from autograder.gradebook.regrades import regrading
    from autograder.submissions.models import Batch

    batch = Batch.objects.select_related("created_by", "course").get(pk=batch_id)
    try:
        return f"changed {len(regrading.commit(batch, by=_who_asked(batch), lower=batch.may_lower))}"
    except Refused as refusal:
        return refusal.message


def _who_asked(batch: Any) -> Any:
    from autograder.courses.selectors import member_of

    return member_of(batch.created_by, batch.course)


def hand_out(course: str) -> dict[str, str]:
    """Create first passwords and return them by login."""
    from autograder.courses.accounts.first_passwords import first_passwords_create
    from autograder.courses.models import Course
    from autograder.courses.rights import OPERATOR

    handed = first_passwords_create(course=Course.objects.get(slug=course), by=OPERATOR)
    return {one.membership.user.username: one.password for one in handed}


def take_back(batch_id: str) -> str:
    from autograder.courses.errors import Refused
    from autograder.gradebook.regrades.regrade_undo import undo
    from autograder.submissions.models import Batch

    batch = Batch.objects.select_related("created_by", "course").get(pk=batch_id)
    try:
        return f"back {len(undo(batch, by=_who_asked(batch), reason='a slip'))}"
    except Refused as refusal:
        return refusal.message


def lay_out(slug: str, content: str, archive: str) -> str:
    from autograder.library.models import Exercise, ExerciseVersion
    from autograder.library.versions import folder_of

    return str(folder_of(ExerciseVersion(exercise=Exercise(slug=slug), hash=content, archive=Path(archive).read_bytes())))


def press(login: str, where: str) -> list[Any]:
    """Submit the form of the exercise page, as a browser does."""
    from django.test import Client

    from autograder.courses.models import User

    browser = Client(SERVER_NAME="localhost")
    browser.force_login(User.objects.get(username=login))
    answer = browser.post(where, {"kind": "submit", "source": "x = 1", "once": "press"})
    return [answer.status_code, answer.get("Location", "")]


def ask(times: str, at_once: str) -> int:
    """Return how many of the requests were allowed."""
    from autograder.courses.errors import TooOften
    from autograder.web import rate_limits

    let = 0
    for _ in range(int(times)):
        try:
            rate_limits._take(rate_limits.Rate(int(at_once), 0.001), "key", "No.")
            let += 1
        except TooOften:
            pass
    return let


def guess(name: str, times: str) -> int:
    """Return how many of the passwords were checked, with the clock stopped."""
    from types import SimpleNamespace

    from django.test import RequestFactory
    from django.utils import timezone

    from autograder.courses.errors import TooOften
    from autograder.web.accounts import login_throttle

    moment = timezone.now().replace(minute=0, second=0, microsecond=0)
    usual, login_throttle.timezone = login_throttle.timezone, SimpleNamespace(now=lambda: moment)  # type: ignore[assignment, attr-defined]
    request, looked = RequestFactory().get("/", REMOTE_ADDR="203.0.113.9"), 0
    for _ in range(int(times)):
        try:
            login_throttle.begin(request, None, name).was_wrong()
            looked += 1
        except TooOften:
            pass
    login_throttle.timezone = usual  # type: ignore[attr-defined]
    return looked


def sign_in(name: str, seconds: str) -> bool:
    """Return whether the login throttle allowed the password. Hashing it takes this many seconds."""
    from django.test import RequestFactory

    from autograder.courses.errors import TooOften
    from autograder.web.accounts import login_throttle

    try:
        attempt = login_throttle.begin(RequestFactory().get("/", REMOTE_ADDR="203.0.113.9"), None, name)
    except TooOften:
        return False
    time.sleep(float(seconds))
    attempt.was_right()
    return True


def reset(token: str, password: str) -> bool:
    """Return whether the link was still valid."""
    from autograder.courses.accounts.reset_links import password_reset
    from autograder.courses.errors import Refused

    try:
        password_reset(token=token, password=password)
    except Refused:
        return False
    return True


def correct(login: str, email: str) -> bool:
    """Change the email address as an operator. Returns whether that was possible."""
    from autograder.courses.accounts.services import account_correct
    from autograder.courses.errors import Refused
    from autograder.courses.models import Membership
    from autograder.courses.rights import OPERATOR

    member = Membership.objects.select_related("user", "course").get(user__username=login)
    try:
        account_correct(membership=member, by=OPERATOR, first_name="", last_name="", email=email)
    except Refused:
        return False
    return True


def accept(token: str, login: str) -> str:
    """Accept an invitation with an existing account. Returns the username or the error."""
    from autograder.courses.errors import Refused
    from autograder.courses.models import User
    from autograder.courses.people.joining import invitation_accept

    try:
        return str(invitation_accept(token=token, user=User.objects.get(username=login)).user)
    except Refused as refusal:
        return refusal.message


def register(token: str, email: str) -> str:
    """Accept an invitation with a new account. Returns the username or the error."""
    from autograder.courses.errors import Refused
    from autograder.courses.people.joining import invitation_register

    try:
        return str(invitation_register(token=token, email=email, name="Ada", password="gradients flow back").user)
    except Refused as refusal:
        return refusal.message


def import_roster(text: str) -> str:
    """Import the roster and return a summary or the error."""
    from autograder.courses.errors import Refused
    from autograder.courses.importers.roster import roster_import, roster_preview
    from autograder.courses.importers.rows import RowStatus
    from autograder.courses.models import Course
    from autograder.courses.rights import OPERATOR

    try:
        done = roster_import(preview=roster_preview(text.encode(), Course.objects.get()), by=OPERATOR)
    except Refused as refusal:
        return refusal.message
    return f"{done.counts[RowStatus.NEW]} new"


def python(code: str) -> str:
    """Run the code and return its output."""
    printed = StringIO()
    with redirect_stdout(printed):
        exec(code, {})
    return printed.getvalue()


ACTIONS: dict[str, Callable[..., Any]] = {
    "claim": claim,
    "finish": finish,
    "commit": commit,
    "hand_out": hand_out,
    "take_back": take_back,
    "lay_out": lay_out,
    "press": press,
    "ask": ask,
    "guess": guess,
    "sign_in": sign_in,
    "reset": reset,
    "correct": correct,
    "accept": accept,
    "import_roster": import_roster,
    "register": register,
    "python": python,
}


def outcome(deed: str, arguments: Iterable[str]) -> dict[str, Any]:
    try:
        return {"found": ACTIONS[deed](*arguments)}
    except BaseException:
        return {"trouble": traceback.format_exc()}


class Acting(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        from django.db import connection

        for line in self.rfile:
            deed, *arguments = json.loads(line)
            if deed != "python":  # such code may create the tables
                connection.ensure_connection()
            self._say("ready")
            self.rfile.readline()
            self._say(json.dumps(outcome(deed, arguments)))

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\n".encode())


class Parent(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    max_children = request_queue_size = 1_000

    def service_actions(self) -> None:
        super().service_actions()
        if os.getppid() == 1:  # the test that started it was killed
            sys.exit()


def main() -> None:
    import django

    django.setup()
    from autograder.gradebook.regrades import regrading  # noqa: F401 - what most of the processes use
    from autograder.submissions import grader  # noqa: F401

    with Parent(sys.argv[1], Acting) as parent:
        print("open", flush=True)
        parent.serve_forever()


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    main()
