"""The frames that host and guest speak: typed, sized, length-prefixed. Never pickle, never a file.

A frame is eight bytes of lengths, a msgpack header (a tagged msgspec struct) and a body of raw array bytes. Header
and body are capped apart: a byte of header can become an object of sixty-four, a byte of body stays a byte.
Whatever the other side sends is data; decoding it can fail with `WireError` and do nothing else.
"""

import struct
from collections.abc import Callable, Iterable
from math import prod
from typing import Any

import msgspec

MIB = 1 << 20
HEADER_LIMIT = 2 * MIB
BODY_LIMIT = 64 * MIB
LENGTHS = struct.Struct(">II")
NAME_LIMIT = 200
INTEGER_BYTES = 256
DIMENSIONS = 16

ITEM_SIZES = {
    "bool": 1, "uint8": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8,
    "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip

_ARRAY, _INTEGER, _TUPLE, _OPAQUE = 1, 2, 3, 4


class WireError(Exception):
    """The other side sent something that is not a frame of ours."""


class Array:
    """An array or tensor as raw bytes. `kind` says which library it belongs to on the student's side.

    `layout` asks the guest to build the array with these strides: `contiguous`, `transposed` (axes stored in reverse)
    or `strided` (every other element of a larger buffer). `graph` tells that the tensor carries a graph or requires grad.
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
    """Stands for an object that does not cross the border; only the name of its type does."""

    __slots__ = ("type_name",)

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name[:NAME_LIMIT]

    def __repr__(self) -> str:
        return f"<{self.type_name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and self.type_name == other.type_name

    def __hash__(self) -> int:
        return hash(self.type_name)


class _Pair(msgspec.Struct, array_like=True):
    kind: str
    dtype: str
    shape: tuple[int, ...]
    graph: bool
    layout: str


class _Wrapped:
    """A value that msgpack has no type for, on its way out."""

    __slots__ = ("code", "payload")

    def __init__(self, code: int, payload: Any) -> None:
        self.code, self.payload = code, payload


class Limits(msgspec.Struct, frozen=True):
    """What one submission may use; memory comes on top of the zygote's own size, measured when it is warm."""

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
    """What the zygote is told once: the layers each job puts on, and the ceilings it may not pass."""

    profile: str
    layers: frozenset[str]
    limits: Limits
    seccomp: bytes
    single_use: bool = False  # the zygote forks one job, which shares its namespaces, and takes care of itself


# --- frames on the channel of one job -------------------------------------------------------------------------


class Load(msgspec.Struct, tag="load"):
    """The first frame of a job: the student's file and the limits it runs under."""

    source: bytes
    seed: int
    cpu_seconds: int
    memory_bytes: int
    entry_points: list[str] = []


class Ask(msgspec.Struct, tag="ask"):
    """A question. `what` is `call` (an entry point), `probe` (a function shipped as source) or `op` (one of the guest's)."""

    number: int
    what: str
    name: str
    args: list[Any] = []
    options: dict[str, Any] = {}
    source: str = ""
    want_inputs: bool = False


class Ready(msgspec.Struct, tag="ready"):
    """A job has put on its whole jail and waits for a submission."""

    namespaces: dict[str, int]


class JailFailed(msgspec.Struct, tag="jail-failed"):
    layer: str
    message: str


class Loaded(msgspec.Struct, tag="loaded"):
    missing: list[str]
    names: list[str]


class Answer(msgspec.Struct, tag="answer"):
    number: int
    value: Any = None
    inputs: list[Any] | None = None


class Line(msgspec.Struct):
    """A place in the student's file, as the job claims it."""

    number: int
    function: str


class Raised(msgspec.Struct, tag="raised"):
    """The student's code raised. `stage` is `compile`, `load` or `ask`."""

    number: int
    stage: str
    type_name: str
    message: str
    lines: list[Line] = []
    out_of_memory: bool = False


# --- messages between the host and a zygote -------------------------------------------------------------------


class Warm(msgspec.Struct, tag="warm"):
    """The zygote has imported and exercised its libraries and is about to fork."""

    pid: int
    vm_bytes: int
    rss_bytes: int
    threads: int
    versions: dict[str, str]
    namespaces: dict[str, int]


class Fork(msgspec.Struct, tag="fork"):
    """Fork a spare. Carries four descriptors: questions in, answers out, output, stack. `bare` forks and exits at once."""

    job: int
    bare: bool = False


class Begin(msgspec.Struct, tag="begin"):
    """A spare becomes a submission: start its wall timer."""

    job: int
    wall_seconds: float


class End(msgspec.Struct, tag="end"):
    """End a job. `ask_stack` gives it a moment to write down which line it was running."""

    job: int
    ask_stack: bool = False


class Exited(msgspec.Struct, tag="exited"):
    job: int
    status: int
    cpu_seconds: float
    peak_bytes: int
    by_timer: bool


Frame = Load | Ask | Ready | JailFailed | Loaded | Answer | Raised
Control = Warm | Fork | Begin | End | Exited | JailFailed


class Codec:
    """Encodes and decodes frames. One per channel: it holds the body that is being read or written."""

    def __init__(self) -> None:
        self._body: memoryview = memoryview(b"")
        self._taken = 0
        self._chunks: list[bytes | memoryview] = []
        self._size = 0
        self._encoder = msgspec.msgpack.Encoder(enc_hook=self._extend)
        self._decoder = msgspec.msgpack.Decoder(Frame, ext_hook=self._restore)
        self._pair = msgspec.msgpack.Decoder(_Pair)
        self._plain = msgspec.msgpack.Decoder(ext_hook=self._restore)

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
        self._body, self._taken = memoryview(body), 0
        try:
            frame: Frame = self._decoder.decode(header)
            if self._taken != len(body):
                raise WireError("bytes that belong to no array")
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, ValueError, OverflowError) as error:
            raise WireError(f"not a frame: {error}") from error
        finally:
            self._body = memoryview(b"")
        return frame

    def _extend(self, value: Any) -> Any:
        if type(value) is Array:
            self._chunks.append(value.data)
            self._size += len(value.data)
            pair = _Pair(value.kind, value.dtype, value.shape, value.graph, value.layout)
            return msgspec.msgpack.Ext(_ARRAY, msgspec.msgpack.encode(pair))
        if type(value) is _Wrapped:
            payload = value.payload
            return msgspec.msgpack.Ext(value.code, payload if type(payload) is bytes else self._encoder.encode(payload))
        if type(value) is Opaque:
            return msgspec.msgpack.Ext(_OPAQUE, value.type_name.encode("utf-8", "replace"))
        raise TypeError(f"{type(value).__name__} does not cross the border")

    def _restore(self, code: int, data: memoryview) -> Any:
        if code == _ARRAY:
            return self._restore_array(self._pair.decode(data))
        if code == _INTEGER:
            if len(data) > INTEGER_BYTES:
                raise WireError("an integer with too many digits")
            return int.from_bytes(data, "big", signed=True)
        if code == _TUPLE:
            items = self._plain.decode(data)
            if type(items) is not list:
                raise WireError("a tuple that is no list")
            return tuple(items)
        if code == _OPAQUE:
            return Opaque(str(data[: 4 * NAME_LIMIT], "utf-8", "replace"))
        raise WireError(f"unknown extension {code}")

    def _restore_array(self, pair: _Pair) -> Array:
        size = ITEM_SIZES.get(pair.dtype)
        if size is None or pair.kind not in ("numpy", "torch"):
            raise WireError(f"unknown array type {pair.kind[:20]} {pair.dtype[:20]}")
        if len(pair.shape) > DIMENSIONS or any(n < 0 for n in pair.shape) or prod(n or 1 for n in pair.shape) > BODY_LIMIT:
            raise WireError("an array with an impossible shape")
        end = self._taken + prod(pair.shape) * size
        if end > len(self._body):
            raise WireError("an array whose bytes do not fit its shape")
        # arrays follow one another without gap or overlap: no byte can be claimed twice
        data, self._taken = self._body[self._taken : end], end
        return Array(pair.kind, pair.dtype, pair.shape, data, pair.graph, pair.layout)


