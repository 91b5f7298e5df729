"""Comments: what people use is rendered, names of Python stay whole, and nothing else comes through."""

import pytest

from autograder.library.short_markdown import html_of


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Good.", "<p>Good.</p>"),
        ("one\ntwo", "<p>one<br>\ntwo</p>"),
        ("one\n\ntwo", "<p>one</p>\n<p>two</p>"),
        ("Use `x.grad += g`, *not* **=**.", "<p>Use <code>x.grad += g</code>, <em>not</em> <strong>=</strong>.</p>"),
        ("See __add__ and _backward_.", "<p>See __add__ and _backward_.</p>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("```python\na < b\n```", "<pre><code>a &lt; b\n</code></pre>"),
        ("# Not a heading", "<p># Not a heading</p>"),
        ("3 < 4 & x > 2", "<p>3 &lt; 4 &amp; x &gt; 2</p>"),
        ("[a page](https://example.org/)", '<p><a href="https://example.org/" rel="noopener nofollow">a page</a></p>'),
    ],
)
def test_what_people_write(text: str, html: str) -> None:
    assert html_of(text).strip() == html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://example.org/x.png)",
        "[x](javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        '[x](https://example.org/ "onmouseover=alert(1)")',
        "<a href='x' style='position:fixed'>y</a>",
        "`<b>`",
        "[a]: javascript:alert(1)\n\n[a]",
    ],
)
def test_nothing_else_comes_through(text: str) -> None:
    html = html_of(text)
    for part in ("<script", "<img", 'href="javascript', 'href="data', "onmouseover=alert(1)>", "<a style", "<b>"):
        assert part not in html
