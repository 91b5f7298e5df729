"""`/healthz` and `/readyz`: without a login, with cause and remedy, and without secrets."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from autograder.web.monitoring import dependencies
from tests.conftest import EXERCISES
from tests.servers import free_port, postgres_server, redis_server

pytestmark = pytest.mark.django_db
FINE = {"database": "ok", "schema": "ok", "broker": "ok"}


@pytest.fixture(autouse=True)
def asked_anew() -> None:
    dependencies.forget()


def ready() -> tuple[int, dict[str, str]]:
    dependencies.forget()
    response = Client().get("/readyz")
    found: dict[str, str] = json.loads(response.content)
    assert response.content.decode().count("\n") == len(found) + 2, "a line for each part"
    return response.status_code, found


def test_a_process_that_answers_is_alive_and_asks_nobody() -> None:
    with CaptureQueriesContext(connection) as queries:
        response = Client().get("/healthz")
    assert (response.status_code, response.content, len(queries)) == (200, b"alive\n", 0)
    assert "no-store" in response["Cache-Control"]


def test_everything_there_is_ready() -> None:
    assert ready() == (200, FINE)


def test_a_migration_that_is_missing_is_counted_and_its_cure_named() -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("submissions", "0006_explained_at")
    status, found = ready()
    assert status == 503
    assert found == FINE | {"schema": "1 migration is not applied. Run manage.py migrate."}


def test_a_database_that_is_ahead_is_ready() -> None:
    """During a deployment, old web processes use the new tables."""
    MigrationRecorder(connection).record_applied("submissions", "9999_of_tomorrow")
    assert ready() == (200, FINE)


def test_a_database_that_cannot_be_used_is_told_without_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(_: object) -> None:
        raise OperationalError('password authentication failed for user "gradus" at 10.0.0.7')

    monkeypatch.setattr(MigrationRecorder, "applied_migrations", refuses)
    status, found = ready()
    assert status == 503
    assert found["database"].startswith(
        "unavailable (OperationalError). Check that it is running and that DATABASE_URL is correct."
    )
    assert found["schema"] == "unknown while the database is unreachable"
    assert "10.0.0.7" not in json.dumps(found)


def test_redis_is_asked_where_it_is_the_broker(settings: Settings) -> None:
    settings.BROKER_URL = f"redis://user:a-secret@127.0.0.1:{free_port()}/0"
    status, found = ready()
    assert status == 503
    assert found["broker"].startswith(
        "unavailable (ConnectionError). Check that Redis is running and that GRADUS_BROKER_URL is correct."
    )
    assert "a-secret" not in json.dumps(found)
    with redis_server() as server:
        settings.BROKER_URL = server.url
        assert ready() == (200, FINE)


def test_a_broker_that_is_frozen_is_late(settings: Settings) -> None:
    with redis_server() as server:
        settings.BROKER_URL = server.url
        assert server.process is not None
        server.process.send_signal(signal.SIGSTOP)
        status, found = ready()
        server.process.send_signal(signal.SIGCONT)
    assert (status, found["broker"].partition(".")[0]) == (503, "unavailable (TimeoutError)")


def test_an_answer_is_given_again_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependencies, "FRESH", 3600.0)
    assert Client().get("/readyz").status_code == 200
    with CaptureQueriesContext(connection) as queries:
        assert Client().get("/readyz").status_code == 200
    assert not queries
    dependencies.forget()


ASK = """
import django
django.setup()
from autograder.web.monitoring.dependencies import dependencies_now
print("asking", flush=True)
input()
print({part.name: part.words for part in dependencies_now()})
"""


def test_a_database_that_is_frozen_is_late_and_nobody_waits_for_it(tmp_path: Path) -> None:
    """In a separate process, because the check is abandoned on its thread."""
    with postgres_server() as server:
        environment = {**os.environ, "DATABASE_URL": server.url, "GRADUS_DATA": str(tmp_path)}
        environment["DJANGO_SETTINGS_MODULE"] = "autograder.settings"
        asking = subprocess.Popen(
            [sys.executable, "-c", ASK], cwd=EXERCISES.parent, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert asking.stdout is not None
        assert asking.stdout.readline() == "asking\n"
        postmaster = int((server.folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        os.kill(postmaster, signal.SIGSTOP)
        try:
            said, _ = asking.communicate("\n", timeout=600)
        finally:
            os.kill(postmaster, signal.SIGCONT)
    assert "'database': 'no response within 2 s. Check that it is running and reachable.'" in said
    assert "'schema': 'unknown while" in said
