"""The host's ends of one job's pipes, and the frames received so far."""

import os
from dataclasses import dataclass, field

from sandbox.wire import BODY_LIMIT, HEADER_LIMIT, LENGTHS, Codec, Frame, WireError


@dataclass
class Job:
    """The host's ends of one job's pipes, and the bytes read from them so far."""

    number: int
    questions: int
    answers: int
    output: int
    stack: int
    codec: Codec = field(default_factory=Codec)
    buffer: bytearray = field(default_factory=bytearray)
    ready: bool = False

    def close(self) -> None:
        for descriptor in (self.questions, self.answers, self.output, self.stack):
            os.close(descriptor)

    def next_frame(self) -> Frame | None:
        """Return a complete frame from the buffer, or None. Raises `WireError` for data that can never become a frame."""
        if len(self.buffer) < LENGTHS.size:
            return None
        header, body = LENGTHS.unpack_from(self.buffer)
        if header > HEADER_LIMIT or body > BODY_LIMIT:
            raise WireError("a frame that claims to be over the limit")
        end = LENGTHS.size + header + body
        if len(self.buffer) < end:
            return None
        data = bytes(self.buffer[LENGTHS.size : end])
        del self.buffer[:end]
        view = memoryview(data)
        return self.codec.decode(view[:header], view[header:])
