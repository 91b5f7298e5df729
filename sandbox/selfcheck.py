"""Tries to break through every layer of a sandbox from inside, and reports which layers hold.

A layer is judged by what a probe job could do, not by its configuration, so a mount that failed silently is detected.
"""

import contextlib
import os
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from sandbox.errors import JobEnded, LayerMissing, OutOfTime, SandboxError
from sandbox.limits import CURES, LAYERS
from sandbox.pool import AnySandbox
from sandbox.session import OUTER_MARGIN, Session
from sandbox.wire import Answer, Raised

PROBE = Path(__file__).with_name("selfcheck_probe.py")
CANARY = "GRADUS_SELFCHECK_CANARY"
SHORT_WALL = 0.4
SLOW = ("inner-timer", "outer-timer", "output")
QUICK = frozenset(LAYERS).difference(SLOW)


@dataclass(frozen=True)
class LayerFinding:
    """The result for one layer: whether it holds, and what the probe observed."""

    layer: str
    holds: bool
    seen: str

    @property
    def cure(self) -> str:
        return CURES[self.layer]


class Examination:
    """Runs one probe job after another. `quick` skips the layers that take time to test (timers, output floods)."""

    def __init__(self, box: AnySandbox) -> None:
        self._box = box

    def findings(self, quick: bool = False) -> Iterator[LayerFinding]:
        broken: LayerMissing | None = None
        for layer in LAYERS:
            if quick and layer in SLOW:
                continue
            if broken is None:
                try:
                    yield self._try(layer)
                    continue
                except LayerMissing as error:
                    broken = error
            seen = broken.message if layer == broken.layer else f"not tried: no job starts while '{broken.layer}' is missing"
            yield LayerFinding(layer, False, seen)

    def _try(self, layer: str) -> LayerFinding:
        trial: Callable[[], tuple[bool, str]] = getattr(self, "_" + layer.replace("-", "_"))
        try:
            return LayerFinding(layer, *trial())
        except LayerMissing:
            raise
        except (SandboxError, JobEnded, OutOfTime) as error:
            return LayerFinding(layer, False, str(error))

    def _user(self) -> tuple[bool, str]:
        with self._probe_session() as session:
            inside = _ask(session, "users")
            outside = self._kernel_uids()
        holds = 0 not in inside and bool(outside) and 0 not in outside and self._may_be(outside)
        return holds, f"uid {sorted(set(inside))} inside, {sorted(outside)} for the kernel"

    def _may_be(self, outside: set[int]) -> bool:
        """Return whether these uids are acceptable.

        A container engine gives every sandbox its own uid. Without one only root can do so; otherwise the sandbox keeps the
        user's uid.
        """
        own = os.getuid()
        return own not in outside if self._box.kernel_uid is not None else own == 0 or outside == {own}

    def _namespaces(self) -> tuple[bool, str]:
        """Check that the job's namespaces differ from the host's and from its zygote's.

        A single-use zygote may share its namespaces with its job. They must then differ from those of the next zygote, and
        the user namespace may be the machine's.
        """
        with self._probe_session() as session:
            pid, host = _ask(session, "place")
            mine = session.namespaces
        single = self._box.backend.pool > 0
        with self._probe_session() as session:
            others = [session.namespaces if single else self._box.warm and self._box.warm.namespaces]
        others.append({name: os.stat(f"/proc/self/ns/{name}").st_ino for name in mine})
        shared = [name for name in mine if any(other and mine[name] == other.get(name) for other in others)]
        holds = (
            len(mine) == 7 and set(shared) <= ({"user"} if single else set()) and host == "gradus" and (single or pid == 1)
        )
        return holds, f"pid {pid} on {host!r}, {7 - len(shared) if mine else 0} of 7 namespaces of its own"

    def _read_only(self) -> tuple[bool, str]:
        project = str(Path(__file__).resolve().parent.parent)
        places = {project, os.path.expanduser("~"), "/etc/passwd", "/sys", "/root"} - {"/", "/tmp"}
        with self._probe_session() as session:
            written, visible = _ask(session, "write_everywhere", sorted(places))
        return not written and not visible, f"could write {written or 'nothing'}, could see {visible or 'nothing'}"

    def _tmpfs(self) -> tuple[bool, str]:
        with self._probe_session() as session:
            there, size, files, executable = _ask(session, "fill")
        with self._probe_session() as session:
            left = _ask(session, "fill")[0]
        limits = self._box.limits
        holds = not there and not left and size <= limits.file_bytes and files <= limits.files and not executable
        return (
            holds,
            f"found {len(there) + len(left)} files, wrote {size >> 20} MB and {files} files, mapped code: {executable}",
        )

    def _proc(self) -> tuple[bool, str]:
        with self._probe_session() as session:
            entries = _ask(session, "processes")
        return entries == [], f"{len(entries)} entries in /proc"

    def _environment(self) -> tuple[bool, str]:
        with self._probe_session() as session:
            names, canary = _ask(session, "environment", CANARY)
        allowed = {"PATH", "HOME", "TMPDIR", "LC_ALL", "TORCHDYNAMO_DISABLE"}
        return set(names) <= allowed and canary is None, f"variables {', '.join(sorted(names))}"

    def _rlimits(self) -> tuple[bool, str]:
        limits = self._box.limits
        with self._probe_session() as session:
            unlimited, allocated, raised = _ask(
                session, "limits", self._box.warm.vm_bytes if self._box.warm else 0, limits.memory_bytes
            )
        holds = not unlimited and not allocated and not raised
        return (
            holds,
            f"unlimited: {unlimited or 'none'}; too much memory: {allocated or 'refused'}; raised: {raised or 'none'}",
        )

    def _capabilities(self) -> tuple[bool, str]:
        with self._probe_session() as session:
            effective, no_new_privileges, dumpable, became_root = _ask(session, "privileges")
        holds = effective == 0 and no_new_privileges == 1 and dumpable == 0 and not became_root
        return holds, f"capabilities {effective:#x}, no_new_privs {no_new_privileges}, dumpable {dumpable}"

    def _seccomp(self) -> tuple[bool, str]:
        with self._probe_session() as session:
            succeeded = _ask(session, "forbidden_calls")
        return succeeded == [], f"forbidden calls that got through: {', '.join(succeeded) or 'none'}"

    def _inner_timer(self) -> tuple[bool, str]:
        limits = msgspec.structs.replace(self._box.limits, wall_seconds=SHORT_WALL)
        start = time.monotonic()
        with contextlib.suppress(JobEnded), self._probe_session(limits) as session:  # it may end while it is being loaded
            start = time.monotonic()
            _ask(session, "sleep", 30)
        seconds = time.monotonic() - start
        return (
            seconds < SHORT_WALL + 0.75 * OUTER_MARGIN,
            f"a sleeper with {SHORT_WALL} s was ended after {seconds:.1f} s",
        )

    def _outer_timer(self) -> tuple[bool, str]:
        limits = msgspec.structs.replace(self._box.limits, wall_seconds=2.0)
        ended = "not at all"
        with self._probe_session(limits) as session:
            start = time.monotonic()
            try:
                session.ask("call", "sleep", [30], seconds=SHORT_WALL)
            except OutOfTime:
                ended = f"after {time.monotonic() - start:.1f} s"
            except JobEnded:
                ended = "by the inner timer only"
        return ended.startswith("after"), f"a question with {SHORT_WALL} s was ended {ended}"

    def _output(self) -> tuple[bool, str]:
        limits = msgspec.structs.replace(self._box.limits, output_bytes=1 << 20, wall_seconds=3.0)
        with self._probe_session(limits) as session:
            try:
                _ask(session, "shout", 64)
            except JobEnded as ended:
                kept = len(session.take_output())
                return ended.reason == "output" and kept <= limits.output_kept, f"a flood was ended, {kept} bytes kept"
        return False, "64 MB were printed"

    def _clean_zygote(self) -> tuple[bool, str]:
        with self._probe_session() as session:
            frozen, ours = _ask(session, "heritage")
        threads = self._box.warm.threads if self._box.warm else 0
        expected = bool(self._box.serves)  # an examiner runs our code
        holds = threads == 1 and frozen > 0 and bool(ours) == expected
        return holds, f"{threads} thread, {frozen} objects frozen, importable of ours: {', '.join(ours) or 'nothing'}"

    # -- probe sessions -----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _probe_session(self, limits: Any = None) -> Iterator[Session]:
        with self._box.session(limits) as session:
            reply = session.load(PROBE.read_bytes())
            if isinstance(reply, Raised):
                raise SandboxError(f"the probe job does not load: {reply.type_name}: {reply.message}")
            yield session

    def _kernel_uids(self) -> set[int]:
        """Return the uids, as this kernel reports them, of the leaf processes below the launcher."""
        if self._box.kernel_uid is not None:
            return {self._box.kernel_uid}
        found = set()
        for pid in descendants(self._box.launcher_pid or 0):
            with contextlib.suppress(OSError):
                if not children(pid):
                    found.add(os.stat(f"/proc/{pid}").st_uid if os.getuid() else _uid_of(pid))
        return found


def missing_layers(box: AnySandbox, quick: bool = True) -> list[LayerFinding]:
    """Return the layers that do not hold. A canary variable in our own environment must not be visible inside."""
    with canary():
        return [finding for finding in Examination(box).findings(quick) if not finding.holds]


@contextlib.contextmanager
def canary() -> Iterator[None]:
    os.environ[CANARY] = secrets.token_hex(8)
    try:
        yield
    finally:
        os.environ.pop(CANARY, None)


def children(pid: int) -> list[int]:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(number) for number in file.read().split()]
    return []


def descendants(pid: int) -> list[int]:
    """Return a process and all its descendants."""
    found = [pid]
    for number in found:  # grows during the loop
        found.extend(children(number))
    return found


def _uid_of(pid: int) -> int:
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith("Uid:"):
                return int(line.split()[1])
    raise OSError("no uid")


def _ask(session: Session, name: str, *args: Any) -> Any:
    reply = session.ask("call", name, list(args))
    if isinstance(reply, Raised):
        raise SandboxError(f"the probe {name} raised {reply.type_name}: {reply.message}")
    assert isinstance(reply, Answer)
    return reply.value
