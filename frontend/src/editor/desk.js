// One desk: the editor, its draft, its buttons and its files, tied to the form they belong to.
// The <textarea> stays in the form and always holds the text, so the form can be sent as if nothing had been added.

import { Notes } from "../common/notes.js";
import { Draft } from "./draft.js";
import { Files } from "./files.js";
import { showChanges } from "./judged.js";
import { listenForLines } from "./lines.js";
import { Scratch } from "./scratch.js";
import { Sending } from "./sending.js";
import { showStops } from "./stopped.js";
import { SyntaxNote } from "./syntax.js";
import { createView, replaceText, textOf } from "./view.js";
import { Workbench } from "./workbench.js";

const HINT = "Tab indents. To leave the editor with Tab, press Escape first.";
const MAC = /Mac|iPhone|iPad/.test(navigator.platform);

export class Desk {
  constructor(form) {
    this.form = form;
    this.textarea = form.querySelector("textarea[data-editor]");
    this.notes = new Notes(this.region());
    this.view = createView(this.textarea, {
      label: this.textarea.getAttribute("aria-label") ?? this.textarea.labels[0]?.textContent.trim() ?? "Your code",
      describedBy: (this.hintId = this.hint()),
      onChange: () => this.changed(),
      onSyntax: (error) => this.syntax.show(error),
    });
    const { value, selectionStart, selectionEnd } = this.textarea;
    const begun = document.activeElement === this.textarea;
    this.textarea.value = this.text;
    this.textarea.hidden = true;
    this.textarea.after(this.view.dom);
    this.syntax = new SyntaxNote(this.view.dom);
    this.draft = new Draft(form, this);
    this.sending = new Sending(form, this);
    this.files = new Files(form, this);
    const scratch = form.querySelector("[data-scratch]");
    if (scratch) new Scratch(scratch, this);
    const work = form.closest("[data-work]");
    if (work) new Workbench(work, this);
    listenForLines(this.view);
    this.compare();
    document.addEventListener("htmx:afterSettle", () => this.compare()); // another result
    for (const element of form.querySelectorAll("[data-scripted]")) element.hidden = false;
    if (begun) this.goOnWhere({ value, selectionStart, selectionEnd });
    if (MAC) for (const key of form.querySelectorAll("[data-mod]")) key.textContent = "⌘";
  }

  // For whoever began to write before the scripts were here.
  goOnWhere({ value, selectionStart, selectionEnd }) {
    this.replace(value.replace(/\r\n?/g, "\n"));
    this.view.dispatch({ selection: { anchor: selectionStart, head: selectionEnd } });
    this.focus();
  }

  get text() {
    return textOf(this.view);
  }

  replace(text) {
    replaceText(this.view, text);
  }

  // Replaces the text and offers the way back; later typing does not take the offer away.
  replaceWithWayBack(text, sentence) {
    const before = this.text;
    if (text === before) {
      this.notes.show("replaced", "That is what the editor holds already.");
      return;
    }
    this.replace(text);
    this.notes.show("replaced", sentence, {
      actions: [{ label: "Undo", does: () => this.takeBack(before) }],
    });
  }

  takeBack(text) {
    this.replace(text);
    this.notes.clear("replaced");
    this.focus();
  }

  focus() {
    this.view.focus();
  }

  changed() {
    this.textarea.value = this.text;
    this.draft?.changed();
    this.compare();
  }

  // With the code that was judged: what the result says of it holds while it is the same.
  compare() {
    showChanges(this);
    showStops(this.view, this.text);
  }

  region() {
    const region = document.createElement("div");
    region.className = "notes";
    this.textarea.before(region);
    return region;
  }

  hint() {
    const hint = document.createElement("p");
    Object.assign(hint, { id: "editor-hint", className: "sr", textContent: HINT });
    this.textarea.before(hint);
    return hint.id;
  }
}
