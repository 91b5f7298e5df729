"""Template tags for the pieces that pages are made of: heads, panels and tables."""

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
NOTHING = mark_safe("")


@register.simple_block_tag
def panel(
    content: SafeString, title: str, *, anchor: str, note: str = "", css: str = "panel gapb", small: bool = False
) -> SafeString:
    """A section with a heading, and a note beside it. `anchor` is the id of the heading."""
    heading = format_html('<h2 class="small" id="{}">{}</h2>' if small else '<h2 id="{}">{}</h2>', anchor, title)
    beside = format_html('<span class="small soft">{}</span>', note) if note else NOTHING
    return format_html(
        '<section class="{}" aria-labelledby="{}"><header>{}{}</header>{}</section>', css, anchor, heading, beside, content
    )


@register.simple_block_tag
def table(content: SafeString, *, label: str, caption: str, css: str = "list") -> SafeString:
    """A table that scrolls sideways: `columns`, then its rows. Only screen readers read label and caption."""
    return format_html(
        '<div class="scroll" tabindex="0" role="group" aria-label="{}, scrollable">'
        '<table class="{}"><caption class="sr">{}</caption>{}</tbody></table></div>',
        label,
        css,
        caption,
        content,
    )


@register.simple_block_tag
def as_typed(content: SafeString, anchor: str, address: str) -> SafeString:
    """A part of a form that shows what would come of the form: after each change, `address` answers with its new content.

    The element itself stays, because a change that is made while an answer is on its way would otherwise be missed. Such a
    change waits for that answer instead of cancelling it: a slow site then shows something, and has one request at a time.
    """
    return format_html(
        '<div id="{}" hx-post="{}" hx-trigger="input delay:300ms from:closest form" hx-include="closest form" '
        'hx-swap="innerHTML" hx-sync="this:queue last">{}</div>',
        anchor,
        address,
        content,
    )


@register.simple_tag
def columns(*titles: str) -> SafeString:
    """The head of a table, and the start of its body. A title may have CSS classes, as in "Points:num w3". A title in
    parentheses is for screen readers only.
    """
    return format_html(
        "<thead><tr>{}</tr></thead><tbody>", format_html_join("", "{}", ((_column(title),) for title in titles))
    )


def _column(title: str) -> SafeString:
    words, _, css = title.partition(":")
    shown = format_html('<span class="sr">{}</span>', words[1:-1]) if words.startswith("(") else words
    return (
        format_html('<th scope="col" class="{}">{}</th>', css, shown)
        if css
        else format_html('<th scope="col">{}</th>', shown)
    )


@register.simple_block_tag(takes_context=True)
def page_head(context: template.Context, content: SafeString, title: str, *, parent: str, page: str = "") -> SafeString:
    """The title of a page below the name of its parent, with the content beside it. `page` is the name of the parent's URL
    in the course.
    """
    url = reverse(page, args=(context["course"].slug,)) if page else ""
    crumb = format_html('<a href="{}">{}</a>', url, parent) if url else parent
    return format_html('<div class="head"><div><p class="crumbs">{}</p><h1>{}</h1></div>{}</div>', crumb, title, content)
