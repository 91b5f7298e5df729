"""The ground the attacks are made on: two judges with small limits, secrets lying about, and what must hold afterwards."""

import contextlib
import json
import os
import resource
import select
import tempfile
import time
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

import msgspec

from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.report import Report
from autograder.library.sandboxes import backend
from sandbox.host import Sandbox
from sandbox.wire import Limits

MIB = 1 << 20
NORMAL = Limits(cpu_seconds=1, wall_seconds=40.0, memory_bytes=1024 * MIB)
SWIFT = Limits(cpu_seconds=1, wall_seconds=4.0, memory_bytes=1024 * MIB)
SEED = 20
LONGEST = 300.0  # seconds that a grading may take on the busiest machine: several times all limits together
PATIENCE = 120.0  # seconds, for what happens by itself as soon as the machine gets round to it
BATCH = 12  # attacks between two honest submissions that look for their traces
JUDGE_GROWTH = 512 * MIB  # a frame is at most 66 MiB, and is held in a few copies
JUDGE_ROOM = 2048 * MIB  # an attack on the judge's memory fails the test, not the machine
MARK = "gradus-hostile"  # in the name of every file an attack writes
VARIABLE = "GRADUS_HOSTILE_SECRET"
HERE = Path(__file__).resolve().parent

WITNESS = b"""

import builtins
import os
import sys

torch = sys.modules.get("torch")
print("witness", os.listdir("/tmp"), os.listdir("/dev/shm"), os.getcwd(), sorted(set(os.environ) - {'TORCHDYNAMO_DISABLE'}))
print("poison", [hasattr(place, "POISON") for place in (builtins, os, sys, torch)], "sitecustomize" in sys.modules)
"""
WITNESS_SAYS = "witness [] [] /tmp ['HOME', 'LC_ALL', 'PATH', 'TMPDIR']\npoison [False, False, False, False] False\n"


