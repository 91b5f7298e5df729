from types import SimpleNamespace

from django.template import Context, Template

HOSTILE = "<b>&"
ESCAPED = "&lt;b&gt;&amp;"


def rendered(source: str, **context: object) -> str:
    return Template("{% load components %}" + source).render(Context(context))


def test_a_table_has_a_name_for_screen_readers_and_columns_with_classes() -> None:
    html = rendered(
        '{% table label="Links" caption="All links" %}{% columns "For" "Uses:num w3" "(Actions):w4" %}<tr></tr>{% endtable %}'
    )
    assert html == (
        '<div class="scroll" tabindex="0" role="group" aria-label="Links, scrollable">'
        '<table class="list"><caption class="sr">All links</caption><thead><tr>'
        '<th scope="col">For</th><th scope="col" class="num w3">Uses</th>'
        '<th scope="col" class="w4"><span class="sr">Actions</span></th>'
        "</tr></thead><tbody><tr></tr></tbody></table></div>"
    )


def test_a_panel_is_named_by_its_heading() -> None:
    html = rendered('{% panel "Queue" anchor="queue" note="last hour" %}<p></p>{% endpanel %}')
    assert html.startswith('<section class="panel gapb" aria-labelledby="queue"><header><h2 id="queue">Queue</h2>')
    assert html.endswith('<span class="small soft">last hour</span></header><p></p></section>')


def test_a_page_head_leads_to_its_parent() -> None:
    course = SimpleNamespace(slug="autodiff")
    html = rendered('{% page_head "Export" parent="Gradebook" page="gradebook" %}{% endpage_head %}', course=course)
    assert '<a href="/t/autodiff/gradebook/">Gradebook</a>' in html
    assert "<a" not in rendered('{% page_head "Regrades" parent=name %}{% endpage_head %}', name="Autodiff")


def test_arguments_are_text() -> None:
    table = rendered('{% table label="Steps of "|add:x caption=x %}{% columns "A" %}{% endtable %}', x=HOSTILE)
    head = rendered("{% page_head x parent=x %}{% endpage_head %}", x=HOSTILE)
    panel = rendered('{% panel x anchor="a" note=x %}{% endpanel %}', x=HOSTILE)
    assert [html.count(ESCAPED) for html in (table, head, panel)] == [2, 2, 2]
    assert all(HOSTILE not in html for html in (table, head, panel))
