"""Creates the sandbox backend that the settings select."""

import os
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from sandbox.backends.base import Backend
from sandbox.backends.bubblewrap import DEFAULT_UID, Bubblewrap
from sandbox.backends.container import POOL, Container
from sandbox.backends.unsafe import Unsafe
from sandbox.errors import Outage, SandboxError
from sandbox.host import Sandbox


class SandboxSettingError(Exception):
    """GRADUS_SANDBOX or a related variable has an invalid value."""


UID_VARIABLE = "GRADUS_SANDBOX_UID"
MODES = ("auto", "nested", "pool")


def _uid() -> int:
    """The uid of submissions if the worker runs as root: one that nothing else uses."""
    text = os.environ.get(UID_VARIABLE, str(DEFAULT_UID))
    if not text.isdigit() or not 0 < int(text) < 1 << 31:
        raise SandboxSettingError(f"{UID_VARIABLE} is '{text}'; it must be a numeric user ID other than 0")
    return int(text)


def backend() -> Backend:
    """Return the backend. Raises `SandboxSettingError` for an invalid setting, `Outage` if the container engine or image is
    missing."""
    name = settings.SANDBOX
    if name == "bubblewrap":
        return Bubblewrap(_uid())
    if name == "container":
        return _container()
    if name == "unsafe":
        if not settings.DEBUG:
            raise SandboxSettingError(
                "GRADUS_SANDBOX=unsafe runs student code unprotected; it requires DEBUG=1 and is only for development"
            )
        return Unsafe()
    raise SandboxSettingError(
        f"GRADUS_SANDBOX is '{name}'; it must be 'bubblewrap' (the default), 'container' or, with DEBUG=1, 'unsafe'"
    )


def _container() -> Backend:
    """Return the container backend. Mode `auto` tests whether this host supports nested namespaces; the other modes skip the test."""
    mode = os.environ.get("GRADUS_SANDBOX_MODE", "auto")
    if mode not in MODES:
        raise SandboxSettingError(f"GRADUS_SANDBOX_MODE is '{mode}'; it must be {', '.join(MODES)}")
    size = os.environ.get("GRADUS_SANDBOX_POOL", str(POOL))
    if not size.isdigit() or not 0 < int(size) <= 64:
        raise SandboxSettingError(
            f"GRADUS_SANDBOX_POOL is '{size}'; it must be the number of containers to keep warm, from 1 to 64"
        )
    chosen = Container(
        image=os.environ.get("GRADUS_SANDBOX_IMAGE", "gradus-sandbox"),
        uid=_uid(),
        run=Path(os.environ.get("GRADUS_SANDBOX_RUN", settings.DATA / "containers")).absolute(),
        runtime=os.environ.get("GRADUS_SANDBOX_RUNTIME", ""),
    )
    if mode == "auto":
        return suited(chosen, int(size))
    return replace(chosen, pool=int(size) if mode == "pool" else 0, why=f"GRADUS_SANDBOX_MODE is {mode}")


def suited(container: Container, pool: int = POOL) -> Container:
    """Choose the mode that this host supports, using a trial job: nested namespaces, or a pool of single-use containers."""
    container.require()
    try:
        with Sandbox(container, "python") as box, box.session():
            return replace(container, why="a trial job was put in namespaces of its own")
    except SandboxError as error:
        if isinstance(error, Outage) and not _about_namespaces(error):
            raise
        return replace(container, pool=pool, why=f"this host does not nest namespaces in a container: {error}")


def _about_namespaces(error: Outage) -> bool:
    return getattr(error, "layer", "") in ("namespaces", "tmpfs", "proc")
