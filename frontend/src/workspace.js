// The workspace of an author: the open file in the editor, saved while it is typed.
// The <textarea> stays in the form, so that the file can be sent with a button as it would be without scripts.

import { StateEffect } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

import { csrfToken } from "./common/csrf.js";
import { merged } from "./common/merge.js";
import { Notes } from "./common/notes.js";
import { markFindings, showFindings } from "./editor/findings.js";
import { markRequestedLines } from "./editor/line-marks.js";
import { createView, replaceText, textOf } from "./editor/view.js";

const PAUSE = 100; // after the last key
const RETRY = 3_000;

class Workspace {
  constructor(form) {
    this.form = form;
    this.textarea = form.querySelector("textarea[data-editor]");
    this.status = document.querySelector("[data-saved]");
    const region = document.createElement("div");
    region.className = "notes";
    this.textarea.before(region);
    this.notes = new Notes(region);
    this.view = createView(this.textarea, {
      label: form.elements.path.value,
      clickableLines: false,
      onChange: () => this.changed(),
    });
    this.saved = textOf(this.view);
    this.textarea.hidden = true;
    this.textarea.after(this.view.dom);
    form.querySelector("[data-save]").hidden = true;
    if (!this.textarea.dataset.language) this.view.dispatch({ effects: StateEffect.appendConfig.of(EditorView.lineWrapping) });
    markRequestedLines(this.view);
    markFindings(this.view);
    this.showFindings();
    document.addEventListener("htmx:afterSettle", () => this.showFindings());
    this.goToLine(Number(location.hash.match(/^#L(\d+)$/)?.[1]));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    addEventListener("beforeunload", (event) => {
      if (this.unsaved) event.preventDefault();
    });
  }

  // Those of this file, as the proof beside it lists them.
  showFindings() {
    const path = this.form.elements.path.value;
    const found = [...document.querySelectorAll("#proof [data-path]")].filter(({ dataset }) => dataset.path === path);
    showFindings(this.view, found.map(({ dataset }) => ({ line: Number(dataset.line), say: dataset.say })));
  }

  goToLine(number) {
    const { doc } = this.view.state;
    if (!(number >= 1 && number <= doc.lines)) return;
    const { from } = doc.line(number);
    this.view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    this.view.focus();
  }

  get unsaved() {
    return textOf(this.view) !== this.saved;
  }

  changed() {
    this.textarea.value = textOf(this.view);
    this.status.textContent = "not saved yet";
    this.later(PAUSE);
  }

  later(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), delay);
  }

  async save() {
    clearTimeout(this.timer);
    if (this.sending) return; // what was typed meanwhile follows
    if (!this.unsaved) return;
    const text = textOf(this.view);
    this.sending = true;
    try {
      const body = new URLSearchParams({ path: this.form.elements.path.value, edition: this.form.elements.edition.value, text });
      const answer = await fetch(this.form.dataset.workspace, { method: "POST", headers: { "X-CSRFToken": csrfToken() }, body });
      await this.answered(answer, text);
    } catch {
      this.status.textContent = "not saved: the site cannot be reached";
      this.later(RETRY);
    } finally {
      this.sending = false;
    }
  }

  async answered(answer, text) {
    if (answer.redirected || !answer.headers.get("Content-Type")?.startsWith("application/json")) {
      this.status.textContent = answer.redirected ? "not saved: sign in again in another tab" : "not saved: the site had an error";
      return this.later(RETRY);
    }
    const found = await answer.json();
    if (answer.ok) {
      this.saved = text;
      this.form.elements.edition.value = found.edition;
      this.status.textContent = `saved ${found.saved}`;
      this.notes.clear("conflict");
      document.body.dispatchEvent(new CustomEvent("saved"));
      return this.unsaved ? this.later(PAUSE) : undefined;
    }
    this.status.textContent = "not saved";
    if (found.text === undefined) return this.notes.show("conflict", found.message);
    const both = merged(this.saved, textOf(this.view), found.text);
    if (both !== undefined) return this.takeOver(found, both);
    return this.notes.show("conflict", `${found.message} Undo brings back the text that you do not keep.`, {
      actions: [
        { label: "Keep mine", onClick: () => this.decide(found, textOf(this.view)) },
        { label: "Take theirs", onClick: () => this.decide(found, found.text) },
      ],
    });
  }

  // What somebody else has changed in other lines appears in the editor, where the cursor stays in its place.
  takeOver(found, both) {
    this.stands(found);
    const mine = textOf(this.view);
    const shorter = Math.min(mine.length, both.length);
    let from = 0;
    while (from < shorter && mine[from] === both[from]) from += 1;
    let same = 0;
    while (same < shorter - from && mine.at(-1 - same) === both.at(-1 - same)) same += 1;
    this.view.dispatch({ changes: { from, to: mine.length - same, insert: both.slice(from, both.length - same) } });
    this.later(0);
  }

  // What is chosen replaces what stands. Both are in the history of the editor.
  decide(found, text) {
    this.stands(found);
    replaceText(this.view, found.text);
    replaceText(this.view, text);
    this.notes.clear("conflict");
    this.save();
  }

  stands(found) {
    this.form.elements.edition.value = found.edition;
    this.saved = found.text;
  }
}

for (const form of document.querySelectorAll("form[data-workspace]")) new Workspace(form);
