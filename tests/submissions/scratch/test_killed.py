"""If a worker is killed during a scratch run, another one repeats the run and the student gets the answer."""

from pathlib import Path

import pytest

from tests.servers import wait_for
from tests.site import Site, running_site

pytestmark = pytest.mark.slow
DJANGO = "import os, django; os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'autograder.settings'); django.setup()\n"
ASK = """
from autograder.courses.models import Assignment, Membership
from autograder.submissions.scratch.intake import scratch_ask
found = Assignment.objects.select_related("course").get()
scratch_ask(assignment=found, membership=Membership.objects.get(), source=b"x = 1", calls=b"import time; time.sleep(3); x + 1")
"""
# One process checks and kills: starting a second one would take longer than the calls run.
KILL = """
import signal, time
from autograder.submissions.models import ScratchRun
while (run := ScratchRun.objects.get()).state != "running":
    time.sleep(0.02)
worker = run.worker.rpartition(":")[2]
os.kill(int(worker), signal.SIGKILL)
print(worker)
"""
LOOK = """
from autograder.submissions.models import ScratchRun
run = ScratchRun.objects.get()
print(run.state, run.tries, run.worker.rpartition(":")[2] or 0, run.answer.get("value"))
"""


def look(site: Site) -> list[str]:
    return site.python("-c", DJANGO + LOOK).split()


def test_it_is_run_again_by_another_worker(tmp_path: Path) -> None:
    with running_site(tmp_path, "--workers", "2", GRADUS_LEASE_SECONDS="5") as site:
        site.manage("createsuperuser", "--noinput", "--username", "grace", "--email", "grace@example.org")
        site.manage("course", "create", "autodiff", "--title", "Autodiff", "--owner", "grace")
        site.manage("course", "assign", "autodiff", "value-engine")
        site.python("-c", DJANGO + ASK)
        killed = site.python("-c", DJANGO + KILL).strip()
        wait_for(lambda: look(site)[0] == "done", "nobody runs it again")
        state, tries, worker, value = look(site)
    assert (state, tries, value) == ("done", "2", "2")
    assert worker != killed
