"""The pass that the front page plays: f = (x · x) · w, by an engine that overwrites the gradient of x instead of adding to it."""

from functools import lru_cache
from pathlib import Path

import msgspec
from django.utils.safestring import SafeString

from autograder.judge.trace.model import Trace
from autograder.web.player.page import render_player

LOG = Path(__file__).with_name("front.json")
MILLISECONDS = 600  # for each step, while it plays by itself


@lru_cache(maxsize=32)
def front_player(step: int | None) -> SafeString:
    """Without a step asked for, it plays by itself once it is in sight."""
    trace = msgspec.json.decode(LOG.read_bytes(), type=Trace)
    events = tuple(msgspec.structs.replace(event, line=None) for event in trace.events)  # its source is not on the page
    return render_player(
        msgspec.structs.replace(trace, events=events),
        trace_id="front",
        base_url="/",
        step=step,
        heading=2,
        plays=MILLISECONDS if step is None else None,
    )
