"""Runs one program like `engine` and records, in order, every read and write of `.grad` during a backward pass.

The class's own `grad`, whether a plain attribute, a slot or a property, is wrapped in a descriptor that delegates every
access. The descriptor stays for the rest of the job and has no effect unless a pass is being recorded.
"""

import sys
import types
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sandbox.guest.operations.engine import Outcome, as_float, decode, encode, numbers, value_of

TOUCHES = 3000
OBJECTS = 3000
DEPTH = 60  # the number of frames searched for the student's own
FRAMES = 4
NEAR = 16
LOCALS = 64
_MISSING: Any = object()
_get_frame = sys._getframe
_get_attribute = object.__getattribute__


class Touch(msgspec.Struct, array_like=True):
    """One read or write of a gradient.

    `frames` are the student's running functions, innermost first, and `near` the values held by their local variables. A
    value is identified by its slot's number; values that the class created internally are numbered after the slots.
    """

    written: bool
    which: int
    value: float | None
    old: float | None
    line: int
    frames: Annotated[list[int], Meta(max_length=FRAMES)]
    near: Annotated[list[int], Meta(max_length=NEAR)]


class Pass(msgspec.Struct, array_like=True):
    """One call of `backward`, with the gradients of the slots before and after it."""

    root: int
    before: list[float | None]
    after: list[float | None]
    touches: Annotated[list[Touch], Meta(max_length=TOUCHES)]


class Traced(msgspec.Struct, array_like=True):
    """The result of a traced program. The limits above apply to all passes together; the judge rejects anything longer.

    `makers` holds, for every value that is not a slot, the slot during whose creation it appeared (-1: none). `raised` is
    the exception that ended the last pass, in `line` of the student's file. `cut` is set if there was more than the limits
    allow.
    """

    outcome: Outcome
    passes: list[Pass]
    makers: Annotated[list[int], Meta(max_length=OBJECTS)]
    cut: bool = False
    raised: str = ""
    line: int = 0


def trace(module: types.ModuleType, _: list[Any], options: dict[str, Any]) -> bytes:
    """Run one program on the student's class. Exceptions outside a backward pass propagate."""
    make = getattr(module, options["class"])
    log = _Log(str(module.__file__))
    for kind in _student_classes(make, module.__name__):
        _wrap_grad(kind, log)
    (program,) = decode(options["programs"])
    return encode(_run(make, program, log))


def _run(make: Any, program: list[list[Any]], log: "_Log") -> Traced:
    slots: list[Any] = []
    readings: list[list[float | None]] = []
    strange: dict[str, str] = {}
    passes: list[Pass] = []
    raised, line = "", 0
    for name, *operands in program:
        if name == "set grad":
            slots[operands[0]].grad = operands[1]
        elif name == "read":
            readings.append(numbers(slots, "grad", strange))
        elif name != "backward":
            log.making = len(slots)
            slots.append(value_of(make, name, operands, slots))
            log.register_slot(slots[-1])
            log.making = -1
        else:
            passes.append(Pass(operands[0], numbers(slots, "grad", {}), [], log.begin()))
            try:
                slots[operands[0]].backward()
            except Exception as error:
                raised, line = type(error).__name__[:64], _line_of(error, log.file)
            log.on = False
            passes[-1].after = numbers(slots, "grad", {})
            if raised:
                break
    outcome = Outcome(numbers(slots, "data", strange), numbers(slots, "grad", strange), readings, strange)
    return Traced(outcome, log.numbered(passes, len(slots)), log.makers(), log.cut, raised, line)


def _line_of(error: BaseException, file: str) -> int:
    line, trace = 0, error.__traceback__
    while trace is not None:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == file else line
        trace = trace.tb_next
    return line


