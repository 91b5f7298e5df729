"""Addresses of this part of the staff's pages, below t/COURSE/."""

from django.urls.resolvers import URLPattern

urlpatterns: list[URLPattern] = []
