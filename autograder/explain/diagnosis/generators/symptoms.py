"""Explains answers by the symptoms that the author declared."""

from functools import partial

from autograder.explain.diagnosis.evidence import Evidence, MistakeClaim, Pair, claims_by_key
from autograder.judge.diagnosis import Symptom


def claims(evidence: Evidence) -> list[MistakeClaim]:
    found = [
        (symptom.key, check)
        for symptom in evidence.declared.symptoms.values()
        for check in evidence.pairs
        if symptom.check in ("", check) and evidence.holds_for_wrong(check, partial(_shows, symptom))
    ]
    return claims_by_key(found, "symptom")


def _shows(symptom: Symptom, pair: Pair) -> bool:
    given = pair.given.value if pair.given.raised is None else pair.given.raised
    if pair.right.raised is not None or (pair.given.raised is not None and not symptom.raised):
        return False
    try:
        return bool(symptom.when(pair.right.value, given))
    except (TypeError, LookupError, AttributeError, ValueError):  # the answer has another form
        return False