class _Log:
    """Records accesses to gradients. Keeps a reference to every value it meets, so that no id is reused."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.on = self.cut = False
        self.making = -1  # the slot that is being created
        self._objects: list[Any] = []
        self._made_in: list[int] = []
        self._places: dict[int, int] = {}
        self._slots: dict[int, int] = {}
        self._frames: dict[int, tuple[Any, int]] = {}
        self._slot_count = 0
        self._touches: list[Touch] = []
        self._count = 0

    def begin(self) -> list[Touch]:
        self.on, self._touches = True, []
        return self._touches

    def register_slot(self, instance: Any) -> None:
        self._slots.setdefault(self._place(instance), self._slot_count)
        self._slot_count += 1

    def register(self, instance: Any) -> None:
        """Register a value whose gradient is set for the first time while a slot is created."""
        if self.making >= 0 and len(self._objects) < OBJECTS:
            self._place(instance)

    def record(self, instance: Any, value: Any, old: Any = _MISSING) -> None:
        """Record an access during a pass. Recording is off meanwhile, because a number may be an instance of the student's
        class, too."""
        if self._count >= TOUCHES or len(self._objects) >= OBJECTS:
            self.cut = True
            return
        self.on = False
        try:
            self._count += 1
            frames = list(self._student_frames())
            self._touches.append(
                Touch(
                    old is not _MISSING,
                    self._place(instance),
                    _number(value),
                    None if old is _MISSING else _number(old),
                    frames[0].f_lineno if frames else 0,
                    [self._frame(frame) for frame in frames],
                    [] if old is _MISSING else self._near(frames),
                )
            )
        finally:
            self.on = True

    def _place(self, instance: Any) -> int:
        place = self._places.get(id(instance))
        if place is None:
            place = self._places[id(instance)] = len(self._objects)
            self._objects.append(instance)
            self._made_in.append(self.making)
        return place

    def _student_frames(self) -> Iterator[types.FrameType]:
        frame: types.FrameType | None = _get_frame(3)
        found = 0
        for _ in range(DEPTH):
            if frame is None or found == FRAMES:
                return
            if frame.f_code.co_filename == self.file:
                found += 1
                yield frame
            frame = frame.f_back

    def _frame(self, frame: types.FrameType) -> int:
        return self._frames.setdefault(id(frame), (frame, len(self._frames)))[1]

    def _near(self, frames: list[types.FrameType]) -> list[int]:
        """Return the values in the local variables of these functions, innermost first."""
        near: dict[int, None] = {}
        for frame in frames:
            for instance in list(frame.f_locals.values())[:LOCALS]:
                place = self._places.get(id(instance))
                if place is not None and self._objects[place] is instance:
                    near.setdefault(place)
        return list(near)[:NEAR]

    def numbered(self, passes: list[Pass], count: int) -> list[Pass]:
        """Renumber the values: slots by their number in the program, all others after them."""
        others = [place for place in range(len(self._objects)) if place not in self._slots]
        names = {**self._slots, **{place: count + n for n, place in enumerate(others)}}
        for touch in (touch for recorded in passes for touch in recorded.touches):
            touch.which, touch.near = names[touch.which], [names[place] for place in touch.near]
        return passes

    def makers(self) -> list[int]:
        return [made_in for place, made_in in enumerate(self._made_in) if place not in self._slots]


class _RecordingAttribute:
    """A descriptor that wraps the class's own `grad` and reports every read and write to the log."""

    def __init__(self, own: Any, log: _Log) -> None:
        self.own, self.log = own, log

    def __get__(self, instance: Any, kind: type | None = None) -> Any:
        if instance is None:
            if self.own is _MISSING:
                raise AttributeError("grad")
            return self.own
        value = self._read(instance)
        if self.log.on:
            self.log.record(instance, value)
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        on = self.log.on
        old = self._before(instance) if on else None
        self._write(instance, value)
        if on:
            self.log.record(instance, value, old)
        else:
            self.log.register(instance)

    def __delete__(self, instance: Any) -> None:
        if _is_data(self.own):
            self.own.__delete__(instance)
        else:
            del _get_attribute(instance, "__dict__")["grad"]

    def _before(self, instance: Any) -> Any:
        self.log.on = False
        try:
            return self._read(instance)
        except Exception:  # there was no value, or the student's property raised
            return None
        finally:
            self.log.on = True

    def _read(self, instance: Any) -> Any:
        if _is_data(self.own):
            return self.own.__get__(instance, type(instance))
        attributes = _get_attribute(instance, "__dict__")
        if "grad" in attributes:
            return attributes["grad"]
        if self.own is _MISSING:
            raise AttributeError("grad")
        return self.own.__get__(instance, type(instance)) if hasattr(type(self.own), "__get__") else self.own

    def _write(self, instance: Any, value: Any) -> None:
        if _is_data(self.own):
            self.own.__set__(instance, value)
        else:
            _get_attribute(instance, "__dict__")["grad"] = value


def _is_data(own: Any) -> bool:
    return hasattr(type(own), "__set__")


def _number(value: Any) -> float | None:
    try:
        return as_float(value, 0)
    except Exception:  # it may be an instance of the student's class
        return None


def _student_classes(make: Any, module: str) -> list[type]:
    """Return the student's classes whose values may appear: the bases of the class and everything derived from them."""
    kind = make if isinstance(make, type) else type(make(0.0))
    bases = [base for base in type.mro(kind) if base.__module__ == module] or [kind]
    found = list(bases)
    for base in found:  # grows during the loop
        derived: list[type] = type.__subclasses__(base)
        found += [kind for kind in derived if kind not in found]
    return [kind for kind in found if kind is bases[-1] or "grad" in type.__dict__["__dict__"].__get__(kind)]


def _wrap_grad(kind: type, log: _Log) -> None:
    own = type.__dict__["__dict__"].__get__(kind).get("grad", _MISSING)
    if isinstance(own, _RecordingAttribute):
        own.log = log
    else:
        type.__setattr__(kind, "grad", _RecordingAttribute(own, log))
