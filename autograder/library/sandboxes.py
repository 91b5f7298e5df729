"""Which sandbox the settings ask for."""

import os

from django.conf import settings

from sandbox.backends.base import Backend
from sandbox.backends.bubblewrap import DEFAULT_UID, Bubblewrap
from sandbox.backends.unsafe import Unsafe


class SandboxSettingError(Exception):
    """GRADUS_SANDBOX asks for something that cannot be had."""


UID_VARIABLE = "GRADUS_SANDBOX_UID"


def _uid() -> int:
    """The uid that submissions run under when we are root: a number of its own, used by nobody else."""
    text = os.environ.get(UID_VARIABLE, str(DEFAULT_UID))
    if not text.isdigit() or not 0 < int(text) < 1 << 31:
        raise SandboxSettingError(f"{UID_VARIABLE} is '{text}'; it must be the number of a user, and not 0")
    return int(text)


def backend() -> Backend:
    name = settings.SANDBOX
    if name == "bubblewrap":
        return Bubblewrap(_uid())
    if name == "unsafe":
        if not settings.DEBUG:
            raise SandboxSettingError(
                "GRADUS_SANDBOX=unsafe runs student code unprotected; it needs DEBUG=1 and is for development alone"
            )
        return Unsafe()
    raise SandboxSettingError(f"GRADUS_SANDBOX is '{name}'; it can be 'bubblewrap' (the default) or, with DEBUG=1, 'unsafe'")
