"""The container sandbox: both modes hold their layers, and whatever is wrong with an engine is one sentence."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import docker
import msgspec
import pytest

from autograder.judge.grade import Judge
from autograder.judge.pack import LimitsTable, Pack
from autograder.library.sandboxes import suited
from sandbox import guest_version, seccomp
from sandbox.backends import container as backend
from sandbox.backends.container import Container
from sandbox.backends.container_engine import Engine
from sandbox.backends.ownership import OWNER_LABEL, RUN_LABEL, OwnerLock
from sandbox.errors import EngineTrouble, JobEnded
from sandbox.host import Sandbox
from sandbox.pool import Pool
from sandbox.session import OUTER_MARGIN
from sandbox.wire import Answer, Limits, Loaded, Raised
from tests.containers.engine import ROOT
from tests.servers import wait_for

MIB = 1 << 20
UID = 61234
SOCKET = "/var/run/docker.sock"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="module")
def nested(run: Path) -> Container:
    return Container("gradus-sandbox", UID, run)


@pytest.fixture(scope="module")
def single(nested: Container) -> Container:
    return replace(nested, pool=2)


@pytest.fixture(scope="module")
def python_pool(single: Container) -> Iterator[Pool]:
    with Pool(single, "python") as pool:
        yield pool


def containers(run: Path, *, all_of_them: bool = False) -> list[Any]:
    """Those of ours, as the engine describes them."""
    filters: dict[str, str | list[str] | bool] = {"label": f"{RUN_LABEL}={(run / 'site').read_text()}"}
    return docker.from_env().containers.list(all=all_of_them, filters=filters)


def ask(box: Sandbox | Pool, source: str, name: str, *args: object) -> object:
    """What a function of a submission returns."""
    with box.session() as session:
        reply = session.load(source.encode())
        assert isinstance(reply, Loaded), reply
        answer = session.ask("call", name, list(args))
        assert isinstance(answer, Answer), answer
        return answer.value


def manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    settings = os.environ | {"GRADUS_SANDBOX": "container"} | environment
    return subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, timeout=180, check=False)


# -- layers ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["python", "torch"])
def test_every_layer_holds_with_nested_namespaces(profile: str) -> None:
    done = manage("selfcheck", "--profile", profile)
    assert "One container with a zygote" in done.stdout, done.stdout + done.stderr
    assert "All 13 layers are active." in done.stdout, done.stdout
    assert done.returncode == 0


def test_every_layer_but_proc_holds_in_a_container_for_one_submission() -> None:
    done = manage("selfcheck", GRADUS_SANDBOX_MODE="pool")
    assert "One container per submission; 2 are kept warm. (GRADUS_SANDBOX_MODE is pool)" in done.stdout, done.stderr
    assert "WITHOUT  proc" in done.stdout and "All 12 layers are active." in done.stdout, done.stdout
    assert done.returncode == 0


def test_without_nested_namespaces_the_pool_is_used_and_the_reason_reported(
    nested: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seccomp, "NESTING", "seccomp clone")
    seccomp.container_profile.cache_clear()
    try:
        chosen = suited(nested)
    finally:
        seccomp.container_profile.cache_clear()
    assert chosen.pool > 0
    assert "unshare" in chosen.why and "Operation not permitted" in chosen.why


def test_a_host_that_does_keeps_one_zygote(nested: Container) -> None:
    assert suited(nested).pool == 0


def test_no_request_to_the_engine_weakens_the_sandbox(nested: Container, run: Path) -> None:
    with Sandbox(nested, "numpy") as box:
        box.wait_until_warm()
        (mine,) = containers(run)
        host, config = mine.attrs["HostConfig"], mine.attrs["Config"]
    assert (host["NetworkMode"], host["Privileged"], host["ReadonlyRootfs"]) == ("none", False, True)
    assert host["CapDrop"] == ["ALL"] and not host["CapAdd"] and not host["Devices"] and not host["PidMode"]
    assert config["User"] == f"{UID}:{UID}"
    assert any(option.startswith("no-new-privileges") for option in host["SecurityOpt"])
    assert any('"defaultAction": "SCMP_ACT_ERRNO"' in option for option in host["SecurityOpt"])
    assert host["Memory"] == host["MemorySwap"] > 0 and host["PidsLimit"] > 0
    assert [(mount["Destination"], mount["RW"]) for mount in mine.attrs["Mounts"]] == [("/run/gradus", False)]


def test_every_layer_holds_for_a_worker_in_its_own_container(tmp_path: Path) -> None:
    """A user that is not root, and the engine's group."""
    os.chown(tmp_path, 10001, 10001)
    volumes = [f"{SOCKET}:{SOCKET}", f"{tmp_path}:{tmp_path}", f"{ROOT / 'sandbox'}:/app/sandbox:ro"]
    told = docker.from_env().containers.run(
        "gradus-worker", ["python", "manage.py", "selfcheck"], remove=True, read_only=True, network_mode="none",
        cap_drop=["ALL"], tmpfs={"/tmp": ""}, volumes=volumes, group_add=[os.stat(SOCKET).st_gid],
        environment={"GRADUS_DATA": "/tmp/data", "GRADUS_SANDBOX_RUN": str(tmp_path)},
    )  # fmt: skip
    assert "All 13 layers are active." in told.decode()


