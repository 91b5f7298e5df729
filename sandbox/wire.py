"""The protocol between host and guest: typed, size-limited, length-prefixed frames. Never pickle, never a file.

A frame is eight bytes of lengths, a msgpack header (a tagged msgspec struct) and a body of raw array bytes. Header and body
have separate limits: one byte of header can become an object of 64 bytes, while a byte of body stays a byte.

Every field has a type, including values: maps have string keys, containers have limited length and depth, and decoding is
linear in the number of bytes. Whatever the other side sends is data; decoding it can raise `WireError` and has no other
effect.
"""

import struct
from collections.abc import Callable, Iterable
from math import prod
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

MIB = 1 << 20
HEADER_LIMIT = 2 * MIB
BODY_LIMIT = 64 * MIB
LENGTHS = struct.Struct(">II")
NAME_LIMIT = 200
INTEGER_LIMIT = 256
DIMENSION_LIMIT = 16
ITEM_LIMIT = 1 << 18  # per container: more than the number of values that fit into a header
DEPTH_LIMIT = 32  # nesting of containers
CONTAINER_LIMIT = 100_000  # per frame: decoding this many takes a fifth of a second

ITEM_SIZES = {
    "bool": 1,
    "uint8": 1,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}


class WireError(Exception):
    """The other side sent something that is not a valid frame."""


class Array:
    """An array or tensor as raw bytes. `kind` is the library that it belongs to on the student's side.

    `layout` requests that the guest build the array with these strides: `contiguous`, `transposed` (axes stored in reverse)
    or `strided` (every other element of a larger buffer). `graph` states that the tensor has a graph or requires grad.
    """

    __slots__ = ("data", "dtype", "graph", "kind", "layout", "shape")

    def __init__(
        self,
        kind: str,
        dtype: str,
        shape: tuple[int, ...],
        data: bytes | memoryview,
        graph: bool = False,
        layout: str = "contiguous",
    ) -> None:
        self.kind, self.dtype, self.shape, self.data = kind, dtype, shape, data
        self.graph, self.layout = graph, layout

    def __repr__(self) -> str:
        return f"Array({self.kind} {self.dtype}{list(self.shape)})"


class Opaque:
    """A placeholder for an object that cannot be sent; only the name of its type is."""

    __slots__ = ("type_name",)

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name[:NAME_LIMIT]

    def __repr__(self) -> str:
        return f"<{self.type_name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and self.type_name == other.type_name

    def __hash__(self) -> int:
        return hash(self.type_name)


class Callback:
    """A function that stays in the host. The guest receives a function that asks the host, by this number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


# --- values in a header ----------------------------------------------------------------------------------------
# Lists and maps are separate structs, because msgspec allows no other type to refer to itself. Plain maps would have to
# be decoded without a type and would accept tuples as keys: 45,000 of them with equal hashes take a minute to decode.


class _Bytes(msgspec.Struct, array_like=True, tag=0):
    data: bytes


class _Array(msgspec.Struct, array_like=True, tag=1):
    kind: str
    dtype: str
    shape: Annotated[tuple[int, ...], msgspec.Meta(max_length=DIMENSION_LIMIT)]
    graph: bool
    layout: Annotated[str, msgspec.Meta(max_length=NAME_LIMIT)]


class _Integer(msgspec.Struct, array_like=True, tag=2):
    """An integer that does not fit into 64 bits."""

    digits: Annotated[bytes, msgspec.Meta(max_length=INTEGER_LIMIT)]


class _Opaque(msgspec.Struct, array_like=True, tag=3):
    type_name: str


class _List(msgspec.Struct, array_like=True, tag=4):
    items: "Annotated[list[Value], msgspec.Meta(max_length=ITEM_LIMIT)]"


class _Tuple(msgspec.Struct, array_like=True, tag=5):
    items: "Annotated[list[Value], msgspec.Meta(max_length=ITEM_LIMIT)]"


class _Map(msgspec.Struct, array_like=True, tag=6):
    items: "Annotated[dict[str, Value], msgspec.Meta(max_length=ITEM_LIMIT)]"


class _Callback(msgspec.Struct, array_like=True, tag=7):
    number: int


if TYPE_CHECKING:
    Value = Any
else:
    Value = None | bool | int | float | str | _Bytes | _Array | _Integer | _Opaque | _List | _Tuple | _Map | _Callback
_BARE = frozenset((type(None), bool, int, float, str))
_AS_IT_IS = frozenset((type(None), bool, float, Array, _Bytes, _Array, _Integer, _Opaque, _List, _Tuple, _Map, _Callback))


class Limits(msgspec.Struct, frozen=True):
    """The limits of one submission. Memory is in addition to the zygote's own size, which is measured when it is warm."""

    cpu_seconds: int = 10
    wall_seconds: float = 20.0
    memory_bytes: int = 1024 * MIB
    output_kept: int = 64 * 1024
    output_bytes: int = 8 * MIB
    file_bytes: int = 16 * MIB
    files: int = 256
    descriptors: int = 64
    processes: int = 64
    stack_bytes: int = 64 * MIB
    source_bytes: int = 256 * 1024


