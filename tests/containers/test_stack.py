"""The whole site from `docker-compose.yml`, as an operator starts it: handed in over HTTP, graded in a container, read back."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import docker
import pytest

from tests.cast import source_of
from tests.containers.engine import ROOT
from tests.servers import free_port, wait_for

PROJECT = "gradus-test"
SERVICES = ("web", "scheduler", "lms-sender", "worker", "engine", "postgres", "redis")
ESCAPES = {
    "start a container of root with the machine in it": (
        "client.containers.run('gradus-sandbox', ['id'], user='0', privileged=True, volumes={'/': {'bind': '/host'}})"
    ),
    "start one of the site's own images": "client.containers.run('gradus-worker', ['id'])",
    "enter the database": f"client.containers.get('{PROJECT}_postgres_1').exec_run('id')",
    "list all containers": "client.containers.list(all=True)",
    "build an image": "client.api.build(fileobj=__import__('io').BytesIO(b'FROM scratch')).__next__()",
}
ROSTER = "login,email,name,role\nada,ada@example.org,Ada Lovelace,student\nben,ben@example.org,Ben Ali,student\n"


class Stack:
    """A folder as an operator has it: the compose file, `.env`, `secrets/`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        for part in ("docker-compose.yml", "tools/first_start.sh"):
            (folder / part).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / part, folder / part)
        self.settings = {
            "COMPOSE_PROJECT_NAME": PROJECT,
            "HOSTS": "127.0.0.1",
            "GRADUS_LISTEN": f"127.0.0.1:{self.port}",
            "GRADUS_BEHIND_PROXY": "172.16.0.0/12,192.168.0.0/16,10.0.0.0/8",
            "GRADUS_RUN": str(folder / "run"),
            "GRADUS_WORKER_PROCESSES": "1",
            "POSTGRES_IMAGE": "gradus-test-postgres",
            "REDIS_IMAGE": "gradus-test-redis",
        }

    def run(self, *command: str, check: bool = True, **settings: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | self.settings | settings
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert not check or done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}\n{done.stderr}"
        return done

    def compose(self, *arguments: str, check: bool = True) -> str:
        return self.run(*COMPOSE, *arguments, check=check).stdout

    def manage(self, *arguments: str) -> str:
        return self.compose("exec", "-T", "web", "python", "manage.py", *arguments)

    def container(self, service: str) -> Any:
        filters: dict[str, str | list[str] | bool] = {
            "label": [f"com.docker.compose.project={PROJECT}", f"com.docker.compose.service={service}"]
        }
        return docker.from_env().containers.list(filters=filters)[0]


COMPOSE = ("docker-compose",) if shutil.which("docker-compose") else ("docker", "compose")


class Browser:
    """Signed in over a proxy that speaks TLS, as far as the site can tell."""

    def __init__(self, port: int) -> None:
        self.port, self.cookies = port, dict[str, str]()

    def get(self, path: str) -> tuple[int, str]:
        return self._ask(path, None)

    def post(self, path: str, **form: str) -> tuple[int, str]:
        return self._ask(path, form | {"csrfmiddlewaretoken": self._csrf()})

    def _csrf(self) -> str:
        return next((value for name, value in self.cookies.items() if "csrf" in name), "")

    def _ask(self, path: str, form: dict[str, str] | None) -> tuple[int, str]:
        body = urllib.parse.urlencode(form).encode() if form is not None else None
        base = f"http://127.0.0.1:{self.port}"
        headers = {
            "X-Forwarded-Proto": "https",
            "X-Forwarded-For": "203.0.113.7",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "Host": "127.0.0.1",
            "Origin": "https://127.0.0.1",
            "Referer": "https://127.0.0.1/",
        }
        request = urllib.request.Request(base + path, body, headers)
        opener = urllib.request.build_opener(_NoRedirect)
        try:
            answer = opener.open(request, timeout=15)
        except urllib.error.HTTPError as error:
            answer = error
        for line in answer.headers.get_all("Set-Cookie") or []:
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(line).items()}
        return answer.status, answer.read().decode()


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    stack = Stack(tmp_path_factory.mktemp("stack"))
    stack.run("tools/first_start.sh")
    stack.compose("down", "-v", "--timeout", "20", check=False)  # volumes of a run that was killed have another password
    try:
        stack.run(*COMPOSE, "up", "-d", "--no-build", check=True)
        browser = Browser(stack.port)
        wait_for(lambda: answers(browser), "the site does not answer")
        set_up(stack)
        yield stack
    finally:
        print(stack.compose("logs", "--tail", "60", check=False)[-6000:])
        stack.compose("down", "-v", "--timeout", "20", check=False)


def answers(browser: Browser) -> bool:
    try:
        return browser.get("/readyz")[0] == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def set_up(stack: Stack) -> None:
    stack.manage("shell", "-c", MAKE_OWNER)
    stack.manage("course", "create", "autodiff", "--title", "Automatic differentiation", "--owner", "grace")
    stack.manage("shell", "-c", f"open('/tmp/roster.csv', 'w').write({ROSTER!r})")
    stack.manage("course", "roster", "autodiff", "/tmp/roster.csv")
    stack.manage("course", "assign", "autodiff", "value-engine", "--due", "2037-03-06")
    stack.manage("course", "assign", "autodiff", "fn-cubic", "--due", "2037-03-06")


