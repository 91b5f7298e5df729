"""The web process never imports torch, whatever page it serves."""

import subprocess
import sys
from pathlib import Path

from tests.at_once import ROOT

SERVE = """
import os, sys
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from autograder.library.versions import load_folders
from autograder.judge.pack import find
from tests.cast import Cast
cast = Cast("value-engine")
submission = cast.hands_in("ada", b"x = 1")
from autograder.submissions import regrades
from autograder.submissions.scratch.intake import scratch_ask
run = scratch_ask(assignment=cast.assignment, membership=submission.membership, source=b"x = 1", calls=b"x")
batch = regrades.start(course=cast.course, by=cast.staff, reason="A check was wrong.")
from autograder.authoring import drafts
drafts.start(cast.course, "vjp", "a-draft", "A draft", "Own", by=cast.staff)
torch = [name for name in sys.modules if name.partition(".")[0] == "torch"]
assert not torch, f"already by its preparation: {torch[:3]}"

import autograder.asgi
from django.test import Client
from tests.web.addresses import address, names
browser = Client(SERVER_NAME="localhost", headers={"host": "localhost"})
given = {"exercise": "value-engine", "course": cast.course.slug,
         "assignment": cast.assignment.slug, "number": submission.pk, "check": "example",
         "run": run.pk, "member": submission.membership_id, "batch": batch.pk, "token": "nobody-has-it",
         "unit": "scalar-engine", "code": "none", "guide": "student", "draft": "a-draft", "version": 1, "question": 1}
served = 0
for somebody in (None, cast.student("ada"), cast.owner):
    for name in names():
        if somebody:
            browser.force_login(somebody)
        for answer in (
            browser.get(address(name, **given)),
            browser.post(address(name, **given), {"kind": "submit", "source": "x = 2", "calls": "x", "seen": "0"}),
        ):
            assert answer.status_code < 500, (name, answer.status_code)
            served += answer.status_code == 200
for page in ("/admin/login/", "/nowhere/"):
    browser.get(page)
torch = [name for name in sys.modules if name.partition(".")[0] == "torch"]
print(served, "torch" if torch else "light")
"""


def test_no_page_brings_torch_with_it(tmp_path: Path) -> None:
    environment = {
        "PATH": "/usr/bin:/bin",
        "DJANGO_SETTINGS_MODULE": "autograder.settings",
        "GRADUS_DATA": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'gradus.sqlite3'}",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", SERVE], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    served, weight = done.stdout.split()
    assert weight == "light"
    assert int(served) > 12
