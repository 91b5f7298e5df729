"""Runs commands in separate processes that start fast, because they are forked from one that has imported the libraries.

`run("manage.py", "grade", ...)` is equivalent to `subprocess.run([sys.executable, "manage.py", ...])`, with its own
environment, settings, working directory, output and exit status. Only the imports of libraries and of modules that read
no settings are skipped, which take longer than most commands.
"""

import atexit
import multiprocessing
import os
import runpy
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 600.0  # seconds; a command that takes longer is considered hung
PYTHON = ".venv/bin/python"
FOR_A_SHELL = set("|&;<>()$`\\*?[#~={}\n")

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.preloaded"])


def run(
    *arguments: object,
    environment: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
    stdin: str = "",
    together: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run `python ARGUMENTS`. `together` redirects stderr to stdout."""
    command = [str(argument) for argument in arguments]
    with ExitStack() as opened:
        given, out, error = (opened.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for _ in range(3))
        given.write(stdin)
        given.seek(0)
        streams = [f"/proc/{os.getpid()}/fd/{file.fileno()}" for file in (given, out, out if together else error)]
        process = _context.Process(target=_become, args=(command, dict(environment or os.environ), str(cwd), streams))
        process.start()
        process.join(PATIENCE)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(command, PATIENCE, _said(out), _said(error))
        return subprocess.CompletedProcess(command, process.exitcode, _said(out), _said(error))


def shell(command: str, *, environment: Mapping[str, str], cwd: Path, together: bool = False) -> "Ran":
    """Run a command line. It gets a shell only if it needs one."""
    if command.startswith(f"{PYTHON} ") and not FOR_A_SHELL & set(command):
        return run(*shlex.split(command)[1:], environment=environment, cwd=cwd, together=together)
    return subprocess.run(
        ["sh", "-c", command],
        cwd=cwd,
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if together else subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


Ran = subprocess.CompletedProcess[str]


def _said(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def _become(command: Sequence[str], environment: Mapping[str, str], cwd: str, streams: Sequence[str]) -> None:
    """Set up the new process as if Python had just been started with this command."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    for number, (path, flags) in enumerate(zip(streams, (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY), strict=True)):
        os.dup2(os.open(path, flags | os.O_APPEND * bool(number)), number)
    sys.stdin, sys.stdout, sys.stderr = (open(number, mode, closefd=False) for number, mode in enumerate("rww"))  # noqa: SIM115
    try:
        if command[0] == "-c":
            sys.argv, sys.path[0] = ["-c", *command[2:]], ""
            exec(compile(command[1], "<string>", "exec"), {"__name__": "__main__"})
        elif command[0] == "-m":
            sys.argv, sys.path[0] = list(command[1:]), cwd
            runpy.run_module(command[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv, sys.path[0] = list(command), str(Path(command[0]).resolve().parent)
            runpy.run_path(command[0], run_name="__main__")
    finally:
        atexit._run_exitfuncs()