MAKE_OWNER = (
    "from autograder.courses.models import User; "
    "User.objects.create_superuser('grace', 'grace@example.org', 'a-long-enough-secret-1')"
)
SET_PASSWORD = (
    "from autograder.courses.models import User; "
    "u = User.objects.get(username='{0}'); u.set_password('{0}-has-a-secret-9'); u.save()"
)


def signed_in(stack: Stack, name: str) -> Browser:
    stack.manage("shell", "-c", SET_PASSWORD.format(name))
    browser = Browser(stack.port)
    assert browser.get("/sign-in/")[0] == 200
    status, page = browser.post("/sign-in/", username=name, password=f"{name}-has-a-secret-9")
    assert status == 302, page[-2000:]
    return browser


def grading_of(stack: Stack, submission: int) -> dict[str, Any]:
    """The current grading as stored, once it is there."""
    look = (
        "import json; from autograder.submissions.models import Grading; "
        f"g = Grading.objects.filter(submission_id={submission}, current=True).first(); "
        "print(json.dumps(g and {'verdict': g.verdict, 'score': float(g.score), 'sandbox': g.report['sandbox'], 'why': g.why}))"
    )
    found: list[dict[str, Any]] = []

    def there() -> bool:
        found[:] = [json.loads(stack.manage("shell", "-c", look).splitlines()[-1])]
        return bool(found[0])

    wait_for(there, "nothing is graded")
    return found[0]


def last_submission(stack: Stack) -> int:
    look = "from autograder.submissions.models import Submission; print(Submission.objects.order_by('-pk')[0].pk)"
    return int(stack.manage("shell", "-c", look).splitlines()[-1])


def test_what_is_handed_in_over_http_is_graded_in_a_container_and_read_back(stack: Stack) -> None:
    ada = signed_in(stack, "ada")
    status, page = ada.get("/c/autodiff/value-engine/")
    assert status == 200 and "scalar engine" in page
    status, page = ada.post("/c/autodiff/value-engine/hand-in/", kind="submit", source=source_of("value-engine").decode())
    assert status == 302, page[-2000:]
    grading = grading_of(stack, last_submission(stack))
    assert grading == {"verdict": "passed", "score": 10.0, "sandbox": "container", "why": "first"}
    status, page = ada.get("/c/autodiff/grades/")
    assert status == 200 and re.search(r"10\b", page)


def test_a_torch_exercise_is_graded_too(stack: Stack) -> None:
    ben = signed_in(stack, "ben")
    ben.post("/c/autodiff/fn-cubic/hand-in/", kind="submit", source=source_of("fn-cubic").decode())
    assert grading_of(stack, last_submission(stack))["verdict"] == "passed"


def test_a_wrong_answer_is_explained_by_what_the_learner_made(stack: Stack) -> None:
    stack.compose("run", "--rm", "-T", "learner", "python", "manage.py", "exercise", "learn", "--quick", "value-engine")
    ada = signed_in(stack, "ada")
    wrong = source_of("value-engine", "wrong/overwrites-instead-of-accumulating")
    ada.post("/c/autodiff/value-engine/hand-in/", kind="submit", source=wrong.decode())
    submission = last_submission(stack)
    grading_of(stack, submission)
    look = (
        "from autograder.submissions.models import Grading; "
        f"print([e['key'] for e in Grading.objects.get(submission_id={submission}, current=True).diagnosis or []])"
    )
    wait_for(lambda: "overwrites-instead-of-accumulating" in stack.manage("shell", "-c", look), "the mistake is not named")


def test_one_request_id_leads_from_the_web_to_the_worker(stack: Stack) -> None:
    lines = [
        json.loads(line)
        for service in ("web", "worker")
        for line in stack.container(service).logs().decode().splitlines()
        if line.startswith("{")
    ]
    handed = next(line for line in lines if line.get("event") == "handed in")
    events = [line["event"] for line in lines if line.get("request") == handed["request"]]
    assert {"handed in", "answered", "claimed", "graded"} <= set(events)


def test_a_worker_killed_from_outside_comes_back_and_nothing_is_lost(stack: Stack) -> None:
    ada = signed_in(stack, "ada")
    slow = source_of("value-engine") + b"\nimport time\ntime.sleep(3)\n"
    ada.post("/c/autodiff/value-engine/hand-in/", kind="submit", source=slow.decode())
    submission = last_submission(stack)
    time.sleep(1.0)
    os.kill(stack.container("worker").attrs["State"]["Pid"], signal.SIGKILL)
    assert grading_of(stack, submission)["verdict"] == "passed"


