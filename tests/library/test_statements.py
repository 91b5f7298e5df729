"""A statement becomes clean HTML: what teaches stays, what could act is gone."""

import re
from html.parser import HTMLParser

import pytest

from autograder.judge.pack import Pack
from autograder.library import statements
from autograder.prove.statement_rule import problems

HOSTILE = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "<p onclick=alert(1)>click</p>",
    "[here](javascript:alert(1))",
    "[here](JaVaScRiPt:alert(1))",
    "[here](data:text/html;base64,PHNjcmlwdD4=)",
    "[here](vbscript:x)",
    "<iframe src=https://evil.example></iframe>",
    "<style>body{display:none}</style>",
    "<svg onload=alert(1)>",
    "![picture](https://evil.example/x.png)",
    "$x\" onmouseover=\"alert(1)$",
    "$$</code><script>alert(1)</script>$$",
    "```python\n</code></pre><script>alert(1)</script>\n```",
    "```\" onclick=\"alert(1)\n<script>alert(1)</script>\n```",
    "`<script>alert(1)</script>`",
    "| a |\n|---|\n| <script>alert(1)</script> |",
    '<form action="https://evil.example"><input name=password></form>',
    '<div style="position:fixed">over everything</div>',
    '<h2 id="result">not from here</h2>',
    '## A heading {#"onclick=alert(1)}',
]  # fmt: skip


class Acts(HTMLParser):
    """Everything in a piece of HTML that could do something."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in statements.TAGS | statements.MATH:
            self.found.append(tag)
        for name, value in attributes:
            if name.startswith("on") or name in ("style", "src", "srcdoc", "action", "name"):
                self.found.append(f"{tag} {name}")
            if name == "id" and not re.fullmatch(r"task-[a-z0-9-]+", value or ""):
                self.found.append(f"{tag} {name}={value}")
            if name == "href" and not re.match(r"https?://|mailto:|[#/?]", value or ""):
                self.found.append(f"{tag} {name}={value}")


def acts(html: str) -> list[str]:
    parser = Acts()
    parser.feed(html)
    return parser.found


@pytest.mark.parametrize("text", HOSTILE)
def test_what_could_act_is_inert(text: str) -> None:
    assert acts(statements.html_of(f"Before.\n\n{text}\n\nAfter.")) == []


def test_math_inline_and_displayed() -> None:
    html = statements.html_of("The slope $\\frac{a}{b} < 1$ of\n\n$$\nf(x) = x^2\n$$\n")
    assert '<span class="math" data-tex="\\frac{a}{b} &lt; 1"><math display="inline">' in html
    assert "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac><mo>&lt;</mo><mn>1</mn>" in html
    assert re.search(r'<div class="math display" data-tex="f\(x\) = x\^2"[^>]*><math display="block">', html)
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in html
    assert statements.has_math(html)
    assert not statements.has_math(statements.html_of("It costs 3 $ and 4 $ more."))


def test_python_in_colours_without_styles() -> None:
    html = statements.html_of('```python\ndef f(x):\n    return "a"  # b\n```\n')
    assert '<span class="k">def</span>' in html
    assert '<span class="c"># b</span>' in html
    assert "style=" not in html
    assert "<span" not in statements.html_of("```\ndef f\n```\n")


def test_a_line_of_source_is_a_line_of_html() -> None:
    source = 'x = """one\n<two>\n"""\ny = 1\n'
    lines = statements.python_html(source).split("\n")
    assert len(lines) == len(source.split("\n"))
    assert all(line.count("<span") == line.count("</span>") for line in lines)
    assert "&lt;two&gt;" in lines[1]


def test_tables_scroll_and_keep_their_cells() -> None:
    html = statements.html_of("| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert html.startswith('<div class="scroll" tabindex="0" role="group"')
    assert "<td>2</td>" in html


def test_a_summary_is_one_sentence_set_like_the_statement() -> None:
    assert statements.summary_of("# Title\n") in ("Title", "")
    assert statements.summary_of("Write `_backward` for *every* operation. Then rest.") == (
        "Write <code>_backward</code> for <em>every</em> operation."
    )
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in statements.summary_of("The slope of $x^2$ is known. Use it.")
    assert acts(statements.summary_of("<script>alert(1)</script> is no sentence.")) == []
    assert statements.summary_of("") == ""


def test_real_statements_render_and_keep_their_math(packs: dict[str, Pack]) -> None:
    """`make prove` says of each one whether it renders."""
    for slug, pack in packs.items():
        html = statements.html_of(pack.statement)
        assert acts(html) == [], slug
        assert statements.summary_of(pack.statement), slug
        parsed = statements._markdown().parse(pack.statement)
        wanted = [t for block in parsed for t in (block, *(block.children or ())) if t.type.startswith("math_")]
        assert html.count("data-tex=") == len(wanted), slug
        for code in re.findall(r"<code>(.*?)</code>", html, re.DOTALL):
            assert not re.search(r"(?<!\\)\$\S.*\S\$", code) or "data-tex" not in code, slug


def test_headings_have_ids_of_their_own_and_nothing_of_the_page() -> None:
    html = statements.html_of("## Two *tools* & `x`\n\na\n\n## The rules\n\nb\n\n### The rules\n\n## Ω\n")
    assert [(heading.id, heading.title) for heading in statements.headings_of(html)] == [
        ("task-two-tools-x", "Two tools & x"),
        ("task-the-rules", "The rules"),
        ("task-the-rules-1", "The rules"),
        ("task-part", "Ω"),
    ]


def test_an_author_names_what_a_heading_explains() -> None:
    html = statements.html_of("## What to write\n\na\n\n## Saved values {#graph-freed #too-deep}\n\nb\n")
    assert "{" not in html
    assert (
        statements.without_keys("## Two tools {#no-grad-fn #grad-of-unused}\n\n`{#x}` stays\n")
        == "## Two tools\n\n`{#x}` stays\n"
    )
    headings = statements.headings_of(html)
    for topics, title in (
        (("too-deep", "what to write"), "Saved values"),
        (("none-used", "What to write"), "What to write"),
    ):
        found = statements.heading_for(topics, headings)
        assert found is not None and found.title == title


def test_a_topic_is_whole_words_of_a_heading() -> None:
    headings = statements.headings_of(statements.html_of("## What rules out a loop\n\n## The old rulers\n"))
    assert statements.heading_for(("rule", "ruler"), headings) is None
    assert statements.heading_for((), headings) is None


def test_a_key_that_nothing_links_to_is_a_finding() -> None:
    ((line, why),) = problems("Text.\n\n## Saved values {#graph-freed #graph-freid}\n\nText.\n")
    assert (line, "{#graph-freid}" in why) == (3, True)
