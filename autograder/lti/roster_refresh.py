"""Applies a previewed refresh of the members. Whatever changed since the preview is left as it is."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction

from autograder.courses import audit, rights
from autograder.courses.accounts.selectors import owners_of
from autograder.courses.models import Course, Membership, Role, Section, User
from autograder.courses.people.members import member_add, member_details_update, member_remove, member_role_update
from autograder.courses.rights import Right
from autograder.courses.setup.courses import section_create
from autograder.lti.launch import people
from autograder.lti.launch.contexts import enrolment_note
from autograder.lti.models import Context, Enrolment
from autograder.lti.roster import RosterRow, RowKind, message_for


@dataclass
class Refreshed:
    """How many people were added, changed and removed, and how many were left out because something changed meanwhile."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    skipped: int = 0


def roster_apply(*, course: Course, rows: Sequence[RosterRow], kinds: Collection[RowKind], by: Membership) -> Refreshed:
    """Apply the rows of these kinds, all in one transaction."""
    rights.require(by, Right.PEOPLE, course)
    with transaction.atomic():
        chosen = [row for row in rows if row.kind in kinds and row.kind != RowKind.BAD]
        refresh = _Refresh(course, by)
        entry = audit.record("lms-roster-applied", course, actor=by.user, course=course)
        with audit.parts_of(entry):
            for row in chosen:
                refresh.apply(row)
    return refresh.done


class _Refresh:
    def __init__(self, course: Course, by: Membership) -> None:
        self.course, self.by, self.done = course, by, Refreshed()
        self.contexts = {context.pk: context for context in course.lms_contexts.select_related("deployment__registration")}
        self.sections = {section.name: section for section in course.sections.all()}

    def apply(self, row: RosterRow) -> None:
        if row.kind == RowKind.NEW:
            applied, counter = self._add(row), "added"
        elif row.kind == RowKind.LEFT:
            applied, counter = self._remove(row), "removed"
        else:
            applied, counter = self._change(row), "changed"
        counter = counter if applied else "skipped"
        setattr(self.done, counter, getattr(self.done, counter) + 1)

    def _add(self, row: RosterRow) -> bool:
        contexts = [self.contexts[pk] for pk in row.contexts if pk in self.contexts]
        user = self._account(row, contexts)
        if user is None or not user.is_active:
            return False
        before = Membership.objects.filter(course=self.course, user=user).select_related("section").first()
        if before is not None and before.removed_at is None:
            return False
        section = self._section(row.section) or (before.section if before else None)
        member = member_add(course=self.course, user=user, by=self.by, role=row.role, section=section)
        for context in contexts:
            enrolment_note(context, member, brought=True)
        return True

    def _account(self, row: RosterRow, contexts: Sequence[Context]) -> User | None:
        """Return the account of a person, or a new one unless the email address belongs to somebody by now."""
        known = people.account_with(row.issuer, row.sub)
        if known is not None or not contexts or (row.email and owners_of(row.email)):
            return known
        message = message_for(row.issuer, row.sub, row)
        return people.account_create(message, contexts[0].registration, by=self.by.user)

    def _change(self, row: RosterRow) -> bool:
        member = self._member(row)
        if member is None:
            return False
        if row.role != member.role:
            member = member_role_update(membership=member, role=row.role, by=self.by)
        if row.section:
            section = self._section(row.section)
            ids = {"lms_id": member.lms_id, "sis_id": member.sis_id}
            member_details_update(membership=member, section=section, by=self.by, **ids)
        if row.renames:
            self._rename(member, row)
        return True

    def _rename(self, member: Membership, row: RosterRow) -> None:
        first, last = people.names_in(message_for(row.issuer, row.sub, row))
        changes = audit.set_fields(member.user, {"first_name": first, "last_name": last})
        if changes and not member.user.has_usable_password():
            member.user.save(update_fields=tuple(changes))
            audit.record("account-corrected", member, actor=self.by.user, course=self.course, changes=changes)

    def _remove(self, row: RosterRow) -> bool:
        member = self._member(row)
        if member is None or member.pk == self.by.pk:
            return False
        member_remove(membership=member, by=self.by)
        Enrolment.objects.filter(context__in=self.contexts, membership=member).delete()
        return True

    def _member(self, row: RosterRow) -> Membership | None:
        """Return the member of a row if they still have the role of the preview. An owner never changes."""
        found = Membership.objects.filter(pk=row.membership or 0, course=self.course, removed_at=None, role=row.before)
        return found.exclude(role=Role.OWNER).select_related("user", "course", "section").first()

    def _section(self, name: str) -> Section | None:
        if name and name not in self.sections:
            self.sections[name] = section_create(course=self.course, name=name, by=self.by)
        return self.sections.get(name)