class JailPlan(msgspec.Struct, frozen=True):
    """The configuration sent to the zygote once: the layers that each job applies, and the limits that it may not exceed."""

    profile: str
    layers: frozenset[str]
    limits: Limits
    seccomp: bytes
    single_use: bool = False  # the zygote forks one job, which shares its namespaces, and the zygote protects itself
    serves: str = ""  # the module whose operations a job serves, besides those of its profile


# --- frames on the channel of one job -------------------------------------------------------------------------


class Program(msgspec.Struct, frozen=True):
    """Several files that import each other, by path. The entry points are those of the file `main`."""

    main: str
    files: dict[str, bytes]


class Load(msgspec.Struct, tag="load"):
    """The first frame of a job: the student's code and the memory that it may use."""

    source: bytes | Program
    seed: int
    memory_bytes: int
    entry_points: list[str] = []


class Ask(msgspec.Struct, tag="ask"):
    """A question. `what` is `call` (an entry point), `probe` (a function sent as source) or `op` (one of the guest's operations)."""

    number: int
    what: str
    name: str
    args: list[Value] = []
    options: dict[str, Value] = {}
    source: str = ""
    want_inputs: bool = False


class Call(msgspec.Struct, tag="call"):
    """The student's code calls a callback of the question that it is answering, which waits for `Returned`."""

    number: int
    args: list[Value] = []


class Returned(msgspec.Struct, tag="returned"):
    """What a callback returned, or the built-in exception that it raised.

    `inputs` are its arguments as they are after the call, if it modified them.
    """

    value: Value = None
    inputs: Value = None
    type_name: str = ""
    message: str = ""


class Ready(msgspec.Struct, tag="ready"):
    """A job has applied its whole jail and waits for a submission."""

    namespaces: dict[str, int]


class JailFailed(msgspec.Struct, tag="jail-failed"):
    layer: str
    message: str


class Loaded(msgspec.Struct, tag="loaded"):
    missing: list[str]
    names: list[str]


class Answer(msgspec.Struct, tag="answer"):
    """The reply to a question.

    `inputs` are its arguments as they are after the call, options last. They are sent on request, and if an array among them
    has changed.
    """

    number: int
    value: Value = None
    inputs: Value = None


class Line(msgspec.Struct):
    """A line of the student's code, as claimed by the job. `file` is empty if there is only one."""

    number: int
    function: str
    file: str = ""


class Raised(msgspec.Struct, tag="raised"):
    """The student's code raised an exception. `stage` is `compile`, `load` or `ask`."""

    number: int
    stage: str
    type_name: str
    message: str
    lines: list[Line] = []
    out_of_memory: bool = False


# --- messages between the host and a zygote -------------------------------------------------------------------


