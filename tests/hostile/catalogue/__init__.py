"""Hostile submissions as a table, in the order of the catalogue they were collected in.

Not here: 40 (several leaks at once) has a test of its own beside the table; 45 (bad sources) is `test_source.py`; 46 and
64 (per-user rate and queue limits) belong to the service that queues submissions; 60 (caches and timing as a covert
channel) is out of scope by design, documented as not promised.
"""

from tests.hostile.catalogue import channel, machine, own, resources, steal, system, values
from tests.hostile.catalogue.case import Case

ELSEWHERE = frozenset({40, 45, 46, 60, 64})
CASES: tuple[Case, ...] = (
    *steal.CASES,
    *values.CASES,
    *channel.CASES,
    *resources.CASES,
    *system.CASES,
    *machine.CASES,
    *own.CASES,
)
