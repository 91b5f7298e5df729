"""URLs of the pages that everybody may open."""

from django.urls import path

from autograder.web.public import front_page, help_page

urlpatterns = [
    path("", front_page.front, name="front"),
    path("help/", help_page.help_page, name="help"),
]
