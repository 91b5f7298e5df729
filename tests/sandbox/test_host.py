"""Zygote, spare, session: what each survives, and that every wait has an end."""

import os
import select
import signal
import time
from collections.abc import Callable

import pytest

from autograder.library.sandboxes import backend
from sandbox.errors import JobEnded, OutOfTime, ZygoteDied
from sandbox.host import Sandbox
from sandbox.selfcheck import children, descendants
from sandbox.session import Session
from sandbox.wire import Answer, Frame, Limits, Loaded, Raised

SHORT = Limits(cpu_seconds=1, wall_seconds=4.0)
HONEST = b"def f(x):\n    return x + 1\n"


def loaded(box: Sandbox, source: bytes, limits: Limits | None = None) -> Session:
    session = box.session(limits)
    reply = session.load(source)
    assert isinstance(reply, Loaded), reply
    return session


def value(session: Session, name: str, *args: object, seconds: float | None = None) -> object:
    reply = session.ask("call", name, list(args), seconds=seconds)
    assert isinstance(reply, Answer), reply
    return reply.value


def works(box: Sandbox) -> bool:
    with loaded(box, HONEST) as session:
        return value(session, "f", 1) == 2


def zygote_pid(box: Sandbox) -> int:
    """The zygote is the process of ours that has a spare below it."""
    parents = [pid for pid in descendants(box.launcher_pid or 0) if children(pid)]
    return parents[-1]


def wait_until(condition: Callable[[], bool], seconds: float = 300.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def gone(box: Sandbox) -> bool:
    """Whether the zygote's end of the control socket is closed: only then can the host know that it died."""
    assert box._zygote is not None
    poll = select.poll()
    poll.register(box._zygote.control, select.POLLHUP)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def test_every_submission_starts_from_the_same_clean_process(python_box: Sandbox) -> None:
    with loaded(python_box, b"import builtins, os\nbuiltins.POISON = 1\nopen('/tmp/left', 'w').close()\n"):
        pass
    source = b"import builtins, os\ndef look():\n    return [hasattr(builtins, 'POISON'), os.listdir('/tmp'), os.getpid()]\n"
    with loaded(python_box, source) as session:
        assert value(session, "look") == [False, [], 1]


def test_one_zygote_serves_many(python_box: Sandbox) -> None:
    before = python_box.starts
    assert all(works(python_box) for _ in range(20))
    assert python_box.starts == before


def test_a_zygote_is_replaced_after_so_many_submissions() -> None:
    with Sandbox(backend(), "python", recycle_after=3) as box:
        assert all(works(box) for _ in range(7))
        assert box.starts == 3


def test_a_tainted_zygote_is_replaced(python_box: Sandbox) -> None:
    works(python_box)
    before = python_box.starts
    python_box.taint()
    assert works(python_box)
    assert python_box.starts == before + 1


def test_a_killed_zygote_ends_the_session_as_our_fault_and_the_next_one_works() -> None:
    with Sandbox(backend(), "python") as box:
        session = loaded(box, HONEST)
        os.kill(zygote_pid(box), signal.SIGKILL)
        with pytest.raises(ZygoteDied):
            for _ in range(1000):
                value(session, "f", 1)
        session.close()
        assert works(box)
        assert box.starts == 2


def test_a_zygote_killed_between_sessions_is_replaced() -> None:
    with Sandbox(backend(), "python") as box:
        assert works(box)
        os.kill(zygote_pid(box), signal.SIGKILL)
        assert wait_until(lambda: gone(box))
        assert works(box)


def test_closing_a_sandbox_leaves_no_process() -> None:
    box = Sandbox(backend(), "python")
    session = loaded(box, HONEST)
    launcher = box.launcher_pid or 0
    assert wait_until(lambda: len(descendants(launcher)) >= 4), "the next spare is forked beside the session"
    pids = descendants(launcher)
    box.close()
    session.close()
    assert wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids))


def test_a_closed_session_leaves_only_zygote_and_spare(python_box: Sandbox) -> None:
    for _ in range(5):
        works(python_box)
    zygote = zygote_pid(python_box)
    assert wait_until(lambda: len(children(zygote)) == 1)


def test_a_sleeper_is_ended_by_the_wall_timer(python_box: Sandbox) -> None:
    limits = Limits(cpu_seconds=5, wall_seconds=3.0)
    with loaded(python_box, b"import time\ndef f():\n    time.sleep(60)\n", limits) as session:
        with pytest.raises(JobEnded) as ended:
            value(session, "f")
        assert ended.value.reason == "timeout-wall"
    assert works(python_box)


def test_a_busy_loop_is_ended_by_the_cpu_limit(python_box: Sandbox) -> None:
    limits = Limits(cpu_seconds=1, wall_seconds=80.0)
    with loaded(python_box, b"def f():\n    while True: pass\n", limits) as session:
        with pytest.raises(JobEnded) as ended:
            value(session, "f")
        assert ended.value.reason == "timeout-cpu"
    assert works(python_box)


def test_a_question_can_have_less_time_than_the_session(python_box: Sandbox) -> None:
    with loaded(python_box, b"import time\ndef f():\n    time.sleep(60)\n", SHORT) as session:
        with pytest.raises(OutOfTime):
            value(session, "f", seconds=0.2)
        with pytest.raises(JobEnded):
            value(session, "f")


