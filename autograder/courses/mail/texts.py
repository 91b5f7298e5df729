"""The subject and text of the site's mails.

Apart from course titles and the person's login, they contain no text that other people can choose. Only mails that were
requested contain links.
"""

from autograder.courses.models import Course, User

SIGNATURE = "\n\n-- \nGradus. This message was sent automatically. Replies are not read.\n"


def reset(user: User, link: str) -> tuple[str, str]:
    return "Choose a new password", (
        f"Hello,\n\nwe received a request to reset the password of your Gradus account ({user.username}).\n\n"
        f"To choose a new password, open this link within 24 hours. It works once:\n\n{link}\n\n"
        f"If you did not request this, ignore this message. Your password has not been changed.{SIGNATURE}"
    )


def link_made(user: User, course: Course) -> tuple[str, str]:
    return "A password reset link was created for your account", (
        f"Hello,\n\nan instructor of {_line(course.title)} created a password reset link for your Gradus account ({user.username}). "
        "They will give you the link, which lets you choose a new password. It works once, within 24 hours.\n\n"
        f"If you did not ask for this, contact your instructor.{SIGNATURE}"
    )


def corrected(user: User, course: Course, fields: str) -> tuple[str, str]:
    return "Your account details were changed", (
        f"Hello,\n\nan instructor of {_line(course.title)} changed the {fields} of your Gradus account ({user.username}). "
        "Sign in and open your account page to see the old and new values.\n\n"
        f"If you did not expect this, contact your instructor.{SIGNATURE}"
    )


def password_changed(user: User) -> tuple[str, str]:
    return "Your password was changed", (
        f"Hello,\n\nthe password of your Gradus account ({user.username}) was changed with a reset link. "
        "You were signed out on all other devices.\n\n"
        f"If this was not you, ask an instructor of your course for a new reset link immediately.{SIGNATURE}"
    )


def password_ended(user: User, course: Course) -> tuple[str, str]:
    return "Choose a new password", (
        f"Hello,\n\nyour Gradus account ({user.username}) is now in {_line(course.title)}. "
        "Until now, staff of another course could have signed in to it, because they created it "
        "or gave you a password or a reset link. "
        "For your security, the old password no longer works.\n\n"
        f'Choose a new one with "Forgot password?" on the sign-in page. All your work is still there.{SIGNATURE}'
    )


def _line(text: str) -> str:
    return " ".join(text.split())
