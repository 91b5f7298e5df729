// Notes: sentences with a cause and a cure, in a live region that is there before they are.
// One note per subject, so that a message that comes again replaces itself.

export class Notes {
  constructor(region) {
    this.region = region;
    region.setAttribute("role", "status");
  }

  // actions: [{label, href}] opens a new tab, [{label, does}] is a button
  show(subject, text, { warn = false, actions = [] } = {}) {
    const note = document.createElement("div");
    note.className = warn ? "note warn" : "note";
    note.dataset.subject = subject;
    const sentence = document.createElement("p");
    sentence.textContent = text;
    note.append(sentence, ...actions.map((action) => control(action)));
    const old = this.find(subject);
    if (!old) this.region.append(note);
    else if (old.textContent !== note.textContent || actions.some(({ does }) => does)) replaceKeepingFocus(old, note);
  }

  clear(subject) {
    this.find(subject)?.remove();
  }

  find(subject) {
    return [...this.region.children].find((note) => note.dataset.subject === subject);
  }
}

function replaceKeepingFocus(old, note) {
  const focused = [...old.querySelectorAll("a, button")].indexOf(document.activeElement);
  old.replaceWith(note);
  note.querySelectorAll("a, button")[focused]?.focus();
}

function control({ label, href, does }) {
  if (href) {
    const link = document.createElement("a");
    Object.assign(link, { href, target: "_blank", rel: "noopener", textContent: label });
    return link;
  }
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "btn small", textContent: label });
  button.addEventListener("click", does);
  return button;
}
