"""HTML of the platform."""

import json
from html import escape
from urllib.parse import urlencode

from .server import Form, Response
from .state import Context, LineItem, Link, State, Tool


def page(title: str, content: str, status: int = 200) -> Response:
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><link rel="icon" href="data:,">'
    return Response(status, f'<!doctype html><html lang="en"><head>{head}</head><body>{content}</body></html>')


def error_page(message: str, status: int = 400) -> Response:
    return page("Error", f'<main><h1>Error</h1><p role="alert">{escape(message)}</p></main>', status)


def form_page(title: str, form: Form, before: str = "") -> Response:
    """Return a page that submits its form at once, or by its button without scripts."""
    fields = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in form.fields.items()
    )
    html = (
        f'{before}<form action="{escape(form.action)}" method="{form.method}">{fields}'
        f"<noscript><button>Continue</button></noscript></form><script>document.forms[0].submit()</script>"
    )
    response = page(title, html)
    response.form = form
    return response


def frame_page(context: Context, title: str, source: str, storage_target: str | None, origins: list[str]) -> Response:
    """Return a course page that shows the tool in a frame, with platform storage if the LMS has it."""
    storage = ""
    if storage_target:
        storage = f"<script>{storage_script(storage_target, origins)}</script>"
        if storage_target != "_parent":
            name = escape(storage_target)
            storage += f'<iframe name="{name}" title="{name}" src="/storage" hidden></iframe>'
    html = (
        f"{storage}<main><h1>{escape(context.title)}</h1><h2>{escape(title)}</h2>"
        f'<iframe name="tool" title="{escape(title)}" src="{escape(source)}" width="1200" height="800"></iframe></main>'
    )
    return page(f"{title} – {context.title}", html)


def storage_script(target: str, origins: list[str]) -> str:
    """Return the script of a window that answers storage messages. Each origin has its own entries."""
    return _STORAGE.replace("TARGET", json.dumps(target)).replace("ORIGINS", json.dumps(origins))


_STORAGE = """
window.storageLog = [];
window.addEventListener('message', event => {
  const message = event.data;
  if (typeof message !== 'object' || message === null || !String(message.subject).startsWith('lti.')) return;
  window.storageLog.push(message);
  const answer = content => event.source.postMessage(
    {subject: message.subject + '.response', message_id: message.message_id, ...content}, event.origin);
  const refuse = (code, text) => answer({key: message.key, error: {code, message: text}});
  if (message.subject === 'lti.capabilities') {
    const frame = TARGET === '_parent' ? {} : {frame: TARGET};
    const subjects = ['lti.capabilities', 'lti.put_data', 'lti.get_data'];
    return answer({supported_messages: subjects.map(subject => subject === 'lti.capabilities' ? {subject} : {subject, ...frame})});
  }
  if (!['lti.put_data', 'lti.get_data'].includes(message.subject)) return refuse('unsupported_subject', message.subject);
  if (!ORIGINS.includes(event.origin)) return refuse('wrong_origin', event.origin);
  if (typeof message.key !== 'string' || typeof message.message_id !== 'string') {
    return refuse('bad_request', 'key and message_id have to be strings');
  }
  const entry = 'lti ' + event.origin + ' ' + message.key;
  if (message.subject === 'lti.put_data') {
    if (message.value === null || message.value === undefined) sessionStorage.removeItem(entry);
    else if (typeof message.value !== 'string') return refuse('bad_request', 'value has to be a string');
    else if (message.value.length > 4096) return refuse('storage_exhaustion', 'value is longer than 4096 characters');
    else sessionStorage.setItem(entry, message.value);
    return answer({key: message.key, value: message.value});
  }
  answer({key: message.key, value: sessionStorage.getItem(entry)});
});
"""


def course_page(state: State, context: Context, links: list[Link], sub: str) -> Response:
    membership = context.members[sub]
    entries = "".join(
        f'<li>{escape(link.title)} <a href="/launch/{link.id}?user={sub}&amp;frame=1">Open</a>'
        f' <a href="/launch/{link.id}?user={sub}" target="_blank">Open in a new window</a></li>'
        for link in links
    )
    staff = "" if membership.graded else _staff_links(state, context, sub)
    html = f"<main><h1>{escape(context.title)}</h1><p>{escape(membership.user.name)}</p><ul>{entries}</ul>{staff}</main>"
    return page(context.title, html)


def _staff_links(state: State, context: Context, sub: str) -> str:
    adds = "".join(
        f'<p><a href="/deep-link/{context.id}?{urlencode({"user": sub, "tool": tool.client_id, "frame": 1})}">'
        f"Add content from {escape(tool.title)}</a></p>"
        for tool in state.tools.values()
        if tool.active
    )
    return f'{adds}<p><a href="/gradebook/{context.id}?user={sub}">Gradebook</a></p>'


def gradebook_page(context: Context, items: list[LineItem], reader: str | None) -> Response:
    heads = "".join(f'<th scope="col">{escape(item.label)} / {item.score_maximum:g}</th>' for item in items)
    rows = "".join(
        f'<tr><th scope="row">{escape(member.user.name)}</th>'
        + "".join(f"<td>{_cell(item, sub, reader)}</td>" for item in items)
        + "</tr>"
        for sub, member in context.members.items()
        if "Learner" in member.roles
    )
    table = f'<table><thead><tr><th scope="col">Student</th>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    return page("Gradebook", f"<main><h1>Gradebook</h1><h2>{escape(context.title)}</h2>{table}</main>")


def _cell(item: LineItem, sub: str, reader: str | None) -> str:
    result = item.results.get(sub)
    if result is None:
        return "–"
    score = "Excused" if result.excused else "–" if result.final_score is None else f"{result.final_score:g}"
    notes = [score, "late" if item.late(sub) else "", "overridden" if result.overridden else "", result.comment or ""]
    text = " ".join(escape(note) for note in notes if note)
    return f'{text} <a href="/review/{item.id}/{sub}?user={reader}&amp;frame=1">Review</a>' if reader else text


def register_page(url: str, tools: list[Tool]) -> Response:
    """Return the administrator's page: the tool registers in a frame, and closes it with a message."""
    entries = "".join(
        f"<li>{escape(tool.title)}: {'active' if tool.active else 'pending'}"
        + (
            ""
            if tool.active
            else f'<form method="POST" action="/admin/activate/{tool.client_id}"><button>Activate</button></form>'
        )
        + "</li>"
        for tool in tools
    )
    entry = '<form><label>Registration URL <input name="url" size="80"></label><button>Register</button></form>'
    frame = (
        f'<iframe name="tool" title="Registration" src="{escape(url)}" width="1000" height="600"></iframe>' if url else ""
    )
    return page(
        "Register a tool",
        f'<main><h1>Register a tool</h1>{entry}<p role="status"></p>{frame}<h2>Tools</h2><ul>{entries}</ul></main>'
        f"<script>{_CLOSE}</script>",
    )


_CLOSE = """
window.addEventListener('message', event => {
  const frame = document.querySelector('iframe');
  if (!frame || event.source !== frame.contentWindow || event.data.subject !== 'org.imsglobal.lti.close') return;
  frame.remove();
  document.querySelector('[role=status]').textContent = 'The tool closed the registration.';
});
"""