@pytest.mark.parametrize("profile, absent", [("python", ("numpy", "torch")), ("numpy", ("torch",))])
def test_a_profile_contains_only_the_packages_it_lists(nested: Container, profile: str, absent: tuple[str, ...]) -> None:
    source = (
        "import sys, os\n"
        "def reach(names):\n"
        "    sys.path += [f'/opt/packages/{name}' for name in os.listdir('/opt/packages')]\n"
        "    got = []\n"
        "    for name in names:\n"
        "        try:\n"
        "            __import__(name)\n"
        "            got.append(name)\n"
        "        except ImportError:\n"
        "            pass\n"
        "    return got\n"
    )
    with Sandbox(nested, profile) as box:
        assert ask(box, source, "reach", list(absent)) == []


# -- a pool of containers used once -----------------------------------------------------------------------------------------


def test_no_two_submissions_share_a_container(python_pool: Pool) -> None:
    source = (
        "import os\ndef place():\n    return [os.stat('/tmp').st_dev, open('/tmp/mine', 'a').tell(), os.listdir('/tmp')]\n"
    )
    first, second = ask(python_pool, source, "place"), ask(python_pool, source, "place")
    assert isinstance(first, list) and isinstance(second, list)
    assert first[1:] == second[1:] == [0, ["mine"]]
    assert python_pool.starts >= 2


def test_a_job_cannot_end_its_zygote(python_pool: Pool) -> None:
    """Or its wall time would not be measured, and its end not be told."""
    source = (
        "import os, signal, resource, time\n"
        "def rest():\n"
        "    time.sleep(30)\n"
        "def attack():\n"
        "    os.kill(1, signal.SIGKILL), os.kill(1, signal.SIGSTOP), os.kill(1, signal.SIGINT)\n"
        "    got = []\n"
        "    for reach in (lambda: resource.prlimit(1, resource.RLIMIT_CPU, (0, 0)), lambda: open('/proc/1/mem', 'rb'),\n"
        "                  lambda: os.listdir('/proc/1/fd'), lambda: os.readlink('/proc/1/exe')):\n"
        "        try:\n"
        "            got.append(repr(reach()))\n"
        "        except OSError as error:\n"
        "            got.append(None)\n"
        "    return got\n"
    )
    with python_pool.session(Limits(wall_seconds=1.0)) as session:
        session.load(source.encode())
        answer = session.ask("call", "attack", [])
        assert isinstance(answer, Answer) and answer.value == [None] * 4, answer
        start = time.monotonic()
        with pytest.raises(JobEnded, match="timeout-wall: wall 1"):
            session.ask("call", "rest", [])
        assert time.monotonic() - start < 1.0 + OUTER_MARGIN, "only the judge's own timer ended it"


def test_a_pool_is_filled_again_beside_the_work(python_pool: Pool) -> None:
    for _ in range(2):
        ask(python_pool, "def f():\n    return 1\n", "f")
    wait_for(lambda: python_pool.waiting == 2, "the pool is not filled")


def test_used_containers_are_removed(single: Container, run: Path) -> None:
    before = len(containers(run, all_of_them=True))
    with Pool(single, "python") as pool:
        for _ in range(3):
            ask(pool, "def f():\n    return 1\n", "f")
        wait_for(lambda: pool.waiting == 2, "the pool is not filled")
        wait_for(lambda: len(containers(run, all_of_them=True)) == before + 2, "used ones stay")
    assert len(containers(run, all_of_them=True)) == before


def test_a_whole_exercise_is_graded_in_containers_used_once(single: Container, packs: dict[str, Pack]) -> None:
    pack = packs["value-engine"]
    with Judge(single) as judge:
        assert judge.grade(pack, pack.solution, 7).verdict == "passed"


# -- what can be wrong with an engine ----------------------------------------------------------------------------------------


def test_an_engine_that_does_not_run_is_named_with_its_cure(nested: Container, tmp_path: Path) -> None:
    with pytest.raises(EngineTrouble, match=r"does not run; start it \(systemctl start docker\)"):
        Sandbox(replace(nested, engine=f"unix://{tmp_path}/none.sock"), "python").start()


def test_a_socket_nobody_listens_on_is_an_engine_that_does_not_run(nested: Container, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "dead.sock"))
    with pytest.raises(EngineTrouble, match="does not run"):
        Sandbox(replace(nested, engine=f"unix://{tmp_path}/dead.sock"), "python").start()