@dataclass
class Ground:
    """Judges, and the secret that they and their surroundings hold."""

    packs: Mapping[str, Pack]
    secret: str
    temporary: Path
    normal: Judge = field(default_factory=lambda: Judge(backend(), NORMAL))
    swift: Judge = field(default_factory=lambda: Judge(backend(), SWIFT))
    attacked: list[tuple[Judge, str, str]] = field(default_factory=list)  # since an honest submission looked for traces

    def warm(self, judge: Judge, exercise: str) -> Sandbox:
        box = judge.sandbox(self.packs[exercise].settings.profile)
        assert isinstance(box, Sandbox), "the attacks are made on one zygote that takes many"
        box.wait_until_warm()
        return box

    def renew(self, *profiles: str) -> None:
        for judge in (self.normal, self.swift):
            for profile in profiles:
                judge.sandbox(profile).close()

    def grade(self, judge: Judge, exercise: str, source: bytes, seed: int = SEED) -> Report:
        return judge.grade(self.packs[exercise], source, seed)

    # -- what must hold after every attack --------------------------------------------------------------------------

    def assert_clean(self, report: Report) -> None:
        """Valid JSON, nothing a terminal or a page would obey, no secret."""
        encoded = msgspec.json.encode(report)
        assert json.loads(encoded)["exercise"] == report.exercise, "the report is not the JSON it should be"
        assert self.secret.encode() not in encoded, "the report holds a secret of the judge's machine"
        assert VARIABLE.encode() not in encoded, "the report names a variable of the judge's environment"
        for text in texts(msgspec.to_builtins(report)):
            odd = {c for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Cs")}
            assert not odd, f"control characters in the report: {sorted(map(hex, map(ord, odd)))} in {text[:80]!r}"

    def was_attacked(self, judge: Judge, exercise: str, name: str) -> None:
        """After so many attacks an honest submission is graded by each judge that they were made on."""
        self.attacked.append((judge, exercise, name))
        if len(self.attacked) >= BATCH:
            self.assert_all_serve()

    def assert_all_serve(self) -> None:
        attacked, self.attacked = self.attacked, []
        for judge, exercise in dict.fromkeys((judge, exercise) for judge, exercise, _ in attacked):
            names = [name for by, on, name in attacked if (by, on) == (judge, exercise)]
            try:
                self.assert_serves(judge, exercise)
            except AssertionError as error:
                raise AssertionError(f"one of these attacks left something behind: {', '.join(names)}\n{error}") from error

    def assert_serves(self, judge: Judge, exercise: str) -> None:
        """An honest submission has full marks, and finds nothing that another one left."""
        pack = self.packs[exercise]
        report = judge.grade(pack, pack.solution + WITNESS, SEED)
        assert (report.verdict, report.score) == ("passed", pack.settings.points), (
            f"after the attack an honest submission is graded {report.verdict} ({report.reason}): {report.message}"
        )
        assert report.stdout == WITNESS_SAYS, f"an honest submission finds traces of the attack: {report.stdout}"

    def assert_alone(self, box: Sandbox) -> None:
        """Nothing runs below the sandbox but the launcher's chain, the zygote and one spare."""
        assert box.launcher_pid is not None, "no zygote is running"
        deadline = time.monotonic() + PATIENCE
        while len(jobs := jobs_of(box)) != 1:
            assert time.monotonic() < deadline, f"{len(jobs)} jobs are there, and one spare should be: {jobs}"
            wait_for_one(jobs, time.monotonic() + 0.05)

    def assert_no_files(self) -> None:
        left = [str(path) for path in self.temporary.iterdir()]
        for folder in ("/tmp", "/var/tmp", "/dev/shm", "/dev", "/", str(HERE), str(Path.cwd()), str(Path.home())):
            with contextlib.suppress(OSError):
                left += [f"{folder}/{name}" for name in os.listdir(folder) if MARK in name and "canary" not in name]
        assert not left, f"files were left on the machine: {left}"


def texts(value: object) -> Iterator[str]:
    """Every text in plain data, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(key)
            yield from texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)


def peak_bytes() -> int:
    """The most memory this process, the judge, ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def children() -> dict[int, list[int]]:
    """Who started whom, of all processes of the machine."""
    table: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                parent = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
                table.setdefault(parent, []).append(int(name))
    return table


def zygote_of(box: Sandbox) -> int:
    """The first Python below the launcher: bubblewrap, its child and `unshare` come before it."""
    assert box.launcher_pid is not None
    table, pid = children(), box.launcher_pid
    while not Path(f"/proc/{pid}/comm").read_text().startswith("python"):
        below = table.get(pid, [])
        assert len(below) == 1, f"the launcher's chain should have one link below {pid}, but has {below}"
        pid = below[0]
    return pid


def jobs_of(box: Sandbox) -> list[int]:
    """Everything below the zygote."""
    table, found = children(), [zygote_of(box)]
    for pid in found:  # grows while we walk
        found += table.get(pid, [])
    return found[1:]


def wait_for_one(pids: list[int], deadline: float) -> None:
    """Until one of these has ended."""
    poll, descriptors = select.poll(), []
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            descriptors.append(os.pidfd_open(pid))
            poll.register(descriptors[-1], select.POLLIN)
    if len(descriptors) == len(pids):
        poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
    for descriptor in descriptors:
        os.close(descriptor)


@contextlib.contextmanager
def prepared(packs: Mapping[str, Pack], folder: Path) -> Iterator[Ground]:
    """Secrets in a file beside the tests, in one in /tmp and in the environment; temporary files where they are seen."""
    secret, temporary = f"GRADUS-CANARY-{token_hex(16)}", folder / "temporary"
    temporary.mkdir()
    canaries = [Path(place) / f".{MARK}-canary-{token_hex(4)}.env" for place in (HERE / "__pycache__", "/tmp", folder)]
    for path in canaries:  # the first is in the project, where version control does not look
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"SECRET={secret}\n")
    os.environ[VARIABLE] = secret
    usual, tempfile.tempdir = tempfile.tempdir, str(temporary)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (address_space() + JUDGE_ROOM, hard))
    ground = Ground(packs, secret, temporary)
    try:
        yield ground
    finally:
        ground.normal.close()
        ground.swift.close()
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        tempfile.tempdir = usual
        del os.environ[VARIABLE]
        for path in canaries:
            path.unlink()
