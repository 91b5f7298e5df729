"""A PostgreSQL database in another encoding than UTF8, where queries that sort names would fail, is refused at the start."""

import os
import subprocess
import sys
from pathlib import Path

from tests.servers import postgres_server

ROOT = Path(__file__).resolve().parents[2]


def test_no_site_is_made_in_a_database_without_utf8(tmp_path: Path) -> None:
    with postgres_server() as server:
        server.sql("create database other encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0")
        other = f"{server.url.removesuffix('/gradus')}/other"
        refused = run(other, tmp_path, "migrate", "--plan")
        assert refused.returncode == 1
        assert "The database other has the encoding LATIN1" in refused.stderr
        assert "createdb -E UTF8 -T template0 other" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert "The database other has the encoding LATIN1" in run(other, tmp_path, "up").stderr
        accepted = run(server.url, tmp_path, "migrate", "--plan")
        assert (accepted.returncode, accepted.stderr) == (0, "")


def run(url: str, data: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "manage.py", *arguments]
    environment = os.environ | {"DATABASE_URL": url, "GRADUS_DATA": str(data)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120)
