"""Hostile submissions as a table, in the order of the catalogue they were collected in.

Not here: 40 (several leaks at once) has a test of its own beside the table; 45 (bad sources) is `test_source.py`; 46 and
64 (per-user rate and queue limits) belong to the service that queues submissions; 60 (caches and timing as a covert
channel) is out of scope by design, documented as not promised.
"""

from tests.hostile.catalogue.case import Case
from tests.hostile.catalogue.channel import CASES as CHANNEL
from tests.hostile.catalogue.endings import CASES as ENDINGS
from tests.hostile.catalogue.judge_side import CASES as JUDGE_SIDE
from tests.hostile.catalogue.machine import CASES as MACHINE
from tests.hostile.catalogue.own import CASES as OWN
from tests.hostile.catalogue.resources import CASES as RESOURCES
from tests.hostile.catalogue.steal import CASES as STEAL
from tests.hostile.catalogue.system import CASES as SYSTEM
from tests.hostile.catalogue.values import CASES as VALUES

OF_THE_JUDGE = frozenset((*VALUES, *JUDGE_SIDE))  # aim at whoever reads the answers, not at the sandbox
ELSEWHERE = frozenset({40, 45, 46, 60, 64})
CASES: tuple[Case, ...] = (*STEAL, *VALUES, *CHANNEL, *RESOURCES, *SYSTEM, *MACHINE, *OWN, *ENDINGS, *JUDGE_SIDE)
