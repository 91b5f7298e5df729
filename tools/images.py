"""Builds the images: `sandbox` (what student code runs in), `app` (web and scheduler) and `worker` (grades).

`docker compose build` does the same if a registry and a package index are available. This script also works with Debian's
archive alone: it then creates the base image with debootstrap and collects the wheels with the pip of this checkout first,
so that the build needs no network.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import docker
from docker.errors import APIError, BuildError, DockerException, ImageNotFound

ROOT = Path(__file__).resolve().parent.parent
WHEELS = ROOT / "build" / "wheels"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gradus-wheels"
PUBLIC_BASE = "debian:bookworm-slim"
OWN_BASE = "gradus-base:bookworm"
BASE_PACKAGES = "python3.11,python3.11-venv,python3-distutils,ca-certificates"
FILES = {"sandbox": "sandbox/image/Dockerfile", "app": "Dockerfile", "worker": "Dockerfile"}
MAX_SIZES = {"sandbox": 1300, "app": 400}  # megabytes


def base(client: docker.DockerClient, wanted: str) -> str:
    """Return the base image: the requested one, or one built here."""
    for name in (wanted, OWN_BASE):
        try:
            client.images.get(name)
            return name
        except ImageNotFound:
            pass
    try:
        client.images.pull(wanted)
        return wanted
    except (APIError, DockerException) as error:
        print(f"{wanted} cannot be pulled ({_short(error)}); making {OWN_BASE} from Debian's archive", flush=True)
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        sys.exit("This needs root and debootstrap: apt-get install debootstrap. Or set BASE to an image that you have.")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "root"
        command = ["debootstrap", "--variant=minbase", f"--include={BASE_PACKAGES}", "bookworm", str(made)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for unused in ("var/cache/apt/archives", "var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale"):
            shutil.rmtree(made / unused, ignore_errors=True)
        archive = Path(folder) / "root.tar"
        subprocess.run(["tar", "-C", str(made), "--numeric-owner", "-cf", str(archive), "."], check=True)
        repository, _, tag = OWN_BASE.partition(":")
        client.api.import_image_from_file(str(archive), repository=repository, tag=tag)
    return OWN_BASE


def collect_wheels() -> None:
    """Collect every package that an image may need as a wheel. Cached by lock file and shared by all checkouts."""
    lock = (ROOT / "requirements.lock").read_text()
    kept = CACHE / hashlib.sha256(lock.encode()).hexdigest()[:16]
    if not kept.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as fresh:
            _collect(Path(fresh) / kept.name)
            (Path(fresh) / kept.name).rename(kept)
    shutil.rmtree(WHEELS, ignore_errors=True)
    WHEELS.parent.mkdir(exist_ok=True)
    shutil.copytree(kept, WHEELS)


def _collect(folder: Path) -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    wanted.append("async-timeout")  # redis needs it on Debian's Python 3.11.2; the local Python may be newer
    options = ["--quiet", "--constraint", str(ROOT / "requirements.lock"), "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, *wanted], check=True)


def build(client: docker.DockerClient, name: str, arguments: dict[str, str], *, afresh: bool) -> str:
    tag = f"gradus-{name}"
    try:
        image, _ = client.images.build(
            path=str(ROOT), dockerfile=FILES[name], target=name, tag=tag, buildargs=arguments,
            network_mode="host", rm=True, forcerm=True, nocache=afresh,
        )  # fmt: skip
    except BuildError as error:
        sys.exit("\n".join([*_last_lines(error.build_log), f"{tag} was not built: {error.msg.strip()}"]))
    size = image.attrs["Size"] / 1e6
    ceiling = MAX_SIZES.get(name)
    print(f"{tag:16} {size:6.0f} MB" + (f" (limit {ceiling})" if ceiling else ""), flush=True)
    return tag


def contents(client: docker.DockerClient, tag: str) -> dict[str, str]:
    """Return every file of an image with mode, owner and hash. Times are ignored."""
    container = client.containers.create(tag)
    found = {}
    try:
        with tempfile.TemporaryFile() as file:
            for chunk in container.export():
                file.write(chunk)  # type: ignore[arg-type]  # the stubs say str, but it is bytes
            file.seek(0)
            with tarfile.open(fileobj=file) as archive:
                for entry in archive:
                    body = archive.extractfile(entry) if entry.isfile() else None
                    digest = hashlib.sha256(body.read()).hexdigest() if body else entry.linkname
                    found[entry.name] = f"{entry.mode:o} {entry.uid}:{entry.gid} {digest}"
    finally:
        container.remove()
    return found


def compare(client: docker.DockerClient, name: str, arguments: dict[str, str]) -> bool:
    """Return whether a build without cached layers produces the same files."""
    before = contents(client, f"gradus-{name}")
    after = contents(client, build(client, name, arguments, afresh=True))
    different = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    for path in different[:20]:
        print(f"  differs: {path}", flush=True)
    print(f"  {len(after)} files, {len(different)} differ from the build before", flush=True)
    return not different


def _last_lines(log: Iterator[dict[str, str]]) -> list[str]:
    return [line for part in log for line in part.get("stream", "").splitlines() if line.strip()][-15:]


def _short(error: Exception) -> str:
    explanation = getattr(error, "explanation", None) or str(error)
    return " ".join(str(explanation).split())[:150]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("images", nargs="*", default=list(FILES), help=f"images to build (default: {', '.join(FILES)})")
    parser.add_argument("--base", default=os.environ.get("BASE") or PUBLIC_BASE, help="base image")
    parser.add_argument("--afresh", action="store_true", help="do not use cached layers")
    parser.add_argument(
        "--twice", action="store_true", help="build twice, the second time without cached layers, and compare every file"
    )
    parser.add_argument("--json", action="store_true", help="print tags and ids as one line of JSON at the end")
    options = parser.parse_args()
    try:
        client = docker.from_env(timeout=900)
        client.ping()
    except DockerException as error:
        sys.exit(
            f"The container engine does not respond ({_short(error)}). Install it (apt-get install docker.io) and start it."
        )
    start = base(client, options.base)
    collect_wheels()
    arguments = {"BASE": start, "PIP_OPTIONS": "--no-index"}
    tags = [build(client, name, arguments, afresh=options.afresh) for name in options.images]
    if options.twice:
        same = [compare(client, name, arguments) for name in options.images]
        if not all(same):
            sys.exit("A second build of the same sources produced different files.")
    if options.json:
        print(json.dumps({tag: client.images.get(tag).id for tag in tags}))


if __name__ == "__main__":
    main()