def test_an_answer_that_came_while_the_host_stood_still_is_not_late(
    python_box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with loaded(python_box, HONEST) as session:
        job = session._job
        next_frame = job.next_frame

        def stand_still() -> Frame | None:
            """Until the answer waits in the pipe, for which all time is then over."""
            frame = next_frame()
            assert frame is not None or select.select([job.answers], [], [], 60.0)[0]
            return frame

        monkeypatch.setattr(job, "next_frame", stand_still)
        assert value(session, "f", 1, seconds=0.0) == 2


def test_progress_that_nobody_waited_for_is_not_taken_for_that_of_now(python_box: Sandbox) -> None:
    source = b"import time\ndef f():\n    until = time.process_time() + 0.1\n    while time.process_time() < until: pass\n"
    with loaded(python_box, source) as session:
        zygote = zygote_pid(python_box)
        os.kill(zygote, signal.SIGSTOP)
        assert python_box.progress(session._job.number, 0.0) is None
        os.kill(zygote, signal.SIGCONT)
        value(session, "f")
        before = session.progress().cpu_seconds
        value(session, "f")
        assert before >= 0.1 and session.progress().cpu_seconds - before >= 0.1


def test_a_crash_is_told_from_an_exit(python_box: Sandbox) -> None:
    for source, what in (
        (b"import os\ndef f(): os._exit(3)\n", ("exit", 3)),
        (b"import ctypes\ndef f(): ctypes.string_at(0)\n", ("signal", "SIGSEGV")),
    ):
        with loaded(python_box, source, SHORT) as session:
            with pytest.raises(JobEnded) as ended:
                value(session, "f")
            assert ended.value.reason == "crash"
            assert (ended.value.cause, ended.value.figure) == what


def test_output_is_kept_apart_by_question_and_capped(python_box: Sandbox) -> None:
    source = b"print('loaded')\ndef f(n):\n    print('x' * n)\n"
    with loaded(python_box, source) as session:
        assert session.take_output() == b"loaded\n"
        value(session, "f", 3)
        assert session.take_output() == b"xxx\n"
        value(session, "f", 200_000)
        assert session.take_output() == b"x" * session.limits.output_kept
        assert session.output_cut


def test_a_flood_ends_the_session(python_box: Sandbox) -> None:
    with loaded(python_box, b"import os\ndef f():\n    while True: os.write(1, b'x' * 65536)\n", SHORT) as session:
        with pytest.raises(JobEnded) as ended:
            value(session, "f")
        assert ended.value.reason == "output"


@pytest.mark.parametrize(
    "write",
    [b"b'\\xff' * 8", b"b'\\0\\0\\0\\1\\0\\0\\0\\0\\xc0'", b"b'\\0\\0\\0\\2\\0\\0\\0\\0hi'"],
    ids=["a length over the limit", "nothing", "text"],
)
def test_bytes_that_are_no_frame_end_the_session(python_box: Sandbox, write: bytes) -> None:
    source = b"import os, time\ndef f():\n    os.write(4, " + write + b")\n    time.sleep(60)\n"
    with loaded(python_box, source, SHORT) as session:
        with pytest.raises(JobEnded) as ended:
            value(session, "f")
        assert ended.value.reason == "protocol"


def test_an_answer_to_a_question_not_asked_ends_the_session(python_box: Sandbox) -> None:
    source = (
        b"import os, struct\ndef f():\n"
        b"    frame = b'\\x83\\xa4type\\xa6answer\\xa6number\\x63\\xa5value\\x01'\n"
        b"    os.write(4, struct.pack('>II', len(frame), 0) + frame)\n"
    )
    with loaded(python_box, source, SHORT) as session:
        with pytest.raises(JobEnded) as ended:
            value(session, "f")
        assert ended.value.reason == "protocol"


def test_no_descriptor_of_the_host_is_open_in_a_job() -> None:
    """Also when the host has so many files open that the control channel has a high number."""
    held = [os.dup(0) for _ in range(300)]
    try:
        with Sandbox(backend(), "python") as box:
            source = b"import os\ndef f():\n    return [n for n in range(4096) if alive(n)]\n"
            source += b"def alive(n):\n    try: os.fstat(n)\n    except OSError: return False\n    return True\n"
            with loaded(box, source) as session:
                assert value(session, "f") == [0, 1, 2, 3, 4, 5]
    finally:
        for descriptor in held:
            os.close(descriptor)


def test_large_arguments_and_answers_cross_whole(python_box: Sandbox) -> None:
    with loaded(python_box, b"def f(text):\n    return text[::-1]\n") as session:
        text = "ab" * 500_000
        assert value(session, "f", text) == text[::-1]


def test_a_job_that_does_not_read_cannot_block_the_host(python_box: Sandbox) -> None:
    source = b"import threading, os, time\ndef f(x=0):\n    threading.Thread(target=stop).start()\n    return 1\n"
    source += b"def stop():\n    os.close(3)\n"
    limits = Limits(cpu_seconds=2, wall_seconds=4.0)
    with loaded(python_box, source, limits) as session:
        assert value(session, "f") == 1
        with pytest.raises(JobEnded):
            for _ in range(50):
                value(session, "f", "x" * 1_000_000)


def test_a_raised_exception_names_the_students_line(python_box: Sandbox) -> None:
    with loaded(python_box, b"def f():\n    return g()\n\ndef g():\n    raise ValueError('no')\n") as session:
        reply = session.ask("call", "f", [])
        assert isinstance(reply, Raised)
        assert (reply.type_name, reply.message) == ("ValueError", "no")
        assert [(line.number, line.function) for line in reply.lines] == [(2, "f"), (5, "g")]


def test_the_same_seed_gives_the_student_the_same_random_numbers(python_box: Sandbox) -> None:
    seen = []
    for seed in (1, 1, 2):
        with python_box.session() as session:
            session.load(b"import random\ndef f():\n    return random.random()\n", seed)
            seen.append(value(session, "f"))
    assert seen[0] == seen[1] != seen[2]
