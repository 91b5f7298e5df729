"""A container engine for the tests: the one that runs, or one that is installed and started for them; and servers in images."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import docker
from docker.errors import DockerException

from tests.servers import wait_for

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"dockerd": "docker.io", "docker-compose": "docker-compose", "debootstrap": "debootstrap"}
# no rules for packets and no bridge of its own: enough for sandboxes without a network, and possible nearly everywhere
OPTIONS = ("--iptables=false", "--bridge=none")
SERVERS = ("postgres", "redis")


@contextmanager
def running_engine() -> Iterator[None]:
    install()
    if answers():
        yield
        return
    log = tempfile.NamedTemporaryFile("w+", prefix="dockerd-", suffix=".log", delete=False)  # noqa: SIM115 - outlives this
    process = subprocess.Popen(["dockerd", *OPTIONS], stdout=log, stderr=log, start_new_session=True)
    try:
        wait_for(lambda: answers() or process.poll() is not None, "the container engine does not start")
        if process.poll() is not None:
            sys.exit(f"dockerd ended with {process.returncode}:\n{Path(log.name).read_text()[-2000:]}")
        yield
    finally:
        process.terminate()
        process.wait(60)


def answers() -> bool:
    try:
        return bool(docker.from_env(timeout=5).ping())
    except DockerException:
        return False


def install() -> None:
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [package for tool, package in PACKAGES.items() if shutil.which(tool, path=path) is None]
    if not missing:
        return
    if os.geteuid() != 0:
        sys.exit(f"These tests need packages. As root: apt-get install {' '.join(missing)}")
    print("Installing", *missing, flush=True)
    quiet: dict[str, Any] = {
        "env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        "check": True,
        "stdout": subprocess.DEVNULL,
    }
    subprocess.run(["apt-get", "update", "-qq"], **quiet)
    subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], **quiet)


def stand_ins() -> None:
    """PostgreSQL and Redis from Debian's packages, as their published images behave. The engine keeps layers that did not change."""
    client = docker.from_env(timeout=900)
    for name in SERVERS:
        tag = f"gradus-test-{name}"
        folder = str(ROOT / "tests" / "containers" / "servers")
        base = {"BASE": os.environ.get("BASE") or "gradus-base:bookworm"}
        client.images.build(path=folder, target=name, tag=tag, buildargs=base, network_mode="host", rm=True, forcerm=True)
