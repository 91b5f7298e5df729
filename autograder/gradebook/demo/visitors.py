"""Students of the demo course that visitors act as, each one made for a visitor."""

from django.db import transaction

from autograder.courses import rights
from autograder.courses.models import Course, User
from autograder.courses.people.members import member_add
from autograder.gradebook.demo.people import DOMAIN, SLUG, VISITOR


def visitor_create(password: str) -> User:
    """Create a student who has not begun, so that every visitor sees the course as a new student does."""
    with transaction.atomic():
        course = Course.objects.select_for_update(no_key=True).get(slug=SLUG)
        number = User.objects.filter(username__startswith=VISITOR).count() + 1
        login = f"{VISITOR}{number}"
        names = {"first_name": "New", "last_name": f"Student {number}"}
        user = User.objects.create_user(login, f"{login}@{DOMAIN}", password, **names)
        member_add(course=course, user=user, by=rights.OPERATOR, section=course.sections.order_by("name").first())
    return user
