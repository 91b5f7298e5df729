"""Interactive commands: types answers to prompts in a pseudo-terminal."""

import fcntl
import os
import select
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path

SILENCE = 120.0


def answer(command: Sequence[str], answers: Mapping[str, str], cwd: Path, environment: Mapping[str, str]) -> str:
    """Run a command and return its output. It gets its own terminal, because password prompts read from nothing else.

    A command that says nothing for SILENCE seconds waits for an answer to another question, and is ended.
    """
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    printed, asked, left = "", 0, dict(answers)
    try:
        while piece := _read(ours):
            printed += piece
            question = next((words for words in left if words in printed[asked:]), None)
            if question is not None:
                asked = len(printed)
                os.write(ours, f"{left.pop(question)}\n".encode())
    finally:
        os.close(ours)  # a command that waits for an answer gets the end of its input
        process.wait(SILENCE)
    assert process.returncode == 0, printed
    return printed


def _read(terminal: int) -> str:
    """Read from the terminal. Empty when the other end is closed, which Linux reports as an error, or says nothing."""
    try:
        if not select.select([terminal], [], [], SILENCE)[0]:
            return ""
        return os.read(terminal, 4096).decode(errors="replace")
    except OSError:
        return ""
