"""What is tried beside an editor is deleted after an hour. A backup, which is kept for longer, never holds it."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.backup.conftest import KINDS
from tests.backup.sites import Site


@pytest.mark.parametrize("kind", KINDS)
def test_scratch_runs_are_in_no_backup(kind: str, full_sites: Callable[[str], Site], saved: Callable[[str], Path]) -> None:
    count = "from autograder.submissions.models import ScratchRun; print(ScratchRun.objects.count())"
    assert full_sites(kind).manage("shell", "--no-imports", "-c", count).split() == ["1"]
    with zipfile.ZipFile(saved(kind)) as archive:
        names = archive.namelist()
    assert any("submissions.Submission" in name for name in names)
    assert not any("ScratchRun" in name for name in names)
