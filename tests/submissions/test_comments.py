"""Comments of staff on submissions: permissions, storage, and escaping."""

import pytest

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Membership, Role, Section
from autograder.submissions.comments import MAX_TEXT, comment_add, comment_remove, comments_on
from autograder.submissions.models import Comment, Submission
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def submission(cast: Cast) -> Submission:
    return cast.hands_in("ada", b"x = 1\r\ny = 2\n")


def staff(cast: Cast, name: str, role: Role, section: Section | None = None) -> Membership:
    membership = cast.membership(name)
    membership.role, membership.section = role, section
    membership.save()
    return membership


@pytest.fixture
def ines(cast: Cast) -> Membership:
    return staff(cast, "ines", Role.INSTRUCTOR)


def test_to_a_line_and_to_the_whole(submission: Submission, ines: Membership) -> None:
    comment_add(submission=submission, by=ines, text=" Why y? \r\n", line=2)
    comment_add(submission=submission, by=ines, text="Well done.")
    assert [(one.line, one.text) for one in comments_on(submission)] == [(2, "Why y?"), (None, "Well done.")]
    entry = AuditEntry.objects.filter(action="comment-made").last()
    assert entry is not None
    assert (entry.subject, entry.actor, entry.details["line"]) == (str(submission), ines.user, 2)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (" \n", None, "Enter a comment"),
        ("x" * (MAX_TEXT + 1), None, "4,001 characters"),
        ("x", 0, "no line 0"),
        ("x", 3, "no line 3; it has 2 lines"),
    ],
)
def test_what_is_refused(submission: Submission, ines: Membership, text: str, line: int | None, words: str) -> None:
    with pytest.raises(Refused, match=words):
        comment_add(submission=submission, by=ines, text=text, line=line)
    assert not Comment.objects.exists()


def test_it_is_text_and_steers_nothing(submission: Submission, ines: Membership) -> None:
    made = comment_add(submission=submission, by=ines, text="a\x00b\x1b[31m\u202ec\nd")
    assert made.text == "a\\x00b\\x1b[31m\\u202ec\nd"


def test_assistants_comment_on_their_section_alone(cast: Cast, submission: Submission) -> None:
    mine, other = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    staff(cast, "ada", Role.STUDENT, mine)
    submission.refresh_from_db()
    comment_add(submission=submission, by=staff(cast, "ann", Role.ASSISTANT, mine), text="Good.")
    for nobody in (staff(cast, "otto", Role.ASSISTANT, other), cast.membership("ben"), submission.membership):
        with pytest.raises(Refused, match="may not comment"):
            comment_add(submission=submission, by=nobody, text="Bad.")
    elsewhere = Cast(slug="elsewhere", exercise="value-unary")
    with pytest.raises(Refused, match="may not comment"):
        comment_add(submission=submission, by=elsewhere.membership("elsewhere-grace"), text="Bad.")


def test_taken_back_it_is_kept_and_not_shown(submission: Submission, ines: Membership) -> None:
    made = comment_add(submission=submission, by=ines, text="Hm.")
    comment_remove(comment=made, by=ines)
    assert not comments_on(submission).exists()
    assert Comment.objects.get().text == "Hm."
    assert AuditEntry.objects.filter(action="comment-removed", actor=ines.user).count() == 1
    with pytest.raises(Refused, match="already"):
        comment_remove(comment=made, by=ines)


def test_an_assistant_takes_back_her_own_and_an_instructor_anybodys(
    cast: Cast, submission: Submission, ines: Membership
) -> None:
    ann, bob = (staff(cast, name, Role.ASSISTANT) for name in ("ann", "bob"))
    made = comment_add(submission=submission, by=ann, text="Hm.")
    with pytest.raises(Refused, match="may not"):
        comment_remove(comment=made, by=bob)
    comment_remove(comment=made, by=ines)
