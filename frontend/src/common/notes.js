// Messages with a cause and a remedy, in a live region that exists before they do, so that screen readers announce them.
// There is one note per subject: a new one replaces it.

export class Notes {
  constructor(region) {
    this.region = region;
    region.setAttribute("role", "status");
  }

  // actions: {label, href} is a link that opens in a new tab, {label, onClick} a button
  show(subject, text, { warn = false, actions = [] } = {}) {
    const sentence = document.createElement("p");
    sentence.textContent = text;
    this.showElement(subject, sentence, { warn, actions });
  }

  showElement(subject, content, { warn, actions }) {
    const note = document.createElement("div");
    note.className = warn ? "note warn" : "note";
    note.dataset.subject = subject;
    note.append(content, ...actions.map((action) => control(action)));
    const old = this.find(subject);
    if (!old) this.region.append(note);
    else if (old.textContent !== note.textContent || actions.some(({ onClick }) => onClick)) replaceKeepingFocus(old, note);
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

function control({ label, href, onClick }) {
  if (href) {
    const link = document.createElement("a");
    Object.assign(link, { href, target: "_blank", rel: "noopener", textContent: label });
    return link;
  }
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "btn small", textContent: label });
  button.addEventListener("click", onClick);
  return button;
}
