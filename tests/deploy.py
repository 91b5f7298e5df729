"""`python -m tests.deploy [--stack embedded|servers]`: a new version of the workers takes over from an old one.

The old version is a copy of the code with another version number that does not know one table of `exercise.toml`.
Students submit throughout; the old worker is stopped in the middle of a grading. Prints the results. Exits with 1 if a
submission was not graded exactly once, at the first attempt, by a worker that supports its exercise.
"""

import argparse
import os
import re
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

from tests.chaos import ROOT, SLOWLY, Stack, grading, stack
from tests.servers import wait_for

OLD = "0.0.1"
READ_BY_BOTH, READ_BY_NEW = "value-engine", "value-deep"
UNKNOWN_TO_OLD = re.compile(r"^    messages: .*\n", re.MULTILINE)
ITS_TABLES = re.compile(r"^\[messages\b.*?(?=^\[(?!messages\b)|\Z)", re.MULTILINE | re.DOTALL)
EACH, PAUSE = 12, 0.1  # submissions in each phase, and seconds between two
SECONDS = 600.0


def old_checkout(folder: Path) -> Path:
    """Create a copy of the code with an older version number that does not know one table of `exercise.toml`."""
    for part in ("autograder", "sandbox"):
        shutil.copytree(ROOT / part, folder / part)  # with the compiled files: their times are kept, so they remain valid
    shutil.copy(ROOT / "manage.py", folder)
    about, pack = folder / "autograder/__init__.py", folder / "autograder/judge/pack.py"
    about.write_text(re.sub(r'__version__ = ".*"', f'__version__ = "{OLD}"', about.read_text()))
    before = pack.read_text()
    pack.write_text(UNKNOWN_TO_OLD.sub("", before))
    assert pack.read_text() != before
    for settings in (folder / "autograder/prove/templates").glob("*/exercise.toml"):  # its own exercises, which it can read
        settings.write_text(ITS_TABLES.sub("", settings.read_text()))
    return folder


def run(kind: str) -> bool:
    with stack(kind, lease=120) as site:
        os.environ.update(site.environment)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        sent = acts(site, f"worker of {OLD}", old_checkout(site.data / "old"))
        return judge(sent)


def acts(site: Stack, old: str, checkout: Path) -> list[int]:
    """Submit in four phases: old worker only, both workers, old worker shutting down while it grades, new worker only."""
    from tests.cast import Cast, source_of

    cast = Cast(READ_BY_BOTH)
    assignments = [cast.assignment, cast.assign(READ_BY_NEW)]
    sent: list[int] = []

    def hand_in(slug: str) -> None:
        time.sleep(PAUSE)
        cast.assignment = assignments[slug == READ_BY_NEW]
        sent.append(cast.hands_in(f"student-{len(sent)}", source_of(slug) + SLOWLY).pk)

    site.start(old, checkout)
    site.start("scheduler")
    wait_for(lambda: _alive(OLD) == 2, "the old worker does not grade")
    for _ in range(EACH):
        hand_in(READ_BY_BOTH)
    site.start("worker")
    wait_for(lambda: _alive() == 4, "the new worker does not grade")
    for n in range(EACH):
        hand_in((READ_BY_BOTH, READ_BY_NEW)[n % 2])
    deadline = time.monotonic() + SECONDS
    while not grading(site, old) and time.monotonic() < deadline:
        hand_in(READ_BY_BOTH)
    site.parts[old].terminate()
    while site.parts[old].poll() is None:
        hand_in(READ_BY_BOTH)
    for n in range(EACH):
        hand_in((READ_BY_BOTH, READ_BY_NEW)[n % 2])
    wait_for(_nothing_waits, "work is left")
    return sent


def _alive(*versions: str) -> int:
    from autograder.submissions.selectors import living_workers

    found = living_workers()
    return (found.filter(version__in=versions) if versions else found).count()


def _nothing_waits() -> bool:
    from autograder.submissions.models import Work

    return not Work.objects.filter(ended_at=None).exists()


def judge(sent: list[int]) -> bool:
    """Check which version graded each submission, and how often."""
    from autograder.submissions.models import Grading, Work

    found = list(
        Grading.objects.filter(submission__in=sent).values_list("submission", "judge_version", "version__exercise__slug")
    )
    by = Counter((slug, "old" if version == OLD else "new") for _, version, slug in found)
    times = Counter(submission for submission, _, _ in found)
    once = sum(times[submission] == 1 for submission in sent)
    again = Work.objects.exclude(tries=1).count()
    passed = Grading.objects.filter(verdict="passed", current=True).count()
    print(f"{len(sent)} submissions, graded once: {once}, passed: {passed}, tried more than once: {again}")
    for (slug, who), number in sorted(by.items()):
        print(f"  {slug} by the {who} version: {number}")
    shared = by[READ_BY_BOTH, "old"] and by[READ_BY_BOTH, "new"]
    return bool(shared and once == passed == len(sent) and not again and not by[READ_BY_NEW, "old"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stack", choices=("embedded", "servers"), default="embedded")
    sys.exit(0 if run(parser.parse_args().stack) else 1)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    main()
