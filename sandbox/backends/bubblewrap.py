"""Starts a zygote in bubblewrap, in a read-only file system that holds the interpreter, the profile's packages and the guest.

If the worker runs as root, the zygote gets a dedicated uid. Otherwise it runs in a user namespace as the calling user. In
both cases the zygote is pid 1 of a pid namespace that it owns, so that it can create a new pid namespace for every
submission.
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from sandbox.backends.base import INTERPRETER_FLAGS, bootstrap, environment
from sandbox.backends.process import ChildZygote, Launch
from sandbox.errors import LayerMissing
from sandbox.limits import LAYERS
from sandbox.packages import ROOTS, WIRE_ROOTS, closure, own_code
from sandbox.wire import Limits

DEFAULT_UID = 61234
PYTHON, PACKAGES, PRIVATE = "/opt/python", "/opt/packages", "/opt/gradus"
ROOT = Path(__file__).resolve().parents[2]
PARENTS = ("/usr", "/usr/bin", "/opt", PACKAGES, PRIVATE)


class Bubblewrap:
    name = "bubblewrap"
    layers = frozenset(LAYERS)
    around: frozenset[str] = frozenset()
    pool = 0

    def __init__(self, uid: int = DEFAULT_UID) -> None:
        self.uid = uid

    def start(self, profile: str, limits: Limits) -> ChildZygote:
        return ChildZygote(self.launch(profile))

    def launch(self, profile: str) -> Launch:
        """Return the command line that starts a zygote of this profile."""
        bwrap, setpriv, unshare = (_tool(name) for name in ("bwrap", "setpriv", "unshare"))
        root = os.geteuid() == 0
        command = [bwrap, *_namespaces(root), *_system(setpriv, unshare), *_interpreter()]
        for path in closure(ROOTS[profile]):
            command += ["--ro-bind", str(path), f"{PACKAGES}/{path.name}"]
        for path in closure(WIRE_ROOTS):
            command += ["--ro-bind", str(path), f"{PRIVATE}/{path.name}"]
        for part in own_code(profile):
            command += ["--perms", "755", "--dir", f"{PRIVATE}/{part.partition('/')[0]}"]
            command += ["--ro-bind", str(ROOT / part), f"{PRIVATE}/{part}"]
        command += ["--remount-ro", "/", "--chdir", "/tmp", "--clearenv"]
        variables = environment() | {"LD_LIBRARY_PATH": f"{PYTHON}/lib"}
        for name, value in variables.items():
            command += ["--setenv", name, value]
        command += ["--", *(self._drop(setpriv) if root else ()), *_own_pid_namespace(unshare)]
        command += [_python_inside(), *INTERPRETER_FLAGS, "-c", bootstrap([PRIVATE], [PACKAGES])]
        return Launch(tuple(command), {})

    def _drop(self, setpriv: str) -> tuple[str, ...]:
        user = str(self.uid)
        return (
            setpriv,
            "--reuid",
            user,
            "--regid",
            user,
            "--clear-groups",
            "--bounding-set=-all",
            "--inh-caps=-all",
            "--no-new-privs",
        )


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        package = "bubblewrap" if name == "bwrap" else "util-linux"
        raise LayerMissing("namespaces", f"{name} is not installed; as root: apt-get install {package}")
    return os.path.realpath(path)


def _namespaces(root: bool) -> list[str]:
    options = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    options += ["--die-with-parent", "--new-session"]
    if root:  # no user namespace here: inside one, the kernel would still attribute everything to root
        options += ["--cap-drop", "ALL"]
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            options += ["--cap-add", capability]
        return options
    return [*options, "--unshare-user"]


def _system(setpriv: str, unshare: str) -> list[str]:
    """Mount the shared libraries and the two tools that start the zygote, but nothing else of /usr."""
    options = []
    for folder in PARENTS:
        # parents that bubblewrap creates implicitly are accessible to its own user only
        options += ["--perms", "755", "--dir", folder]
    for folder in ("/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/libx32"):
        if os.path.isdir(folder):
            options += ["--ro-bind", folder, folder]
    for folder in ("/lib", "/lib64", "/lib32", "/libx32"):
        if os.path.islink(folder):
            options += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            options += ["--ro-bind", folder, folder]
    if os.path.exists("/etc/ld.so.cache"):
        options += ["--ro-bind", "/etc/ld.so.cache", "/etc/ld.so.cache"]
    if os.path.isdir("/usr/lib/python3"):
        options += _hidden("/usr/lib/python3")  # Debian's own packages: a profile may import only the packages it lists
    for tool in (setpriv, unshare):
        options += ["--ro-bind", tool, tool]
    options += ["--tmpfs", "/dev", "--dir", "/dev/shm"]  # no terminals and no pts: only the devices that computing needs
    for device in ("null", "zero", "full", "random", "urandom"):
        options += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    return [*options, "--remount-ro", "/dev", "--proc", "/proc", "--perms", "1777", "--tmpfs", "/tmp"]


def _interpreter() -> list[str]:
    """Mount the interpreter at a fixed path, because another user may be unable to enter its original folder."""
    if sys.base_prefix == "/usr":
        return ["--ro-bind", _base_python(), _base_python()]
    packages = os.path.relpath(sysconfig.get_path("purelib", vars={"base": sys.base_prefix}), sys.base_prefix)
    return ["--ro-bind", sys.base_prefix, PYTHON, *_hidden(f"{PYTHON}/{packages}")]


def _hidden(folder: str) -> list[str]:
    """Cover a folder with an empty one. It is read-only, so that jobs cannot use it to exchange files."""
    return ["--tmpfs", folder, "--remount-ro", folder]


def _base_python() -> str:
    return os.path.realpath(sys.executable)


def _python_inside() -> str:
    if sys.base_prefix == "/usr":
        return _base_python()
    return f"{PYTHON}/{os.path.relpath(_base_python(), os.path.realpath(sys.base_prefix))}"


def _own_pid_namespace(unshare: str) -> tuple[str, ...]:
    return (unshare, "--user", "--map-current-user", "--keep-caps", "--pid", "--fork", "--kill-child")
