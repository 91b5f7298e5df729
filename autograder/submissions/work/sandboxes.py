"""The warm and checked sandboxes of a process, and what keeps it from grading if something does."""

import logging
import math
import time
from collections.abc import Collection
from typing import get_args

from autograder.examiner.examiners import Examiners
from autograder.explain.batch import layers_not_in_effect
from autograder.judge.pack import Profile
from autograder.library.sandboxes import backend
from autograder.submissions.work.zygotes import Zygotes
from sandbox.errors import EngineTrouble, LayerMissing, Outage, SandboxError
from sandbox.packages import EXAMINER
from sandbox.selfcheck import QUICK, canary

log = logging.getLogger("gradus.grader")
RECONNECT_SECONDS = 5.0  # seconds between two attempts to reach a container engine that failed


class Sandboxes:
    """The sandboxes of a process, for examiners and for each profile. `trouble` says why nothing may be graded, if so."""

    def __init__(self) -> None:
        self.trouble = ""
        self.layers: dict[str, bool] | None = None  # which layers hold; None until known
        self.cold: list[str] = []  # profiles whose sandboxes are not warm yet; work that needs them stays in the queue
        self._examiners: Examiners | None = None
        self._zygotes = Zygotes()
        self._next_try = math.inf  # when to retry after an outage
        self._starts_others = False

    @property
    def examiners(self) -> Examiners:
        """Created on first use and again after an outage. Creating them checks whether a sandbox backend is available."""
        if self._examiners is None:
            self._examiners = Examiners(backend())
        return self._examiners

    def warm_up(self) -> None:
        """Start and check the sandboxes of examiners and of the first profile; the others are started when no work is waiting."""
        self.cold, self._starts_others = [EXAMINER, *get_args(Profile)], False
        try:
            self._start(self.cold[:2])
            self._use_next_profile()
            self._use_next_profile()
        except SandboxError as error:
            self.pause(error)

    def warm_next_profile(self) -> None:
        self.start_others()
        try:
            self._use_next_profile()
        except SandboxError as error:
            self.pause(error)

    def use_the_pause(self) -> None:
        """While nothing is waiting: start the other sandboxes, or an examiner for the next submission to the same exercise."""
        if self.cold:
            self.start_others()
        elif not self.trouble:
            try:
                self.examiners.prepare()
            except SandboxError as error:
                log.warning("an examiner could not be prepared: %s", error)
                self.pause_if_outage(error)

    def start_others(self) -> None:
        """Start the other sandboxes while nothing is waiting."""
        if self.cold and not self._starts_others and not self.trouble:
            self._starts_others = True
            try:
                self._start(self.cold)
            except SandboxError as error:
                self.pause(error)

    @property
    def are_warm(self) -> bool:
        return self._examiners is not None and not self.cold and not self.trouble

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
        return self._examiners.starts() if self._examiners else {}

    def count(self) -> None:
        """Add the sandboxes that started or died since the last call to the statistics."""
        if self._examiners is not None:
            self._zygotes.count(self._examiners)

    def close(self) -> None:
        self._end()

    def _start(self, profiles: Collection[str]) -> None:
        with canary():
            for profile in profiles:
                self.examiners.sandbox(profile).start()

    def _use_next_profile(self) -> None:
        """Wait until the next profile's sandbox is warm, and check that every layer holds."""
        examiners = self.examiners
        missing = list(layers_not_in_effect(examiners, self.cold[:1]))
        del self.cold[0]
        self.layers = self.layers or dict.fromkeys(sorted(QUICK & examiners.backend.layers), True)
        for finding in missing:
            self.layers[finding.layer] = False
        if missing:
            raise LayerMissing(missing[0].layer, f"{missing[0].seen}. To enable it: {missing[0].cure}")

    def _end(self) -> None:
        self.count()
        if self._examiners is not None:
            self._examiners.close()
            self._examiners, self._zygotes, self.cold, self.layers = None, Zygotes(), [], None
