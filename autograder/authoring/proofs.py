"""The worker's side of drafts: proves the newest edition of each, in an examiner, whenever nothing more urgent waits.

A proof is not stored as work with a lease: it may be given up at any moment, because the next change asks for another one.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import msgspec
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone

from autograder.authoring import drafts
from autograder.authoring.models import DraftProof, ProofMemory
from autograder.examiner.examiners import NOTHING_KNOWN, ExaminerError, Examiners
from autograder.judge import pack
from autograder.judge.pack import PackError
from autograder.prove import statement_rule
from autograder.prove.findings import Finding, Proof
from autograder.prove.linter import place_of
from autograder.prove.stored_proofs import code_hash

log = logging.getLogger("gradus.proofs")
DEAD_AFTER = timedelta(seconds=60)  # without a sign of life from its worker
MAX_TRIES = 2  # of an edition whose worker died or whose sandbox failed
TELL_SECONDS = 0.5  # between two signs of life
MAX_MEMORY = 8 << 20  # bytes
GIVEN_UP = "This draft could not be checked: the worker stopped twice while it ran the files. Change something to try again."


class Overtaken(Exception):
    """A newer edition is to be proved, or another worker proves this one."""


def waits() -> bool:
    return _waiting().exists()


def prove_next(worker: str, examiners: Examiners, pause: Callable[[], None]) -> bool:
    """Prove the edition that has waited longest. `pause` is called between two gradings, to do what is more urgent.

    Returns False if there was nothing to prove.
    """
    claimed = _claim(worker)
    if claimed is None:
        return False
    begun = time.monotonic()
    try:
        found, trouble = _proved(claimed, examiners, pause)
    except Overtaken:
        log.info("the proof of draft %s, edition %s, was overtaken", claimed.draft_id, claimed.running)
        _mine(claimed).update(running=0, tries=Greatest(F("tries") - 1, 0))
        return True
    except BaseException:
        _mine(claimed).update(running=0)
        raise
    _mine(claimed).update(
        running=0,
        tries=0,
        edition=claimed.running,
        found=None if found is None else msgspec.to_builtins(found),
        trouble=trouble,
        seconds=time.monotonic() - begun,
        proved_at=timezone.now(),
    )
    return True


def _waiting() -> QuerySet[DraftProof]:
    dead = Q(running=0) | Q(alive_at__lt=timezone.now() - DEAD_AFTER)
    return DraftProof.objects.filter(dead, draft__removed_at=None, wanted__gt=F("edition")).order_by("wanted_at")


def _claim(worker: str) -> DraftProof | None:
    for row in _waiting().select_related("draft")[:10]:
        unchanged = DraftProof.objects.filter(pk=row.pk, running=row.running, alive_at=row.alive_at, wanted=row.wanted)
        if row.tries >= MAX_TRIES:
            unchanged.update(edition=row.wanted, found=None, trouble=GIVEN_UP, running=0, tries=0, proved_at=timezone.now())
        elif unchanged.update(running=row.wanted, worker=worker, alive_at=timezone.now(), done=0, of=0, tries=row.tries + 1):
            row.running, row.worker = row.wanted, worker
            return row
    return None


def _mine(claimed: DraftProof) -> QuerySet[DraftProof]:
    return DraftProof.objects.filter(pk=claimed.pk, running=claimed.running, worker=claimed.worker)


def _proved(claimed: DraftProof, examiners: Examiners, pause: Callable[[], None]) -> tuple[Proof | None, str]:
    """What was found, and why the draft could not be proved. The checks that it declares are stored as soon as they are known."""
    told = 0.0

    def progress(done: int, of: int) -> None:
        nonlocal told
        if time.monotonic() > told + TELL_SECONDS:
            told = time.monotonic()
            still = _mine(claimed).filter(wanted=claimed.running)
            if not still.update(alive_at=timezone.now(), done=done, of=of):
                raise Overtaken
        pause()

    with drafts.laid_out(claimed.draft) as folder:
        try:
            content = pack.read(folder)
            with examiners.examination(content, (), whole=True) as examination:
                _mine(claimed).update(opened=claimed.running, checks=msgspec.to_builtins(examination.found))
                proof, known = examination.prove(progress, _known(claimed))
        except PackError as error:
            return _broken(str(error), folder), ""
        except ExaminerError as error:
            return None, str(error)
    _remember(claimed, known)
    proof = replace(proof, findings=(*statement_rule.findings(content), *proof.findings))
    return _with_short_paths(proof, claimed.draft.slug), ""


def _known(claimed: DraftProof) -> bytes:
    found = ProofMemory.objects.filter(proof=claimed, release=code_hash()).first()
    return NOTHING_KNOWN if found is None else bytes(found.known)


def _remember(claimed: DraftProof, known: bytes) -> None:
    if len(known) <= MAX_MEMORY:
        ProofMemory.objects.update_or_create(proof=claimed, defaults={"release": code_hash(), "known": known})


def _broken(message: str, folder: Path) -> Proof:
    """A draft that cannot be opened has one finding: why."""
    path, line, words = place_of(message.replace(f"{folder.parent}/", ""), Path(folder.name))
    return _with_short_paths(Proof(folder.name, "", (Finding("folder", path, line, words),)), folder.name)


def _with_short_paths(proof: Proof, slug: str) -> Proof:
    """Findings name files as the draft does: checks.py, not where it was laid out."""
    short = (replace(finding, path=finding.path.rpartition(f"{slug}/")[2]) for finding in proof.findings)
    return replace(proof, findings=tuple(short))
