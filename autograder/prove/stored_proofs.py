"""Stores proofs, one file for each exercise, to be committed beside the exercises.

A proof has two halves, each under a hash of everything it depends on. The gradings depend on the behaviour of the exercise,
the parts of the check library that its checks import, the mutants, the judge and the sandbox; the explanations of wrong
solutions depend on the diagnosis as well. Texts are in neither hash. Only a proof without findings is stored.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from autograder.judge.pack import Pack
from autograder.judge.report import Endings
from autograder.judge.source_hash import DECIDES_NOTHING, imports_of, modules_hash
from autograder.prove.findings import Proof

FOLDER = "proofs"  # within the folder of exercises
DIAGNOSIS = ("autograder.explain.diagnosis", "autograder.judge.diagnosis", "autograder.prove.diagnosis_rule")


class StoredProof(msgspec.Struct, frozen=True):
    """A proof without findings. `gradings` and `diagnosis` are the hashes of its two halves."""

    gradings: str
    diagnosis: str
    mutants: int
    killed: int
    equivalent: int
    allowed: int
    wrong_endings: Mapping[str, Endings]


def gradings_hash(exercise: Pack) -> str:
    return _hash(exercise, "autograder.prove.linter", without=(*DECIDES_NOTHING, *DIAGNOSIS))


def diagnosis_hash(exercise: Pack) -> str:
    return _hash(exercise, "autograder.prove.diagnosis_rule", without=DECIDES_NOTHING)


def _hash(exercise: Pack, rule: str, *, without: tuple[str, ...]) -> str:
    code = modules_hash(rule, "sandbox", single=imports_of(exercise.folder / "checks.py"), without=without)
    return hashlib.sha256(f"{exercise.slug} {exercise.behaviour} {code}".encode()).hexdigest()[:16]


def code_hash() -> str:
    """The hash of all code that can affect a proof, of whatever exercise."""
    return modules_hash(
        "autograder.prove.linter",
        "autograder.prove.diagnosis_rule",
        "autograder.judge.checks",
        "sandbox",
        without=DECIDES_NOTHING,
    )


def path_of(root: Path, slug: str) -> Path:
    return root / f"{slug}.json"


def read(root: Path, slug: str) -> StoredProof | None:
    try:
        return msgspec.json.decode(path_of(root, slug).read_bytes(), type=StoredProof)
    except (OSError, msgspec.DecodeError):
        return None


def wrong_endings(exercise: Pack) -> Mapping[str, Endings]:
    """How the checks end for the wrong solutions, if the stored proof is up to date; otherwise empty."""
    before = read(exercise.folder.parent.parent / FOLDER, exercise.slug)
    return before.wrong_endings if before is not None and before.gradings == gradings_hash(exercise) else {}


def proof_of(exercise: Pack, before: StoredProof) -> Proof:
    figures = (before.mutants, before.killed, before.equivalent, before.allowed)
    return Proof(exercise.slug, exercise.version, (), *figures, before.wrong_endings)


def write(root: Path, exercise: Pack, proof: Proof) -> None:
    """Writes a proof atomically, one value per line for readable diffs."""
    kept = StoredProof(
        gradings_hash(exercise),
        diagnosis_hash(exercise),
        proof.mutants,
        proof.killed,
        proof.equivalent,
        proof.allowed,
        proof.wrong_endings,
    )
    root.mkdir(parents=True, exist_ok=True)
    path = path_of(root, exercise.slug)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")
    part.replace(path)
