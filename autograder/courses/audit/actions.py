"""All actions of the audit trail: how histories describe them, and which filters select them."""

from dataclasses import dataclass

from django.db.models import TextChoices


class HistoryFilter(TextChoices):
    """A filter of the history of a course."""

    GRADES = "grades", "Grades"
    EXTENSIONS = "extensions", "Extensions"
    REGRADES = "regrades", "Regrades"
    REQUESTS = "requests", "Regrade requests"
    PEOPLE = "people", "People"
    EXERCISES = "exercises", "Exercises"
    COURSE = "course", "The course"
    EXPORTS = "exports", "Exports"
    COMMENTS = "comments", "Comments"


@dataclass(frozen=True)
class Action:
    """`words` follow the name of the acting person. `grade_history` describes the action among the changes of one student's
    grades; it is empty for other actions. `changes_grades`: some grade or total may differ afterwards."""

    words: str
    filter: HistoryFilter | None = None
    also: HistoryFilter | None = None  # another filter that selects it
    grade_history: str = ""
    changes_grades: bool = False


ACTIONS = {
    "course-created": Action("created the course", HistoryFilter.COURSE),
    "course-copied": Action("copied the course", HistoryFilter.COURSE),
    "course-changed": Action("changed the course", HistoryFilter.COURSE),
    "course-archived": Action("archived the course", HistoryFilter.COURSE),
    "course-back": Action("restored the course", HistoryFilter.COURSE),
    "section-created": Action("created a section", HistoryFilter.COURSE),
    "member-added": Action("added", HistoryFilter.PEOPLE),
    "member-back": Action("restored", HistoryFilter.PEOPLE),
    "member-changed": Action("changed", HistoryFilter.PEOPLE),
    "member-removed": Action("removed", HistoryFilter.PEOPLE),
    "role-changed": Action("changed the role of", HistoryFilter.PEOPLE),
    "roster-imported": Action("imported a roster", HistoryFilter.PEOPLE),
    "ids-imported": Action("imported IDs", HistoryFilter.PEOPLE),
    "invitation-made": Action("created an invitation", HistoryFilter.PEOPLE),
    "invitation-accepted": Action("accepted an invitation", HistoryFilter.PEOPLE),
    "invitation-revoked": Action("revoked an invitation", HistoryFilter.PEOPLE),
    "account-created": Action("created an account for", HistoryFilter.PEOPLE),
    "account-registered": Action("registered by link", HistoryFilter.PEOPLE),
    "draft-created": Action("began to write", HistoryFilter.EXERCISES),
    "draft-published": Action("published", HistoryFilter.EXERCISES),
    "draft-reader": Action("changed whether a second reader approves", HistoryFilter.EXERCISES),
    "draft-approved": Action("approved, as second reader,", HistoryFilter.EXERCISES),
    "exercise-shared": Action("shared with other courses", HistoryFilter.EXERCISES),
    "exercise-unshared": Action("no longer shares with other courses", HistoryFilter.EXERCISES),
    "exercise-withdrawn": Action("withdrew", HistoryFilter.EXERCISES),
    "exercise-back": Action("brought back", HistoryFilter.EXERCISES),
    "draft-removed": Action("removed the draft", HistoryFilter.EXERCISES),
    "draft-back": Action("restored the draft", HistoryFilter.EXERCISES),
    "assignment-created": Action("assigned", HistoryFilter.EXERCISES),
    "assignment-changed": Action("changed", HistoryFilter.EXERCISES),
    "exercises-ordered": Action("changed the order of the exercises of", HistoryFilter.EXERCISES),
    "assignment-removed": Action("removed", HistoryFilter.EXERCISES),
    "assignment-back": Action("restored", HistoryFilter.EXERCISES),
    "extension-granted": Action(
        "granted an extension to", HistoryFilter.EXTENSIONS, grade_history="extension granted", changes_grades=True
    ),
    "extension-changed": Action(
        "changed the extension of", HistoryFilter.EXTENSIONS, grade_history="extension changed", changes_grades=True
    ),
    "extension-withdrawn": Action(
        "withdrew the extension of", HistoryFilter.EXTENSIONS, grade_history="extension withdrawn", changes_grades=True
    ),
    "outside-work-added": Action("added work graded outside:", HistoryFilter.EXERCISES),
    "override": Action("set a score for", HistoryFilter.GRADES, grade_history="set by hand", changes_grades=True),
    "override-undone": Action(
        "undid the score set by hand for",
        HistoryFilter.GRADES,
        grade_history="score set by hand undone",
        changes_grades=True,
    ),
    "excused": Action("excused", HistoryFilter.GRADES, grade_history="excused", changes_grades=True),
    "excuse-withdrawn": Action(
        "withdrew the excuse of", HistoryFilter.GRADES, grade_history="excuse withdrawn", changes_grades=True
    ),
    "score-imported": Action("imported a score for", HistoryFilter.GRADES, grade_history="imported"),
    "score-import-undone": Action("undid the imported score for", HistoryFilter.GRADES, grade_history="import undone"),
    "scores-imported": Action("imported scores", HistoryFilter.GRADES, changes_grades=True),
    "scores-import-undone": Action("undid a score import", HistoryFilter.GRADES, changes_grades=True),
    "criteria-changed": Action("changed the criteria of", HistoryFilter.EXERCISES, changes_grades=True),
    "marked": Action(
        "gave points by hand for", HistoryFilter.GRADES, grade_history="points given by hand", changes_grades=True
    ),
    "regrade-preview": Action("started a preview of", HistoryFilter.REGRADES),
    "regrade-committed": Action("applied", HistoryFilter.REGRADES),
    "regrade-discarded": Action("discarded the preview of", HistoryFilter.REGRADES),
    "regrade-undone": Action("undid", HistoryFilter.REGRADES),
    "regrade-requested": Action("asked for a regrade of", HistoryFilter.REQUESTS),
    "regrade-request-withdrawn": Action("withdrew the regrade request for", HistoryFilter.REQUESTS),
    "regrade-request-answered": Action("answered the regrade request for", HistoryFilter.REQUESTS),
    "submissions-downloaded": Action("downloaded submissions for", HistoryFilter.EXPORTS),
    "mistake-named": Action("named a mistake in", HistoryFilter.EXERCISES),
    "mistake-unnamed": Action("removed the name of a mistake in", HistoryFilter.EXERCISES),
    "rules-set": Action("changed the unit weights", HistoryFilter.GRADES, changes_grades=True),
    "gradebook-frozen": Action("froze the gradebook", HistoryFilter.GRADES, changes_grades=True),
    "gradebook-unfrozen": Action("unfroze the gradebook", HistoryFilter.GRADES, changes_grades=True),
    "first-passwords": Action("created first passwords in", HistoryFilter.PEOPLE),
    "reset-link-made": Action("created a reset link for", HistoryFilter.PEOPLE),
    "reset-link-mailed": Action("sent a reset link to"),
    "sign-in-slowed": Action("limited sign-in attempts for"),
    "password-changed": Action("changed the password of"),
    "password-ended": Action("revoked a password that staff of another course might know:"),
    "password-reset": Action("chose a new password with a reset link:", HistoryFilter.PEOPLE),
    "account-corrected": Action("corrected the account of", HistoryFilter.PEOPLE),
    "email-cleared": Action("removed a duplicate email address from", HistoryFilter.PEOPLE),
    "grades-exported": Action("exported grades", HistoryFilter.EXPORTS),
    "grade-changed": Action(
        "changed a grade of",
        HistoryFilter.GRADES,
        also=HistoryFilter.REGRADES,
        grade_history="regraded",
        changes_grades=True,
    ),
    "score-changed": Action("regraded", HistoryFilter.GRADES, also=HistoryFilter.REGRADES),
    "comment-made": Action("commented on", HistoryFilter.COMMENTS),
    "comment-removed": Action("deleted a comment on", HistoryFilter.COMMENTS),
    "lms-connected": Action("connected a course of the LMS:", HistoryFilter.COURSE),
    "lms-disconnected": Action("disconnected a course of the LMS:", HistoryFilter.COURSE),
    "lms-link-chosen": Action("chose what a link of the LMS opens:", HistoryFilter.COURSE),
    "lms-links-added": Action("added links to a course of the LMS:", HistoryFilter.EXERCISES),
    "lms-roster-applied": Action("updated the members from the LMS:", HistoryFilter.PEOPLE),
    "lms-connection-changed": Action("changed how grades are sent to a course of the LMS:", HistoryFilter.COURSE),
    "lms-scores-sent-again": Action("sent grades again to a course of the LMS:", HistoryFilter.COURSE),
    "lms-account-created": Action("came from an LMS for the first time:"),
    "lms-account-left": Action("left an unused account:"),
    "lms-account-linked": Action("linked an account of the LMS to"),
    "lms-account-unlinked": Action("unlinked an account of the LMS from"),
    "lms-registered": Action("registered the LMS"),
    "lms-registration-changed": Action("changed the registration of the LMS"),
    "lms-registration-activated": Action("activated the registration of the LMS"),
    "lms-registration-deactivated": Action("deactivated the registration of the LMS"),
    "lms-registration-link-made": Action("created a link to register an LMS:"),
    "lms-deployment-added": Action("added the deployment"),
    "lms-deployment-approved": Action("approved the deployment"),
    "lms-deployment-refused": Action("refused the deployment"),
    "grading-failed": Action("could not grade"),
}


def actions_of(chosen: str) -> list[str]:
    """Return the names of the actions that a filter selects."""
    return [name for name, action in ACTIONS.items() if chosen in (action.filter, action.also)]
