"""The browser of the tests is not told of changes of the network."""

import subprocess
import sys

from tests import steady_network
from tests.browser import chromium

ASK = "import socket; socket.socket(socket.AF_INET); socket.socket(socket.{family})"


def run(family: str) -> "subprocess.CompletedProcess[str]":
    command = (sys.executable, "-P", steady_network.__file__, sys.executable, "-c", ASK.format(family=family))
    return subprocess.run(command, capture_output=True, text=True)


def test_only_netlink_is_refused() -> None:
    assert run("AF_UNIX").returncode == 0
    assert "Address family not supported" in run("AF_NETLINK").stderr


def test_chromium_runs_in_it() -> None:
    with chromium() as browser:
        page = browser.new_page()
        page.set_content("<h1>Gradus</h1>")
        assert page.get_by_role("heading").inner_text() == "Gradus"
