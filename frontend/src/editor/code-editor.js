// The editor with its draft, buttons and files, attached to a form.
// The <textarea> stays in the form and always contains the text, so the form can be sent as it would be without scripts.

import { Notes } from "../common/notes.js";
import { Draft } from "./draft.js";
import { FileTabs } from "./file-tabs.js";
import { Files } from "./files.js";
import { updateChangedNote } from "./graded-code.js";
import { markRequestedLines } from "./line-marks.js";
import { PageLayout } from "./page-layout.js";
import { Scratch } from "./scratch.js";
import { markStoppedLines } from "./stopped-lines.js";
import { SubmitButtons } from "./submit-buttons.js";
import { SyntaxNote } from "./syntax-errors.js";
import { createState, createView, replaceText, textOf } from "./view.js";

const HINT = "Tab indents. To leave the editor with Tab, press Escape first.";
const MAC = /Mac|iPhone|iPad/.test(navigator.platform);

export class CodeEditor {
  constructor(form) {
    this.form = form;
    this.textarea = form.querySelector("textarea[data-editor]");
    this.notes = new Notes(this.insertNotesRegion());
    const options = {
      label: this.textarea.getAttribute("aria-label") ?? this.textarea.labels[0]?.textContent.trim() ?? "Your code",
      describedBy: (this.hintId = this.insertHint()),
      onChange: () => this.changed(),
      onSyntaxError: (error) => this.syntaxNote?.show(error),
      globalLine: (line) => this.tabs?.globalLine(line) ?? line,
    };
    this.view = createView(this.textarea, options);
    if (form.dataset.files) {
      const state = (text, readOnly) => createState(this.textarea, text, { ...options, readOnly });
      this.tabs = new FileTabs(form, this.view, state);
      this.tabs.onShow(() => this.compareWithResult());
      window.addOwnFiles?.(this);
    }
    const { value, selectionStart, selectionEnd } = this.textarea;
    const typing = document.activeElement === this.textarea;
    this.textarea.value = this.text;
    this.textarea.hidden = true;
    this.textarea.after(this.view.dom);
    this.syntaxNote = new SyntaxNote(this.view.dom);
    this.draft = new Draft(form, this);
    this.buttons = new SubmitButtons(form, this);
    this.files = new Files(form, this);
    const scratch = form.querySelector("[data-scratch]");
    if (scratch) new Scratch(scratch, this);
    const columns = form.closest("[data-work]");
    if (columns) new PageLayout(columns, this);
    markRequestedLines(this.view, (line) => this.localLine(line, { open: true }));
    this.compareWithResult();
    document.addEventListener("htmx:afterSettle", () => this.compareWithResult()); // the result may be new
    for (const element of form.querySelectorAll("[data-scripted]")) element.hidden = false;
    if (typing) this.takeOver({ value, selectionStart, selectionEnd });
    if (MAC) for (const key of form.querySelectorAll("[data-mod]")) key.textContent = "⌘";
  }

  // Continues where somebody began to type before the scripts had loaded.
  takeOver({ value, selectionStart, selectionEnd }) {
    this.replace(value.replace(/\r\n?/g, "\n"));
    if (this.tabs) return this.focus();
    this.view.dispatch({ selection: { anchor: selectionStart, head: selectionEnd } });
    this.focus();
  }

  get text() {
    return this.tabs?.text ?? textOf(this.view);
  }

  replace(text) {
    if (!this.tabs) return replaceText(this.view, text);
    this.tabs.replace(text);
    return this.changed(); // files in other tabs do not report it
  }

  localLine(line, options) {
    return this.tabs ? this.tabs.localLine(line, options) : line;
  }

  // Replaces the text and offers to undo that. The offer stays while the user types.
  replaceWithUndo(text, message) {
    const before = this.text;
    if (text === before) {
      this.notes.show("replaced", "The editor already contains this code.");
      return;
    }
    this.replace(text);
    this.notes.show("replaced", message, {
      actions: [{ label: "Undo", onClick: () => this.undoReplace(before) }],
    });
  }

  undoReplace(text) {
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
    this.compareWithResult();
  }

  // What a result says about lines is only valid for the code that was graded.
  compareWithResult() {
    updateChangedNote(this.text);
    markStoppedLines(this.view, this.text, (line) => this.localLine(line));
  }

  insertNotesRegion() {
    const region = document.createElement("div");
    region.className = "notes";
    this.textarea.before(region);
    return region;
  }

  insertHint() {
    const hint = document.createElement("p");
    Object.assign(hint, { id: "editor-hint", className: "sr", textContent: HINT });
    this.textarea.before(hint);
    return hint.id;
  }
}
