"""Callbacks: functions that a check lends to the student's code, and that run in the judge."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.judge.checks import Callback, CheckFailed, Student, array, fail, probe, tensor, to_numpy
from autograder.judge.checks.callbacks import MOST_CHARACTERS, MOST_ENTRIES
from autograder.judge.checks.student import StudentRaised
from sandbox.errors import JobEnded
from sandbox.wire import Opaque

Enter = Callable[..., Student]

CALLING = """
    def twice(f, *args):
        f(*args)
        return f(*args)
"""


def test_a_callback_runs_in_the_judge_and_its_calls_are_counted(enter: Enter) -> None:
    seen: list[Any] = []
    f = Callback("f", lambda *args: seen.append(args) or len(seen))  # type: ignore[func-returns-value]
    assert enter(CALLING).call("twice", f, 1, 2.5, "three", [None, True], {"k": (1,)}) == 2
    assert seen == [(1, 2.5, "three", [None, True], {"k": (1,)})] * 2
    assert f.calls == 2


def test_it_looks_like_a_function_and_knows_nothing(enter: Enter) -> None:
    """Everything that can be reached from it, as a submission would search; `known` shows that the search finds things."""
    source = """
        import gc, sys

        def found(f, known):
            seen, waiting = {}, [f, sys._getframe().f_locals, sys._getframe(1).f_locals, sys.modules]
            for thing in waiting:
                if id(thing) not in seen and len(seen) < 200_000:
                    seen[id(thing)] = thing
                    waiting += gc.get_referents(thing)
            return callable(f), sum(1 for thing in seen.values() if type(thing) is int and thing + 1 == 4051768)
    """
    student, secret = enter(source), 4051767
    f = Callback("f", lambda x: x + secret)
    assert student.call("found", f, 0) == (True, 0)
    assert student.call("found", f, [[secret]]) == (True, 1)


@pytest.mark.parametrize("profile", ["numpy", "torch"])
def test_arrays_cross_in_both_directions(enter: Enter, profile: str) -> None:
    make = array if profile == "numpy" else tensor
    student = enter("def apply(f, x):\n    return f(x, x.T) * 2", profile)
    f = Callback("f", lambda x, y: x @ y)
    x = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(to_numpy(student.call("apply", f, make(x))), 2 * x @ x.T)


def test_a_tensor_arrives_without_its_graph_and_counts_within_the_graph(enter: Enter) -> None:
    source = """
        import torch

        def gradient(f, x):
            (torch.sin(f(x) * x)).sum().backward()
            return x.grad
    """
    factors = iter([2.0, 3.0])
    f = Callback("f", lambda x: next(factors))
    x = np.array([0.3, 1.2])
    student = enter(source, "torch")
    for factor in (2.0, 3.0):
        given = to_numpy(student.call("gradient", f, tensor(x, requires_grad=True)))
        assert given == pytest.approx(factor * np.cos(factor * x))


def test_the_function_can_change_the_arrays_of_the_student_if_it_may(enter: Enter) -> None:
    def double(x: Any) -> float:
        x *= 2
        return float(x.sum())

    source = "import numpy as np\ndef apply(f):\n    x = np.ones(3)\n    return f(x[:2]), x"
    student = enter(source, "numpy")
    total, x = student.call("apply", Callback("f", double, in_place=True))
    assert (total, to_numpy(x).tolist()) == (4.0, [2, 2, 1])
    total, x = student.call("apply", Callback("f", double))
    assert (total, to_numpy(x).tolist()) == (4.0, [1, 1, 1])
    tensors = enter("import torch\ndef apply(f):\n    x = torch.ones(3, requires_grad=True)\n    return f(x), x", "torch")
    total, x = tensors.call("apply", Callback("f", double, in_place=True))
    assert (total, to_numpy(x).tolist()) == (6.0, [2, 2, 2])


def test_an_unchanged_array_is_not_written_to(enter: Enter) -> None:
    source = "import numpy as np\ndef apply(f):\n    x = np.ones(3)\n    x.flags.writeable = False\n    return f(x)"
    student = enter(source, "numpy")
    assert student.call("apply", Callback("f", lambda x: float(x.sum()), in_place=True)) == 3.0
    with pytest.raises(StudentRaised, match="read-only"):
        student.call("apply", Callback("f", lambda x: x.fill(0.0), in_place=True))


def test_an_exception_is_raised_in_the_students_code_by_its_built_in_name(enter: Enter) -> None:
    class Special(KeyError):
        pass

    class Own(Exception):
        pass

    def refuse(which: str) -> None:
        raise {"special": Special("k"), "own": Own("mine"), "value": ValueError("no")}[which]

    source = """
        def caught(f, which):
            try:
                f(which)
            except Exception as error:
                return type(error).__name__, str(error)
    """
    student = enter(source)
    assert student.call("caught", Callback("f", refuse), "special") == ("KeyError", repr("k"))
    assert student.call("caught", Callback("f", refuse), "own") == ("RuntimeError", "mine")
    with pytest.raises(StudentRaised, match="ValueError: no"):
        enter(CALLING).call("twice", Callback("f", refuse), "value")


def test_the_message_of_an_exception_is_cut(enter: Enter) -> None:
    def refuse() -> None:
        raise ValueError("x" * (MOST_CHARACTERS + 1))

    source = "def length(f):\n    try:\n        f()\n    except ValueError as error:\n        return len(str(error))"
    assert enter(source).call("length", Callback("f", refuse)) == MOST_CHARACTERS


def test_the_function_can_fail_the_check_whatever_the_code_makes_of_it(enter: Enter) -> None:
    def refuse(x: Any) -> None:
        raise fail("f was called with a matrix.", given=x)

    swallowing = "def call(f):\n    try:\n        f([[1]])\n    except Exception:\n        return 7"
    for source in (swallowing, "def call(f):\n    return f([[1]])"):
        with pytest.raises(CheckFailed, match="called with a matrix"):
            enter(source).call("call", Callback("f", refuse))


def test_too_many_calls_fail_the_check_and_the_session_goes_on(enter: Enter) -> None:
    source = """
        def flood(f):
            for _ in range(50):
                try:
                    f()
                except RuntimeError:
                    pass
            return 1
    """
    student = enter(source)
    f = Callback("f", lambda: 0, at_most=49)
    with pytest.raises(CheckFailed, match=r"called f more than 49 times"):
        student.call("flood", f)
    assert f.calls == 50
    assert student.call("flood", Callback("f", lambda: 0, at_most=50)) == 1


def test_what_a_function_cannot_take_is_the_callers_mistake(enter: Enter) -> None:
    never = Callback("f", lambda x: pytest.fail("it was called"))
    with pytest.raises(StudentRaised, match="TypeError: f was called with an object of the type Sly"):
        enter("class Sly(float): pass\ndef call(f): return f(Sly(1))").call("call", never)
    with pytest.raises(StudentRaised, match="ValueError: the arguments of f are too large"):
        enter(f"import numpy as np\ndef call(f): return f([np.zeros({MOST_ENTRIES + 1})])", "numpy").call("call", never)
    with pytest.raises(StudentRaised, match="takes 1 positional argument but 2 were given"):
        enter("def call(f): return f(1, 2)").call("call", Callback("f", lambda x: x))


def test_a_callback_of_an_earlier_question_can_still_be_called(enter: Enter) -> None:
    student = enter("kept = []\ndef keep(f):\n    kept.append(f)\ndef call(g):\n    return kept[0](), g()")
    f, g = Callback("f", lambda: 1), Callback("g", lambda: 2)
    student.call("keep", f)
    assert student.call("call", g) == (1, 2)
    assert f.calls == g.calls == 1


def test_the_same_function_may_be_passed_twice(enter: Enter) -> None:
    f = Callback("f", lambda x: x)
    assert enter("def both(f, g, xs):\n    return f(1) + g(2) + xs[0](3)").call("both", f, f, [f]) == 6
    assert f.calls == 3


def test_a_probe_passes_it_on(enter: Enter) -> None:
    @probe
    def within(student, f, xs):  # type: ignore[no-untyped-def]
        return [student.apply(lambda x: f(n, x), x) for n, x in enumerate(xs)]

    student = enter("def apply(f, x):\n    return f(x)")
    assert student.run(within, Callback("f", lambda n, x: 10 * n + x), [1, 2, 3]) == [1, 12, 23]


def test_a_forged_call_ends_the_session(enter: Enter) -> None:
    with pytest.raises(JobEnded) as ended:
        enter("import os\ndef call(f):\n    os.write(4, b'\\0\\0\\0\\1\\0\\0\\0\\0\\xc0')").call(
            "call", Callback("f", lambda: 0)
        )
    assert ended.value.reason == "protocol"


def test_a_function_that_was_not_lent_cannot_be_called(enter: Enter) -> None:
    source = """
        kept = []

        def keep(f):
            kept.append(f)

        def again(number):
            _, runner = (cell.cell_contents for cell in kept[0].__closure__)
            return runner._callback(number)()
    """
    student = enter(source)
    student.call("keep", Callback("f", lambda: 1))
    assert student.call("again", 0) == 1
    for number in (-1, 1, 1 << 40):
        with pytest.raises(StudentRaised, match="there is no such function"):
            student.call("again", number)


def test_a_callback_does_not_come_back(enter: Enter) -> None:
    """The function itself is an object of the student's process, like any other."""
    answer, after = enter("def give(f): return f").call_and_see("give", Callback("f", lambda: 0))
    assert isinstance(answer, Opaque) and isinstance(after[0], Opaque)


