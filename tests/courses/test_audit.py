"""The audit trail is append-only."""

import pytest

from autograder.courses import audit
from autograder.courses.models import AuditEntry
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def entry(db: None) -> AuditEntry:
    cast = Cast()
    return audit.record("override", "ada", actor=cast.owner, course=cast.course, before="1", after="2")


def test_an_entry_says_who_did_what_to_whom(entry: AuditEntry) -> None:
    entry.refresh_from_db()
    assert (entry.actor_id, entry.action, entry.subject, entry.details) == (
        *(entry.actor_id, "override", "ada"),
        {"before": "1", "after": "2"},
    )


def test_an_entry_cannot_be_changed(entry: AuditEntry) -> None:
    entry.subject = "ben"
    with pytest.raises(TypeError, match="cannot be changed or deleted"):
        entry.save()


def test_an_entry_cannot_be_deleted(entry: AuditEntry) -> None:
    with pytest.raises(TypeError, match="cannot be changed or deleted"):
        entry.delete()


def test_entries_cannot_be_changed_or_deleted_by_the_queryset(entry: AuditEntry) -> None:
    with pytest.raises(TypeError, match="cannot be changed or deleted"):
        AuditEntry.objects.update(subject="ben")
    with pytest.raises(TypeError, match="cannot be changed or deleted"):
        AuditEntry.objects.all().delete()
    assert AuditEntry.objects.get().subject == "ada"


def test_a_long_subject_is_cut_and_kept(db: None) -> None:
    assert len(audit.record("import", "x" * 900, actor=None).subject) == 200
