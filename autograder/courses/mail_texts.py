"""The subject and text of the site's mails.

Apart from course titles and the person's login, they contain no text that other people can choose. Only mails that were
requested contain links.
"""

from autograder.courses.models import Course, User

SIGNATURE = "\n\n-- \nGradus. This mail was sent automatically; answers are not read.\n"


def reset(user: User, link: str) -> tuple[str, str]:
    return "Choose a new password", (
        f"Hello,\n\nsomebody asked for a new password for your Gradus account ({user.username}).\n\n"
        f"To choose one, open this link within 24 hours. It works once:\n\n{link}\n\n"
        f"If you did not ask for it, ignore this mail: your password stays as it is.{SIGNATURE}"
    )


def link_made(user: User, course: Course) -> tuple[str, str]:
    return "A reset link for your account was made", (
        f"Hello,\n\nan instructor of {_line(course.title)} made a reset link for your Gradus account ({user.username}). "
        "You get the link from them. With it you choose a new password; it works once, within 24 hours.\n\n"
        f"If you did not ask for this, talk to your instructor.{SIGNATURE}"
    )


def corrected(user: User, course: Course, fields: str) -> tuple[str, str]:
    return "Your account was corrected", (
        f"Hello,\n\nan instructor of {_line(course.title)} changed the {fields} of your Gradus account ({user.username}). "
        "Sign in to see it: your account page has the old and the new value.\n\n"
        f"If this is a surprise, talk to your instructor.{SIGNATURE}"
    )


def password_changed(user: User) -> tuple[str, str]:
    return "Your password was changed", (
        f"Hello,\n\nthe password of your Gradus account ({user.username}) was changed with a reset link. "
        "All sessions were ended.\n\n"
        f"If that was not you, ask an instructor of your course for a new reset link at once.{SIGNATURE}"
    )


def password_ended(user: User, course: Course) -> tuple[str, str]:
    return "Choose a new password", (
        f"Hello,\n\nyour Gradus account ({user.username}) is now in {_line(course.title)}. Until now staff of another course could "
        "have signed in with it, because they made it or gave you a password or a reset link. So its password no longer works.\n\n"
        f'Choose a new one with "Forgot the password?" on the sign-in page. Your work is all there.{SIGNATURE}'
    )


def _line(text: str) -> str:
    return " ".join(text.split())