def test_redis_and_postgres_may_go_for_a_while(stack: Stack) -> None:
    ben = signed_in(stack, "ben")
    for service in ("redis", "postgres"):
        os.kill(stack.container(service).attrs["State"]["Pid"], signal.SIGKILL)
    wait_for(lambda: answers(ben), "the site does not come back")
    status, page = ben.post("/c/autodiff/value-engine/hand-in/", kind="submit", source=source_of("value-engine").decode())
    assert status == 302, page[-2000:]
    assert grading_of(stack, last_submission(stack))["verdict"] == "passed"


def test_a_backup_of_the_stack_is_one_file(stack: Stack) -> None:
    said = stack.manage("backup", "/data/site.zip")
    assert "rows" in said
    stack.compose("exec", "-T", "web", "python", "manage.py", "restore", "/data/site.zip", "--check")


def test_no_container_of_the_site_is_root_or_holds_what_it_does_not_need(stack: Stack) -> None:
    for service in SERVICES:
        attributes = stack.container(service).attrs
        host = attributes["HostConfig"]
        assert attributes["Config"]["User"] == ("" if service == "postgres" else "10001:10001")
        assert host["ReadonlyRootfs"] and host["CapDrop"] == ["ALL"] and not host["Privileged"]
        assert bool(host["CapAdd"]) == (service == "postgres")
        assert host["SecurityOpt"] == ["no-new-privileges:true"] and host["Init"]
        assert host["Memory"] and host["PidsLimit"]
        sockets = [mount["Source"] for mount in attributes["Mounts"] if mount["Source"].endswith("docker.sock")]
        assert bool(sockets) == (service == "engine")
        assert not any(PROJECT in value and "password" in value.lower() for value in attributes["Config"]["Env"])
    for secret in (stack.folder / "secrets").iterdir():
        for service in ("web", "worker", "postgres", "redis"):
            assert secret.read_text() not in json.dumps(stack.container(service).attrs), secret.name


def test_database_and_broker_are_in_a_network_without_a_way_out(stack: Stack) -> None:
    for service in SERVICES:
        networks = set(stack.container(service).attrs["NetworkSettings"]["Networks"])
        inside, outside = f"{PROJECT}_inside", f"{PROJECT}_default"
        wanted = {"engine": {"none"}} | {name: {inside, outside} for name in ("web", "worker", "lms-sender")}
        assert networks == wanted.get(service, {inside}), service
    assert docker.from_env().networks.get(f"{PROJECT}_inside").attrs["Internal"]


@pytest.mark.parametrize("escape", ESCAPES)
def test_a_worker_cannot_use_the_engine_for_anything_else(stack: Stack, escape: str) -> None:
    """What somebody would try who has taken over a worker."""
    program = f"import docker; client = docker.from_env(); {ESCAPES[escape]}"
    done = stack.run(*COMPOSE, "exec", "-T", "worker", "python", "-c", program, check=False)
    assert done.returncode != 0
    assert "the engine proxy does not let this call through" in done.stderr, done.stderr[-2000:]


def test_nothing_is_left_as_a_zombie(stack: Stack) -> None:
    for service in SERVICES:
        states = [row[0] for row in stack.container(service).top(ps_args="-o state,pid,args")["Processes"]]
        assert states and not [state for state in states if state.startswith("Z")], service


def test_the_web_process_has_no_torch_and_little_memory(stack: Stack) -> None:
    assert "torch" not in stack.compose("exec", "-T", "web", "sh", "-c", "ls /opt/site/lib/python3.11/site-packages /opt")
    processes = stack.container("web").top(ps_args="-o pid,rss,args")["Processes"]
    rss = max(int(row[1]) for row in processes if "uvicorn" in row[-1])  # beside the init
    assert rss < 150_000, f"{rss} kB"


@pytest.mark.parametrize(
    "wrong, told",
    [
        ({"DEBUG": "1"}, "DEBUG"),
        ({"GRADUS_SECRET_KEY_FILE": "", "GRADUS_SECRET_KEY": "change-me"}, "GRADUS_SECRET_KEY"),
        ({"GRADUS_HOSTS": ""}, "GRADUS_HOSTS"),
        ({"GRADUS_DEMO_PASSWORD": "demo"}, "GRADUS_DEMO_PASSWORD"),
        ({"GRADUS_SANDBOX": "unsafe"}, "GRADUS_SANDBOX=unsafe"),
    ],
)
def test_a_site_that_is_not_fit_does_not_start(stack: Stack, wrong: dict[str, str], told: str) -> None:
    given = [word for name, value in wrong.items() for word in ("-e", f"{name}={value}")]
    done = stack.run(*COMPOSE, "run", "--rm", "--no-deps", "-T", *given, "web", "python", "manage.py", "check", check=False)
    assert done.returncode != 0
    assert told in done.stdout + done.stderr, done.stdout + done.stderr


def test_a_stack_without_its_secrets_does_not_start(tmp_path: Path) -> None:
    bare = Stack(tmp_path)
    done = bare.run(*COMPOSE, "config", "-q", check=False)
    assert done.returncode != 0 and "first_start.sh" in done.stdout + done.stderr