def seal(value: Any, foreign: Callable[[Any], Any]) -> Any:
    """Rewrite plain data for the wire, by exact type; everything else goes through `foreign`.

    Exact, because a subclass may lie about itself: a student's `class Sly(float)` is not a number.
    """
    kind = type(value)
    if value is None or kind in (bool, float, bytes, Array, Opaque):
        return value
    if kind is int:
        if -(1 << 63) <= value < 1 << 63:
            return value
        size = value.bit_length() // 8 + 1
        return _Wrapped(_INTEGER, value.to_bytes(size, "big", signed=True)) if size <= INTEGER_BYTES else Opaque("int")
    if kind is str:
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if kind is list:
        return [seal(item, foreign) for item in value]
    if kind is tuple:
        return _Wrapped(_TUPLE, [seal(item, foreign) for item in value])
    if kind is dict:
        return {name if type(name) is str else repr(name)[:64]: seal(item, foreign) for name, item in value.items()}
    return foreign(value)


# Sorted: the encoders of control messages carry no arrays and no foreign values.
control_encode = msgspec.msgpack.Encoder().encode
control_decode: Callable[[bytes], Control] = msgspec.msgpack.Decoder(Control).decode


def total(chunks: Iterable[bytes | memoryview]) -> int:
    return sum(len(chunk) for chunk in chunks)
