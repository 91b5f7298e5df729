"""A client of a Docker engine that turns its errors into one sentence with cause and remedy."""

import contextlib
from collections.abc import Iterator
from typing import Any

import docker
import requests
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.utils import kwargs_from_env

from sandbox.errors import EngineTrouble

SECONDS = 60
WORDS_BYTES = 1 << 14


class Engine:
    def __init__(self, url: str = "") -> None:
        """`url` has the format of DOCKER_HOST; if empty, use the environment or the default socket."""
        self._url = url
        self._client: docker.APIClient | None = None

    def require(self, image: str) -> str:
        """Return the image's id. Raises `EngineTrouble` if the engine or the image is missing."""
        with self._asking(image):
            return str(self._api.inspect_image(image)["Id"])

    def start(self, configuration: dict[str, Any], name: str) -> str:
        """Start a container and return its id. The container is removed if it does not start or lacks one of the requested limits."""
        with self._asking(configuration["Image"]):
            made = self._api.create_container_from_config(configuration, name)
        identity = str(made["Id"])
        try:
            with self._asking(configuration["Image"]):
                self._refuse_warnings(made.get("Warnings") or [])
                self._api.start(identity)
        except EngineTrouble:
            self.remove(identity)
            raise
        return identity

    def _refuse_warnings(self, warnings: list[str]) -> None:
        """Reject a container created with warnings. An engine that cannot enforce a limit only warns and continues without it."""
        if warnings:
            raise EngineTrouble(
                f"the container engine does not keep a limit: {' '.join(warnings)}. Enable the cgroup controllers memory and "
                "pids on this machine (a kernel argument such as cgroup_enable=memory), then restart the engine"
            )

    def runs(self, identity: str) -> bool:
        with self._asking():
            try:
                return bool(self._api.inspect_container(identity)["State"]["Running"])
            except NotFound:
                return False

    def pid_of(self, identity: str) -> int | None:
        with self._asking():
            try:
                return int(self._api.inspect_container(identity)["State"]["Pid"]) or None
            except NotFound:
                return None

    def last_words(self, identity: str) -> str:
        """Return the last log line of an ended container, or a note that it exceeded its memory limit."""
        with contextlib.suppress(EngineTrouble), self._asking():
            try:
                state = self._api.inspect_container(identity)["State"]
                log = self._api.logs(identity, stdout=True, stderr=True, tail=20)[-WORDS_BYTES:]
            except NotFound:
                return ""
            lines = log.decode("utf-8", "replace").strip().splitlines()
            if state.get("OOMKilled"):
                lines.append("the container's memory limit was reached")
            return lines[-1] if lines else str(state.get("Error", ""))
        return ""

    def remove(self, identity: str) -> None:
        """Kill and remove the container. One that a failing engine does not remove is swept at the next start."""
        with contextlib.suppress(EngineTrouble), self._asking(), contextlib.suppress(NotFound):
            self._api.remove_container(identity, force=True, v=True)

    def with_label(self, label: str, value: str) -> dict[str, dict[str, str]]:
        """Return all labels of the matching containers by container id, whether or not they are running."""
        with self._asking():
            found = self._api.containers(all=True, filters={"label": f"{label}={value}"})
        return {entry["Id"]: entry["Labels"] for entry in found}

    @property
    def _api(self) -> docker.APIClient:
        if self._client is None:
            address = {"base_url": self._url} if self._url else kwargs_from_env()
            self._client = docker.APIClient(**address, version="auto", timeout=SECONDS)
        return self._client

    @contextlib.contextmanager
    def _asking(self, image: str = "") -> Iterator[None]:
        try:
            yield
        except ImageNotFound as error:
            raise EngineTrouble(f"there is no image {image} on this machine; `make images` builds it") from error
        except APIError as error:
            if error.status_code == 404 and image and "image" in str(error.explanation).lower():
                raise EngineTrouble(f"there is no image {image} on this machine; `make images` builds it") from error
            raise EngineTrouble(f"the container engine refused: {_sentence(error.explanation)}") from error
        except (DockerException, requests.RequestException) as error:
            self._client = None
            raise EngineTrouble(_why_silent(error)) from error


def _why_silent(error: Exception) -> str:
    text = str(error)
    if "Permission denied" in text or "PermissionError" in text:
        return (
            "the container engine's socket may not be opened by this user; add the user to the group that owns it "
            "(usually: usermod -aG docker USER, then a new login)"
        )
    if "No such file" in text or "FileNotFoundError" in text or "Connection refused" in text:
        return "the container engine does not run; start it (systemctl start docker), or set DOCKER_HOST to where it listens"
    return f"the container engine does not answer: {_sentence(text)}"


def _sentence(text: object) -> str:
    return " ".join(str(text).split())[:400]
