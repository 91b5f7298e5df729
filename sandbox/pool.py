"""Keeps a pool of warm single-use zygotes, and replaces them on a background thread."""

import contextlib
import queue
import threading

from sandbox.backends.base import Backend
from sandbox.errors import SandboxError
from sandbox.host import WARM_SECONDS, Sandbox
from sandbox.session import Session
from sandbox.wire import Limits, Warm

TURN_SECONDS = 0.25
PAUSE_SECONDS = 2.0  # after a zygote that did not start


class Pool:
    """One slot of one profile with the interface of `Sandbox`, in which every session gets a fresh zygote."""

    def __init__(self, backend: Backend, profile: str, limits: Limits | None = None, *, serves: str = "") -> None:
        self.backend, self.profile, self.limits, self.serves = backend, profile, limits or Limits(), serves
        self.layers = backend.layers
        self.starts = 0
        self.deaths = 0  # of zygotes that died without being ended by the host
        self.warm: Warm | None = None
        self.libraries: dict[str, str] = {}  # and their versions, as the last zygote had them
        self._size = backend.pool
        self._ready: queue.Queue[Sandbox | SandboxError] = queue.Queue()
        self._used: list[tuple[Sandbox, Session]] = []
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start filling the pool without waiting."""
        if self._thread is None:
            self._stopped.clear()
            self._thread = threading.Thread(target=self._keep_filled, name=f"pool-{self.profile}", daemon=True)
            self._thread.start()

    def wait_until_warm(self) -> Warm:
        """Wait until one zygote is warm. It stays in the pool for the next session."""
        box = self._take()
        self._ready.put(box)
        assert box.warm is not None
        return box.warm

    def session(self, limits: Limits | None = None) -> Session:
        box = self._take()
        try:
            session = box.session(limits)
        except BaseException:
            box.close()
            raise
        with self._lock:
            self._used.append((box, session))
        return session

    def close(self) -> None:
        """Kill all zygotes, including those that are still starting."""
        self._stopped.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        for box, _ in self._used:
            box.close()
        self._used.clear()
        while not self._ready.empty():
            with contextlib.suppress(queue.Empty):
                found = self._ready.get_nowait()
                if isinstance(found, Sandbox):
                    found.close()

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def launcher_pid(self) -> int | None:
        return self._used[-1][0].launcher_pid if self._used else None

    @property
    def kernel_uid(self) -> int | None:
        return self._used[-1][0].kernel_uid if self._used else None

    @property
    def waiting(self) -> int:
        """The number of warm, unused zygotes."""
        return self._ready.qsize()

    def _take(self) -> Sandbox:
        self.start()
        try:
            found = self._ready.get(timeout=WARM_SECONDS)
        except queue.Empty:
            raise SandboxError(f"no zygote was warm within {WARM_SECONDS:g} s") from None
        finally:
            self._wanted.set()
        if isinstance(found, SandboxError):
            raise found
        self.warm, self.libraries = found.warm, found.libraries
        return found

    # -- on the background thread ------------------------------------------------------------------------------------

    def _keep_filled(self) -> None:
        while not self._stopped.is_set():
            self._dismiss_used()
            if self._ready.empty() or (self._ready.qsize() < self._size and not self._used):
                # starting torch uses a core for seconds: avoid it during a grading, unless the next session would have to
                # wait
                self._make_one()
            else:
                self._wanted.wait(TURN_SECONDS)
                self._wanted.clear()

    def _make_one(self) -> None:
        box = Sandbox(self.backend, self.profile, self.limits, serves=self.serves)
        try:
            box.wait_until_warm()
            self.starts += 1
            self._ready.put(box)
        except SandboxError as error:
            self.deaths += box.deaths
            box.close()
            if self._ready.empty():  # report the error if a session may be waiting; otherwise it can use a warm zygote
                self._ready.put(error)
            self._stopped.wait(PAUSE_SECONDS)

    def _dismiss_used(self) -> None:
        with self._lock:
            over = [box for box, session in self._used if session.closed]
            self._used = [(box, session) for box, session in self._used if not session.closed]
        for box in over:
            self.deaths += box.deaths
            box.close()


AnySandbox = Sandbox | Pool


def open_sandbox(backend: Backend, profile: str, limits: Limits | None = None, *, serves: str = "") -> AnySandbox:
    """Return the kind of sandbox that suits the backend."""
    kind = Pool if backend.pool else Sandbox
    return kind(backend, profile, limits, serves=serves)
