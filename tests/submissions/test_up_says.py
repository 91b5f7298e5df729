"""What `manage.py up` prints before the site runs: on a busy machine each of its steps takes a while."""

import io

import pytest
from django.core.management import call_command

from autograder.submissions.management.commands import up

pytestmark = pytest.mark.django_db


def test_a_step_is_named_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = io.StringIO()
    begun = []

    def begin(step: str, **_: object) -> list[object]:
        begun.append((step, printed.getvalue().splitlines()[-1]))
        return []

    monkeypatch.setattr(up, "call_command", begin)
    monkeypatch.setattr(up, "load_all", lambda: begin("load"))
    monkeypatch.setattr(up, "supervise", lambda parts: begin(f"run {parts[0].name}"))
    call_command("up", stdout=printed)
    assert begun[:3] == [
        ("migrate", "Preparing the database"),
        ("collectstatic", "Preparing the database"),
        ("load", "Loading the exercises"),
    ]
    step, line = begun[3]
    assert step == "run web" and line.endswith("Running at http://127.0.0.1:8000/ (press Ctrl-C to stop)")