def test_a_socket_that_may_not_be_opened_is_named_with_its_cure(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "closed.sock"))
        listener.listen()
        (tmp_path / "closed.sock").chmod(0o600)
        for folder in (tmp_path, *tmp_path.parents[:2]):
            folder.chmod(0o755)
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setgid(UID)
            os.setuid(UID)
            try:
                Engine(f"unix://{tmp_path}/closed.sock").require("gradus-sandbox")
            except EngineTrouble as error:
                os._exit(0 if "may not be opened by this user" in str(error) else 2)
            os._exit(3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_image_that_is_not_there_is_named_with_its_cure(nested: Container) -> None:
    with pytest.raises(EngineTrouble, match="there is no image gradus-nowhere on this machine; `make images` builds it"):
        suited(replace(nested, image="gradus-nowhere"))
    with pytest.raises(EngineTrouble, match="there is no image gradus-nowhere"):
        Sandbox(replace(nested, image="gradus-nowhere"), "python").start()


def test_an_image_with_another_version_is_refused_before_anything_runs(
    nested: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an engine that is down: no work is tried on it, and it is no sign that namespaces do not nest."""
    monkeypatch.setattr(guest_version, "ours", lambda *_: "another")
    with pytest.raises(EngineTrouble, match="another version of the guest; `make images` builds"):
        Sandbox(nested, "python").start()
    with pytest.raises(EngineTrouble, match="another version"):
        suited(nested)


def test_a_run_folder_that_cannot_be_used_is_named_with_its_cure(nested: Container, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(
        EngineTrouble, match=r"the run folder .*/file cannot be used by user \d+ \(.*\); give it to that user"
    ):
        Sandbox(replace(nested, run=tmp_path / "file"), "python").start()


def test_commands_say_it_in_one_line() -> None:
    done = manage("selfcheck", DOCKER_HOST="unix:///nowhere/docker.sock")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "CommandError: Cannot grade: the container engine does not run; start it (systemctl start docker), "
        "or set DOCKER_HOST to where it listens"
    ]
    assert manage("selfcheck", GRADUS_SANDBOX_MODE="both").returncode == 2


# -- deaths -----------------------------------------------------------------------------------------------------------------

OWNER = """
import sys, time
from pathlib import Path
from typing import Any
from sandbox.backends.container import Container
from sandbox.host import Sandbox
box = Sandbox(Container("gradus-sandbox", 61234, Path(sys.argv[1])), "python")
box.wait_until_warm()
print("warm", flush=True)
time.sleep(60)
"""


def test_only_containers_of_dead_owners_are_removed(tmp_path: Path) -> None:
    owners = [
        subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE) for _ in range(2)
    ]
    try:
        for owner in owners:
            assert owner.stdout is not None and owner.stdout.readline() == b"warm\n"
        owners[0].send_signal(signal.SIGKILL)
        owners[0].wait()
        owner_lock, engine = OwnerLock(tmp_path), Engine()
        found = engine.with_label(RUN_LABEL, owner_lock.identity)
        assert len(found) == 2
        (swept,) = backend.sweep(engine, owner_lock)
        (left,) = engine.with_label(RUN_LABEL, owner_lock.identity)
        assert {swept, left} == set(found) and engine.runs(left)
        assert found[left][OWNER_LABEL] != found[swept][OWNER_LABEL]
        owner_lock.close()
    finally:
        for owner in owners:
            owner.kill()
            owner.wait()
        owner_lock = OwnerLock(tmp_path)
        backend.sweep(Engine(), owner_lock)
        owner_lock.close()


def test_a_zygote_ends_with_its_owner(tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE)
    assert owner.stdout is not None and owner.stdout.readline() == b"warm\n"
    owner_lock, engine = OwnerLock(tmp_path), Engine()
    (identity,) = engine.with_label(RUN_LABEL, owner_lock.identity)
    owner.kill()
    owner.wait()
    wait_for(lambda: not engine.runs(identity), "the container runs on")
    backend.sweep(engine, owner_lock)
    owner_lock.close()


def test_exceeding_the_container_memory_ends_only_that_submission(
    nested: Container, packs: dict[str, Pack], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit of the container is set below that of the job, so that the kernel's killer has to choose. While memory is
    short, the kernel charges its search for free pages to the job, so the job may compute for longer than usual.
    """
    monkeypatch.setattr(backend, "ZYGOTE_MEMORY", -1536 * MIB)
    pack = packs["value-engine"]
    pack = replace(pack, settings=msgspec.structs.replace(pack.settings, limits=LimitsTable(cpu_seconds=30)))
    greedy = b"x = bytearray(600 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\n"
    with Judge(nested) as judge:
        report = judge.grade(pack, greedy, 1)
        assert (report.verdict, report.reason) == ("error", "memory"), report.message
        assert judge.grade(pack, pack.solution, 1).verdict == "passed"


def test_a_submission_survives_the_death_of_its_container(nested: Container, packs: dict[str, Pack]) -> None:
    pack = packs["value-engine"]
    with Judge(nested) as judge:
        box = judge.sandbox("python")
        box.wait_until_warm()
        assert box.launcher_pid is not None
        os.kill(box.launcher_pid, signal.SIGKILL)
        assert judge.grade(pack, pack.solution, 1).verdict == "passed"
        assert box.starts == 2


def test_what_a_submission_raises_comes_back_as_data(nested: Container) -> None:
    with Sandbox(nested, "python") as box, box.session() as session:
        reply = session.load(b"raise ValueError('from inside')")
        assert isinstance(reply, Raised) and reply.message == "from inside"
