// The files of an exercise of several files, one tab each. The form still contains one text, in which a heading line precedes
// every file, as on the server (judge/files.py). Lines of the whole text and lines of a file are translated here.

import { isolateHistory } from "@codemirror/commands";
import { Transaction } from "@codemirror/state";

const HEADING = /^# ={4} file: (\S{1,200}) ={4}[ \t]*$/;

export class FileTabs {
  // createState(text, readOnly): a state of the editor
  constructor(form, view, createState) {
    this.view = view;
    this.createState = createState;
    this.list = form.querySelector("[data-tabs]");
    this.own = form.dataset.files.split(" ");
    this.given = new Map([...form.querySelectorAll("template[data-given]")].map((t) => [t.dataset.given, t.content.textContent]));
    const files = split(form.querySelector("textarea[data-editor]").defaultValue);
    this.states = new Map(this.own.map((path) => [path, createState(files.get(path) ?? "", false)]));
    for (const [path, text] of this.given) this.states.set(path, createState(text, true));
    this.active = this.own[0];
    this.listeners = [];
    view.setState(this.states.get(this.active));
    this.list.addEventListener("keydown", (event) => this.onKey(event));
    this.render();
  }

  // Called with the path after another tab was opened.
  onShow(listener) {
    this.listeners.push(listener);
  }

  get text() {
    return join(this.own.map((path) => [path, this.textOf(path)]));
  }

  textOf(path) {
    return this.stateOf(path).doc.toString();
  }

  stateOf(path) {
    return path === this.active ? this.view.state : this.states.get(path);
  }

  // Replaces the files in one step of the undo history of each. A file that the text does not have stays as it is.
  replace(text) {
    const files = split(text);
    this.beforeReplace?.(files); // own-files.js
    for (const [path, content] of files) {
      if (!this.own.includes(path) || this.textOf(path) === content) continue;
      const change = (state) => ({
        changes: { from: 0, to: state.doc.length, insert: content },
        annotations: [isolateHistory.of("full"), Transaction.userEvent.of("input.replace")],
      });
      if (path === this.active) this.view.dispatch(change(this.view.state));
      else this.states.set(path, this.states.get(path).update(change(this.states.get(path))).state);
    }
  }

  show(path) {
    if (path === this.active || !this.states.has(path)) return;
    this.states.set(this.active, this.view.state);
    this.active = path;
    this.view.setState(this.states.get(path));
    this.mark();
    for (const listener of this.listeners) listener(path);
  }

  // The line of the open file that a line of the whole text is; 0 if it is in another file. `open` opens that file first.
  localLine(line, { open = false } = {}) {
    let first = 1;
    for (const path of this.own) {
      const lines = lineCount(this.textOf(path));
      if (line > first && line <= first + lines) {
        if (open) this.show(path);
        return path === this.active ? line - first : 0;
      }
      first += 1 + lines;
    }
    return 0;
  }

  // The line of the whole text that a line of the open file is; 0 for a read-only file.
  globalLine(line) {
    let first = 1;
    for (const path of this.own) {
      if (path === this.active) return first + line;
      first += 1 + lineCount(this.textOf(path));
    }
    return 0;
  }

  render() {
    this.buttons = new Map();
    this.list.replaceChildren();
    for (const path of this.states.keys()) {
      const tab = document.createElement("button");
      Object.assign(tab, { type: "button", role: "tab", className: "filetab", textContent: path });
      if (this.given.has(path)) {
        const note = document.createElement("span");
        Object.assign(note, { className: "soft small", textContent: " read-only" });
        tab.append(note);
      }
      tab.addEventListener("click", () => {
        this.show(path);
        this.view.focus();
      });
      this.buttons.set(path, tab);
      this.list.append(tab);
    }
    this.list.hidden = false;
    this.mark();
  }

  mark() {
    for (const [path, tab] of this.buttons) {
      const active = path === this.active;
      tab.setAttribute("aria-selected", String(active));
      tab.tabIndex = active ? 0 : -1;
      if (active) tab.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    }
  }

  onKey(event) {
    const paths = [...this.states.keys()];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.show(paths[(paths.indexOf(this.active) + step + paths.length) % paths.length]);
    this.buttons.get(this.active).focus();
  }
}

export function split(text) {
  const files = new Map();
  let path = null;
  let lines = [];
  const close = () => path !== null && !files.has(path) && files.set(path, lines.join("\n"));
  for (const line of text.split("\n")) {
    const heading = line.replace(/\r$/, "").match(HEADING);
    if (!heading) {
      lines.push(line);
      continue;
    }
    if (path !== null) lines.push(""); // the newline before the heading ends the file
    close();
    [, path] = heading;
    lines = [];
  }
  close();
  return files;
}

function join(files) {
  return files.map(([path, text]) => `# ==== file: ${path} ====\n${ended(text)}`).join("");
}

const ended = (text) => (text && !text.endsWith("\n") ? `${text}\n` : text);
const lineCount = (text) => ended(text).split("\n").length - 1;