def test_other_objects_of_the_judge_are_never_sent(enter: Enter) -> None:
    with pytest.raises(TypeError, match="a function cannot be sent"):
        enter(CALLING).call("twice", lambda x: x, 1)


def test_cpu_time_and_memory_are_those_of_the_kernel(enter: Enter) -> None:
    source = """
        import time
        time.process_time = time.perf_counter = lambda: 0.0
        kept = []

        def work(tick):
            tick()
            for n in range(1_000_000):
                n * n
            tick()
            kept.append(b"x" * (64 << 20))
            tick()
            kept.clear()
            tick()
    """
    student = enter(source)
    seen: list[tuple[float, float]] = []
    tick = Callback("tick", lambda: seen.append((student.cpu_seconds(), student.resident_bytes() / (1 << 20))))
    student.call("work", tick)
    cpu, memory = zip(*seen, strict=True)
    assert cpu[1] - cpu[0] > 0.005
    assert memory[2] - memory[1] == pytest.approx(64, abs=4) and memory[3] - memory[1] == pytest.approx(0, abs=4)
    assert student.cpu_seconds() >= cpu[-1]


def test_who_ends_the_process_within_a_callback_is_found_out(enter: Enter) -> None:
    student = enter("import os\ndef leave(f):\n    f()\n    os._exit(3)")
    with pytest.raises(JobEnded, match="exit 3"):
        student.call("leave", Callback("f", lambda: student.cpu_seconds()))
    with pytest.raises(JobEnded, match="exit 3"):
        student.cpu_seconds()
