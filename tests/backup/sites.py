"""Sites as an operator has them: a database and a folder each, and commands that run in processes of their own."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.processes import run
from tests.servers import Postgres

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    error: str


@dataclass(frozen=True)
class Site:
    data: Path
    database: str

    @property
    def environment(self) -> dict[str, str]:
        rest = {key: value for key, value in os.environ.items() if not key.startswith(("GRADUS_", "DATABASE_URL"))}
        ours = {"GRADUS_DATA": str(self.data), "GRADUS_CACHE": str(self.data / "cache"), "DATABASE_URL": self.database}
        return rest | ours | {"DJANGO_SETTINGS_MODULE": "autograder.settings"}

    def begin(self, *arguments: str, stdout: int = subprocess.PIPE) -> "subprocess.Popen[str]":
        command = [sys.executable, *arguments]
        pipes = {"stdin": subprocess.PIPE, "stdout": stdout, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, cwd=ROOT, env=self.environment, text=True, **pipes)  # type: ignore[call-overload,no-any-return]

    def run(self, *arguments: str, stdin: str = "") -> Ended:
        ended = run(*arguments, environment=self.environment, stdin=stdin)
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def manage(self, *arguments: object) -> str:
        ended = self.run("manage.py", *map(str, arguments))
        assert ended.status == 0, ended.out + ended.error
        return ended.out

    def refuses(self, *arguments: object) -> str:
        """The one line with which a command refuses."""
        ended = self.run("manage.py", *map(str, arguments))
        assert ended.status == 1, ended
        (line,) = ended.error.strip().splitlines()
        return line.removeprefix("CommandError: ")

    def ask(self, action: str, *arguments: object) -> Any:
        """What an action of `tests.backup.inside` found in this site."""
        ended = self.run("-m", "tests.backup.inside", action, *map(str, arguments))
        assert ended.status == 0, ended.out + ended.error
        return json.loads(ended.out.splitlines()[-1])

    def holds_nothing(self) -> bool:
        """Whether nobody has left anything here. SQLite is asked directly, without a process."""
        if not self.database.startswith("sqlite:"):
            return bool(self.ask("empty"))
        with closing(sqlite3.connect(self.data / "gradus.sqlite3")) as database:
            tables = ("courses_user", "courses_course", "submissions_submission")
            return not any(database.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in tables)


def new_site(folder: Path, name: str, server: Postgres | None = None) -> Site:
    """One without tables: on this server, or else on SQLite."""
    data = folder / name
    data.mkdir()
    if server is None:
        return Site(data, f"sqlite:///{data / 'gradus.sqlite3'}")
    server.run("createdb", "-h", "127.0.0.1", "-p", str(server.port), "-U", "gradus", name)
    return Site(data, server.url.removesuffix("/gradus") + f"/{name}")