class Warm(msgspec.Struct, tag="warm"):
    """The zygote has imported and exercised its libraries and is ready to fork."""

    pid: int
    vm_bytes: int
    rss_bytes: int
    threads: int
    versions: dict[str, str]
    namespaces: dict[str, int]


class Fork(msgspec.Struct, tag="fork"):
    """Fork a spare job. Carries four descriptors: questions in, answers out, output, stack. With `bare`, the child exits at once."""

    job: int
    bare: bool = False


class Begin(msgspec.Struct, tag="begin"):
    """A spare receives a submission: start its wall timer and set its CPU limit."""

    job: int
    wall_seconds: float
    cpu_seconds: int


class End(msgspec.Struct, tag="end"):
    """End a job. `ask_stack` gives it time to record which line it was running."""

    job: int
    ask_stack: bool = False


class ProgressRequest(msgspec.Struct, tag="progress-request"):
    """Request the progress of a job. Answered with `Progress`, or with `Exited` if it has ended."""

    job: int
    request: int  # its number, which comes back


class Progress(msgspec.Struct, tag="progress"):
    """The CPU time of a job so far and its memory at the moment, as the kernel counts them, and whether it is asleep."""

    job: int
    request: int
    cpu_seconds: float
    resident_bytes: int
    asleep: bool


class Exited(msgspec.Struct, tag="exited"):
    job: int
    status: int
    cpu_seconds: float
    peak_bytes: int
    by_timer: bool


Frame = Load | Ask | Call | Returned | Ready | JailFailed | Loaded | Answer | Raised
Control = Warm | Fork | Begin | End | ProgressRequest | Progress | Exited | JailFailed
# created here, because later the guest can no longer import this module by name
_decode = msgspec.msgpack.Decoder(Frame).decode


class Codec:
    """Encodes and decodes frames. One per channel, because it holds the body that is being read or written."""

    def __init__(self) -> None:
        self.opened = 0  # containers, in all frames read so far
        self._body: memoryview = memoryview(b"")
        self._taken = self._most = 0
        self._callbacks = False  # only a question may contain them
        self._chunks: list[bytes | memoryview] = []
        self._size = 0
        self._encoder = msgspec.msgpack.Encoder(enc_hook=self._extend)

    def encode(self, frame: Frame) -> list[bytes | memoryview]:
        self._chunks, self._size = [], 0
        try:
            header = self._encoder.encode(frame)
        except (RecursionError, OverflowError, ValueError, TypeError) as error:
            raise WireError(f"not a value that can be sent: {error}") from error
        if len(header) > HEADER_LIMIT or self._size > BODY_LIMIT:
            raise WireError(f"too large to be sent ({len(header)} + {self._size} bytes)")
        chunks = [LENGTHS.pack(len(header), self._size), header, *self._chunks]
        self._chunks = []
        return chunks

    def decode(self, header: bytes | memoryview, body: bytes | memoryview) -> Frame:
        self._body, self._taken, self._most = memoryview(body), 0, self.opened + CONTAINER_LIMIT
        try:
            frame: Frame = _decode(header)
            if isinstance(frame, Answer | Returned):
                frame.value, frame.inputs = self._open(frame.value), self._open(frame.inputs)
            elif isinstance(frame, Call):
                frame.args = [self._open(item) for item in frame.args]
            elif isinstance(frame, Ask):
                self._callbacks = True
                frame.args = [self._open(item) for item in frame.args]
                frame.options = {name: self._open(item) for name, item in frame.options.items()}
            if self._taken != len(body):
                raise WireError("bytes that belong to no array")
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, ValueError, OverflowError) as error:
            raise WireError(f"not a frame: {error}") from error
        finally:
            self._body, self._callbacks = memoryview(b""), False
        return frame

    def _extend(self, value: Any) -> Any:
        if type(value) is not Array:
            raise TypeError(f"{type(value).__name__} does not cross the border")
        self._chunks.append(value.data)
        self._size += len(value.data)
        return _Array(value.kind, value.dtype, value.shape, value.graph, value.layout)

    def _open(self, value: Any, depth: int = 0) -> Any:
        """Convert header values to plain data. Arrays appear in the same order as their bytes in the body."""
        kind = type(value)
        if kind in _BARE:
            return value
        if kind is _Array:
            return self._array(value)
        if kind is _Bytes:
            return value.data
        if kind is _Integer:
            return int.from_bytes(value.digits, "big", signed=True)
        if kind is _Opaque:
            return Opaque(value.type_name)
        if kind is _Callback:
            if not self._callbacks:
                raise WireError("a callback outside of a question")
            return Callback(value.number)
        if depth == DEPTH_LIMIT:
            raise WireError(f"containers nested more than {DEPTH_LIMIT} deep")
        self.opened += 1
        if self.opened > self._most:
            raise WireError(f"more than {CONTAINER_LIMIT:,} containers")
        if kind is _Map:
            return {name: self._open(item, depth + 1) for name, item in value.items.items()}
        items = [item if type(item) in _BARE else self._open(item, depth + 1) for item in value.items]
        return tuple(items) if kind is _Tuple else items

    def _array(self, given: _Array) -> Array:
        size = ITEM_SIZES.get(given.dtype)
        if size is None or given.kind not in ("numpy", "torch"):
            raise WireError(f"unknown array type {given.kind[:20]} {given.dtype[:20]}")
        if any(n < 0 for n in given.shape) or prod(n or 1 for n in given.shape) > BODY_LIMIT:
            raise WireError("an array with an impossible shape")
        end = self._taken + prod(given.shape) * size
        if end > len(self._body):
            raise WireError("an array whose bytes do not fit its shape")
        # arrays follow each other without gap or overlap, so no byte can be claimed twice
        data, self._taken = self._body[self._taken : end], end
        return Array(given.kind, given.dtype, given.shape, data, given.graph, given.layout)


