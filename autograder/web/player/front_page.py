"""The demo run on the front page: f = (x · x) · w, by an engine that overwrites the gradient of x instead of accumulating
it.
"""

from functools import lru_cache
from pathlib import Path

import msgspec
from django.utils.safestring import SafeString

from autograder.trace.model import Trace
from autograder.web.player.page import render_player

LOG = Path(__file__).with_name("front.json")
MILLISECONDS = 600  # per step, while it plays automatically


@lru_cache(maxsize=32)
def front_player(step: int | None) -> SafeString:
    """Render the player. Without a requested step, it starts to play once it is visible."""
    trace = msgspec.json.decode(LOG.read_bytes(), type=Trace)
    events = tuple(msgspec.structs.replace(event, line=None) for event in trace.events)  # the page does not show its source
    return render_player(
        msgspec.structs.replace(trace, events=events),
        trace_id="front",
        base_url="/",
        step=step,
        heading=2,
        plays=MILLISECONDS if step is None else None,
    )
