"""Courses of an LMS and their links: what a launch says about them is stored, and an instructor connects them with a course here."""

import secrets
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Course, Membership, Role, User
from autograder.courses.people.members import member_join
from autograder.courses.rights import OPERATOR, Acting, Right
from autograder.courses.setup.courses import course_create
from autograder.gradebook.grades import unit_rules
from autograder.lti.errors import LaunchRefused
from autograder.lti.messages import Message
from autograder.lti.models import Context, Deployment, Enrolment, LineItem, ResourceLink

RANK = (Role.STUDENT, Role.ASSISTANT, Role.INSTRUCTOR, Role.OWNER)
MAX_SLUG = 40


def context_note(deployment: Deployment, message: Message) -> Context:
    """Store what a launch says about its context. A link outside of any context is a context of its own."""
    if message.context is not None:
        context_id, label, title = message.context.id, message.context.label, message.context.title
    elif message.link is not None:
        context_id, label, title = f"link:{message.link.id}"[:255], "", message.link.title
    else:
        raise LaunchRefused(
            "Your LMS did not say from which course you come. Open Gradus from a course of your LMS.",
            "no context and no link",
        )
    wanted: dict[str, Any] = {"label": label[:255], "title": title[:255], "seen_at": timezone.now()}
    if message.grades is not None:
        wanted |= {"line_items_url": message.grades.lineitems, "scopes": list(message.grades.scope)}
    if message.members is not None:
        wanted["memberships_url"] = message.members.context_memberships_url
    if message.groups is not None:
        wanted["groups_url"] = message.groups.context_groups_url
    found, _ = Context.objects.update_or_create(deployment=deployment, context_id=context_id, defaults=wanted)
    return Context.objects.select_related("course", "deployment__registration").get(pk=found.pk)


def link_note(context: Context, message: Message) -> ResourceLink | None:
    """Store the link of a launch, with the assignment that it opens and the column that the LMS made for it."""
    if message.link is None:
        return None
    wanted = {"title": message.link.title[:255], "seen_at": timezone.now()}
    found, _ = ResourceLink.objects.update_or_create(context=context, link_id=message.link.id, defaults=wanted)
    if found.assignment is None or found.assignment.removed_at is not None:
        found.assignment = _named_assignment(context, message)
        found.save(update_fields=("assignment",))
    if found.assignment is not None and message.grades is not None and message.grades.lineitem:
        line_item_note(context, found.assignment, message.grades.lineitem)
    return found


def line_item_note(context: Context, assignment: Assignment, url: str) -> None:
    """Store the column of an assignment. A new address, as after a copy of the LMS's course, gets all scores again."""
    known = LineItem.objects.filter(context=context, assignment=assignment).first()
    if known is not None and known.url == url:
        return
    with transaction.atomic():
        # a link that opened another assignment before
        LineItem.objects.filter(context=context, url=url).exclude(assignment=assignment).delete()
        found, new = LineItem.objects.get_or_create(context=context, assignment=assignment, defaults={"url": url})
        if not new and found.url != url:
            found.scores.all().delete()
            found.url, found.trouble = url, ""
            found.save(update_fields=("url", "trouble"))
        Context.objects.filter(pk=context.pk).update(collected_at=None)


def _named_assignment(context: Context, message: Message) -> Assignment | None:
    if context.course is None or not message.assignment:
        return None
    return context.course.assignments.filter(slug=message.assignment, removed_at=None).first()


def link_choose(*, link: ResourceLink, assignment: Assignment | None, by: Membership) -> None:
    """Choose the assignment that a link opens."""
    course = link.context.course
    if course is None or (assignment is not None and assignment.course_id != course.pk):
        raise Refused("This link belongs to another course.")
    rights.require(by, Right.SET_UP, course)
    with transaction.atomic():
        before, link.assignment = link.assignment_id, assignment
        link.save(update_fields=("assignment",))
        if not ResourceLink.objects.filter(context=link.context, assignment=before).exists():
            # its column belongs to the link, which names it at the next launch
            LineItem.objects.filter(context=link.context, assignment=before).delete()
        audit.record("lms-link-chosen", link, actor=by.user, course=course, assignment=assignment)


# -- connecting ------------------------------------------------------------------------------------------------------------


