"""What we ask of a Docker engine, and its errors as one sentence with cause and cure."""

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
        """`url` as in DOCKER_HOST; empty takes the environment's, or the usual socket."""
        self._url = url
        self._client: docker.APIClient | None = None

    def require(self, image: str) -> str:
        """The image's id; raises when engine or image is not there."""
        with self._asking(image):
            return str(self._api.inspect_image(image)["Id"])

    def start(self, configuration: dict[str, Any], name: str) -> str:
        """A running container. Nothing is left when it does not start, or not with every limit asked for."""
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
        """An engine that cannot keep a limit says so and goes on without; we do not."""
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
        """The last line of a container that is gone, or the machine's word that it was killed for its memory."""
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
        """End it and forget it. One that an engine in trouble keeps is swept at the next start."""
        with contextlib.suppress(EngineTrouble), self._asking(), contextlib.suppress(NotFound):
            self._api.remove_container(identity, force=True, v=True)

    def with_label(self, label: str, value: str) -> dict[str, dict[str, str]]:
        """Containers by id, with all their labels, whether they run or not."""
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
