"""The judge of a process, with its warm and checked sandboxes, and what keeps it from grading if something does."""

import logging
import math
import threading
import time
from collections.abc import Collection
from importlib import import_module
from typing import get_args

from autograder.explain.batch import layers_not_in_effect
from autograder.explain.diagnosis import prepare
from autograder.judge.grade import Judge
from autograder.judge.pack import Profile
from autograder.library.sandboxes import backend
from autograder.submissions.work.zygotes import Zygotes
from sandbox.errors import EngineTrouble, LayerMissing, Outage, SandboxError
from sandbox.selfcheck import QUICK, canary

log = logging.getLogger("gradus.grader")
RECONNECT_SECONDS = 5.0  # seconds between two attempts to reach a container engine that failed
CHECKS_WITH_TORCH = "autograder.judge.checks.functions"  # takes longer to import than the first sandbox to start
IMPORT_SECONDS = 30.0  # of CPU time, while slow modules are imported


class Sandboxes:
    """The sandboxes of a process, one for each profile. `trouble` says why nothing may be graded in them, if so."""

    def __init__(self) -> None:
        self.trouble = ""
        self.layers: dict[str, bool] | None = None  # which layers hold; None until known
        self.cold: list[Profile] = []  # profiles whose sandboxes are not warm yet; work that needs them stays in the queue
        self._judge: Judge | None = None
        self._zygotes = Zygotes()
        self._next_try = math.inf  # when to retry after an outage
        self._starts_others = False
        self._imports: threading.Thread | None = None

    @property
    def judge(self) -> Judge:
        """The judge, created on first use and again after an outage. Creating it checks whether a sandbox backend is available."""
        if self._judge is None:
            self._judge = Judge(backend())
        return self._judge

    def warm_up(self) -> None:
        """Start and check the sandbox of the first profile; the others are started when no work is waiting."""
        self.cold, self._starts_others = list(get_args(Profile)), False
        try:
            self._start(self.cold[:1])
            self._use_next_profile()
        except SandboxError as error:
            self.pause(error)

    def warm_next_profile(self) -> None:
        self.start_others()
        try:
            self._use_next_profile()
        except SandboxError as error:
            self.pause(error)

    def start_others(self) -> None:
        """Start slow operations in the background of grading: the other sandboxes, and the import of torch."""
        if self._imports is None:
            self._imports = threading.Thread(target=_import_slow_modules, name="imports", daemon=True)
            self._imports.start()
        if self.cold and not self._starts_others and not self.trouble:
            self._starts_others = True
            try:
                self._start(self.cold)
            except SandboxError as error:
                self.pause(error)

    @property
    def imports_seconds(self) -> float:
        """The CPU time that the imports in the background may take of a grading's."""
        return IMPORT_SECONDS if self._imports is not None and self._imports.is_alive() else 0.0

    @property
    def are_warm(self) -> bool:
        return self._judge is not None and not self.cold and not self.trouble

    def pause_if_outage(self, error: Exception) -> None:
        if isinstance(error, LayerMissing):
            self.layers = (self.layers or {}) | {error.layer: False}
        if isinstance(error, Outage):
            self.pause(error)

    def pause(self, error: SandboxError) -> None:
        self.trouble = str(error)
        self._next_try = time.monotonic() + RECONNECT_SECONDS if isinstance(error, EngineTrouble) else math.inf
        log.error("this worker is not grading: %s", error)

    def recovers(self) -> bool:
        """Try again after an engine outage, and return whether it is over. A container engine may come back at any time."""
        if time.monotonic() < self._next_try:
            return False
        self._end()
        self.trouble = ""
        self.warm_up()
        if not self.trouble:
            log.info("the container engine is available again; this worker has resumed grading")
        return not self.trouble

    @property
    def starts(self) -> dict[str, int]:
        """How often the sandbox of each profile was started."""
        return self._judge.starts() if self._judge else {}

    def count(self) -> None:
        """Add the sandboxes that started or died since the last call to the statistics."""
        if self._judge is not None:
            self._zygotes.count(self._judge)

    def close(self) -> None:
        if self._imports is not None:
            self._imports.join()
        self._end()

    def _start(self, profiles: Collection[Profile]) -> None:
        with canary():
            for profile in profiles:
                self.judge.sandbox(profile).start()

    def _use_next_profile(self) -> None:
        """Wait until the next profile's sandbox is warm, and check that every layer holds."""
        judge = self.judge
        missing = list(layers_not_in_effect(judge, self.cold[:1]))
        del self.cold[0]
        self.layers = self.layers or dict.fromkeys(sorted(QUICK & judge.backend.layers), True)
        for finding in missing:
            self.layers[finding.layer] = False
        if missing:
            raise LayerMissing(missing[0].layer, f"{missing[0].seen}. To enable it: {missing[0].cure}")

    def _end(self) -> None:
        self.count()
        if self._judge is not None:
            self._judge.close()
            self._judge, self._zygotes, self.cold, self.layers = None, Zygotes(), [], None


def _import_slow_modules() -> None:
    import_module(CHECKS_WITH_TORCH)
    prepare()