def courses_to_connect(user: User) -> list[Course]:
    """Return the courses that a person may connect, newest first."""
    own = Membership.objects.filter(user=user, removed_at=None, role__in=(Role.INSTRUCTOR, Role.OWNER))
    return list(Course.objects.filter(memberships__in=own, archived_at=None).order_by("-created_at"))


def copied_course(context: Context, message: Message) -> Course | None:
    """Return the course of the LMS course from which this one was copied, if the platform says so and it is connected."""
    known = Context.objects.filter(deployment__registration=context.registration, context_id__in=message.history)
    found = {other.context_id: other.course for other in known.exclude(course=None).select_related("course")}
    return next((found[context_id] for context_id in message.history if context_id in found), None)


def context_connect(*, context: Context, course: Course, by: Membership) -> None:
    """Connect a course of an LMS. From now on the LMS decides who is in the course, and receives its grades."""
    rights.require(by, Right.SET_UP, course)
    with transaction.atomic():
        found = Context.objects.select_for_update().get(pk=context.pk)
        if found.course_id not in (None, course.pk):
            raise Refused(f"{found} is already connected to another course. Disconnect it there first.")
        found.course, found.connected_by, found.connected_at = course, by.user, timezone.now()
        found.save(update_fields=("course", "connected_by", "connected_at"))
        audit.record("lms-connected", found, actor=by.user, course=course, lms=context.registration.name)
    context.course = course


def context_disconnect(*, context: Context, by: Acting) -> None:
    """End a connection. People and work stay; columns in the LMS keep the scores that were sent."""
    assert context.course is not None
    rights.require(by, Right.SET_UP, context.course)
    with transaction.atomic():
        audit.record("lms-disconnected", context, actor=by.user, course=context.course, lms=context.registration.name)
        LineItem.objects.filter(context=context).delete()
        context.enrolments.all().delete()
        ResourceLink.objects.filter(context=context).update(assignment=None)
        Context.objects.filter(pk=context.pk).update(course=None, connected_by=None, connected_at=None, collected_at=None)


def course_make(*, context: Context, user: User) -> Course:
    """Create a course for a course of an LMS, whose instructor becomes the owner."""
    title = context.title or context.label or "Course"
    with transaction.atomic():
        course = course_create(slug=free_slug(context.label or title), title=title[:200], by=OPERATOR, owner=user)
        context_connect(context=context, course=course, by=Membership.objects.get(course=course, user=user))
    return course


def course_make_copy(*, context: Context, of: Course, user: User) -> Course:
    """Copy a course of Gradus for a copied course of an LMS. Its dates stay as they are, until the instructor moves them."""
    with transaction.atomic():
        course = unit_rules.course_copy(
            course=of,
            slug=free_slug(context.label or context.title),
            title=(context.title or of.title)[:200],
            term="",
            days=0,
            by=Membership.objects.get(course=of, user=user, removed_at=None),
        )
        context_connect(context=context, course=course, by=Membership.objects.get(course=course, user=user))
    return course


def free_slug(words: str) -> str:
    """Return a slug that no course has yet."""
    slug = slugify(words)[:MAX_SLUG].strip("-") or "course"
    while Course.objects.filter(slug=slug).exists():
        slug = f"{slug[:MAX_SLUG]}-{secrets.token_hex(2)}"
    return slug


def member_arrive(*, context: Context, user: User, role: Role) -> Membership:
    """Make a person who launches a member of the connected course. A role is raised, but never lowered, by a launch."""
    assert context.course is not None
    course = context.course
    with transaction.atomic():
        found = Membership.objects.select_for_update().filter(course=course, user=user).first()
        if found is None or found.removed_at is not None:
            joined = member_join(course=course, user=user, actor=user, role=role)
            enrolment_note(context, joined, brought=True)
            return joined
        enrolment_note(context, found, brought=False)
        if RANK.index(role) > RANK.index(Role(found.role)):
            before, found.role = found.role, role
            found.save(update_fields=("role",))
            audit.record("role-changed", found, actor=None, course=course, before=str(before), after=str(role))
    return found


def enrolment_note(context: Context, membership: Membership, *, brought: bool) -> None:
    """Note that a member came from a course of an LMS. That the LMS brought them stays true."""
    found, new = Enrolment.objects.get_or_create(context=context, membership=membership, defaults={"brought": brought})
    if brought and not new and not found.brought:
        found.brought = True
        found.save(update_fields=("brought",))
