"""URLs of the pages that everybody may open."""

from django.urls import path

from autograder.web.public import exercises, front_page, guides, help_page

urlpatterns = [
    path("", front_page.front, name="front"),
    path("help/", help_page.help_page, name="help"),
    path("help/<slug:guide>/", guides.guide, name="guide"),
    path("exercises/", exercises.units, name="public-units"),
    path("exercises/<slug:unit>/", exercises.unit, name="public-unit"),
]
