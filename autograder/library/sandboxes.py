"""Which sandbox the settings ask for."""

from django.conf import settings

from sandbox.backends.base import Backend
from sandbox.backends.bubblewrap import Bubblewrap
from sandbox.backends.unsafe import Unsafe


class SandboxSettingError(Exception):
    """GRADUS_SANDBOX asks for something that cannot be had."""


def backend() -> Backend:
    name = settings.SANDBOX
    if name == "bubblewrap":
        return Bubblewrap()
    if name == "unsafe":
        if not settings.DEBUG:
            raise SandboxSettingError(
                "GRADUS_SANDBOX=unsafe runs student code unprotected; it needs DEBUG=1 and is for development alone"
            )
        return Unsafe()
    raise SandboxSettingError(f"GRADUS_SANDBOX is '{name}'; it can be 'bubblewrap' (the default) or, with DEBUG=1, 'unsafe'")
