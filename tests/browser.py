"""Headless Chromium for tests: Debian's package, driven by Playwright, with all console messages and requests recorded.

A missing browser is an error with the command to install it; nothing is ever downloaded. A test fails if a page
requests another site, violates its Content-Security-Policy or throws an exception.
"""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Request, expect, sync_playwright

from tests import steady_network
from tests.servers import need

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--no-first-run",
    "--mute-audio",
    "--renderer-process-limit=1",  # no spare renderer process is started in advance
    "--disable-site-isolation-trials",
)
PATIENCE = 180_000  # milliseconds; generous, because slowness of a busy machine is not an error


@contextmanager
def chromium() -> Iterator[Browser]:
    path = need("chromium-headless-shell", "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        program = Path(folder, "chromium")
        command = (sys.executable, "-P", steady_network.__file__, path)
        program.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        program.chmod(0o755)
        browser = playwright.chromium.launch(executable_path=program, args=list(QUIET))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watch:
    """Records the errors of pages. `expects` lists those that a test causes on purpose."""

    home: str
    complaints: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def over(self, context: BrowserContext) -> None:
        context.on("console", self._console)
        context.on("weberror", lambda error: self.complaints.append(f"thrown: {error.error}"))
        context.on("request", self._request)

    def expects(self, *words: str) -> None:
        self.expected += words

    @property
    def unexpected(self) -> list[str]:
        return [line for line in self.complaints if not any(word in line for word in self.expected)]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.home, "data:", "blob:")):
            self.complaints.append(f"asked another site: {request.url}")


def patient(context: BrowserContext) -> BrowserContext:
    """Set time-outs that allow for a busy machine."""
    expect.set_options(timeout=PATIENCE)
    context.set_default_timeout(PATIENCE)
    return context