def seal(value: Any, foreign: Callable[[Any], Any], depth: int = 0) -> Any:
    """Convert plain data for the wire by exact type; everything else goes through `foreign`. Converted values are left unchanged.

    The exact type matters, because a subclass may misrepresent itself: a student's `class Sly(float)` is not a number. Only
    named tuples and other subclasses of tuple count as what they are made of, read past their own methods.
    """
    kind = type(value)
    if kind in _AS_IT_IS:
        return value
    if kind is int:
        if -(1 << 63) <= value < 1 << 63:
            return value
        size = value.bit_length() // 8 + 1
        return _Integer(value.to_bytes(size, "big", signed=True)) if size <= INTEGER_LIMIT else _Opaque("int")
    if kind is str:
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if kind is bytes:
        return _Bytes(value)
    if kind is Opaque:
        return _Opaque(value.type_name.encode("utf-8", "replace").decode("utf-8"))
    if kind is Callback:
        return _Callback(value.number)
    is_tuple = issubclass(kind, tuple)
    if kind not in (list, dict) and not is_tuple:
        return seal(foreign(value), nothing_else)
    if depth == DEPTH_LIMIT:
        raise ValueError(f"containers nested more than {DEPTH_LIMIT} deep")
    if kind is dict:
        named = ((name if type(name) is str else repr(name)[:64], item) for name, item in value.items())
        return _Map({name: seal(item, foreign, depth + 1) for name, item in named})
    items = [seal(item, foreign, depth + 1) for item in (tuple.__iter__(value) if is_tuple else value)]
    return _Tuple(items) if is_tuple else _List(items)


def nothing_else(value: Any) -> Any:
    """The `foreign` argument of `seal` if only plain data is allowed."""
    raise TypeError(f"{type(value).__name__} does not cross the border")


# Encoders are created once. Control messages contain no arrays and no foreign values.
control_encode = msgspec.msgpack.Encoder().encode
control_decode: Callable[[bytes], Control] = msgspec.msgpack.Decoder(Control).decode


def total(chunks: Iterable[bytes | memoryview]) -> int:
    return sum(len(chunk) for chunk in chunks)
