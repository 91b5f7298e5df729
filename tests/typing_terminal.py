"""Commands that ask: what somebody types at a terminal, each answer after its question."""

import fcntl
import os
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path


def answer(command: Sequence[str], answers: Mapping[str, str], cwd: Path, environment: Mapping[str, str]) -> str:
    """All that the command prints. Its terminal is its own, because a password is asked for at no other."""
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
        os.close(ours)
        process.wait()
    assert process.returncode == 0, printed
    return printed


def _read(terminal: int) -> str:
    """Empty when nobody is at the other end any more, which Linux says with an error."""
    try:
        return os.read(terminal, 4096).decode(errors="replace")
    except OSError:
        return ""
