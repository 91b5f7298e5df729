// The scratch cell: a second editor for calls, which are sent together with the code. htmx fetches the result.
// Its text is kept in sessionStorage, per student, so it survives a reload but not the tab.

import { Notes } from "../common/notes.js";
import { errorText } from "../common/error-text.js";
import { isSignedOut, signinUrl } from "../common/signin.js";
import { followLineLinks } from "./line-marks.js";
import { createView, textOf } from "./view.js";

export class Scratch {
  constructor(section, editor) {
    this.section = section;
    this.editor = editor;
    this.button = section.querySelector("#run-calls");
    this.textarea = section.querySelector("textarea[data-scratch-editor]");
    this.key = `gradus:scratch:${editor.form.dataset.owner}:${this.button.getAttribute("formaction")}`;
    if (section.open) this.start();
    else section.addEventListener("toggle", () => this.start(), { once: true });
  }

  // Runs when the cell is opened for the first time, because most pages never need a second editor.
  start() {
    const typing = document.activeElement === this.textarea;
    const text = this.storedText() ?? this.textarea.value.replace(/\r\n?/g, "\n");
    this.view = createView(this.textarea, {
      label: this.textarea.getAttribute("aria-label"),
      describedBy: `scratch-about ${this.editor.hintId}`,
      onChange: () => this.changed(),
      text,
      moreText: () => this.editor.text,
      clickableLines: false,
    });
    this.textarea.value = text;
    this.textarea.hidden = true;
    this.textarea.after(this.view.dom);
    this.notes = new Notes(this.insertNotesRegion());
    this.liveRegion = this.insertLiveRegion();
    followLineLinks(this.view, "S");
    this.section.addEventListener("keydown", (event) => this.onKey(event), true); // before the editor inserts a line break
    this.button.onmousedown = (event) => event.preventDefault(); // keeps the cursor where it is
    this.listenToHtmx();
    if (typing) this.view.focus();
  }

  // If the server returned the calls that were sent, these are used instead of the stored text.
  storedText() {
    try {
      return "kept" in this.section.dataset ? null : sessionStorage.getItem(this.key);
    } catch {
      return null;
    }
  }

  changed() {
    this.textarea.value = textOf(this.view);
    try {
      sessionStorage.setItem(this.key, this.textarea.value);
    } catch {
      // then it is lost on a reload
    }
  }

  onKey(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.button.disabled) this.warn("This exercise is closed, so nothing can be run.");
    else this.button.click();
  }

  listenToHtmx() {
    const onScratchEvent = (name, handle) =>
      document.addEventListener(name, (event) => {
        const requester = event.detail.requestConfig?.elt;
        if (requester === this.button || requester?.id === "scratch-result") handle(event, requester === this.button);
      });
    onScratchEvent("htmx:sendError", (event, pressed) => this.failed(pressed));
    onScratchEvent("htmx:timeout", (event, pressed) => this.failed(pressed));
    onScratchEvent("htmx:beforeSwap", (event) => this.beforeSwap(event));
    onScratchEvent("htmx:responseError", ({ detail: { xhr } }) => {
      this.warn(errorText(xhr) || "The server reported an error. Your text is unchanged; run the calls again.");
    });
    onScratchEvent("htmx:afterSettle", () => {
      this.announce();
      document.getElementById("scratch-result")?.scrollIntoView({ block: "nearest" });
    });
  }

  beforeSwap(event) {
    const { xhr, isError } = event.detail;
    if (isSignedOut(xhr.status, xhr.responseURL)) {
      event.detail.shouldSwap = false;
      this.warn("You are signed out. Nothing is lost: sign in from a new tab, then run the calls again.", [
        { label: "Sign in", href: signinUrl() },
      ]);
    } else if (!isError) this.notes.clear("scratch");
  }

  failed(pressed) {
    const remedy = pressed ? "Your calls were not sent; run them again." : "The result appears here when the connection is back.";
    this.warn(`No connection to the site. ${remedy}`);
  }

  // Screen readers do not read a live region that arrives together with its text, and should not read the whole output.
  announce() {
    const summary = this.section.querySelector("[data-summary]")?.dataset.summary ?? "";
    if (this.liveRegion.textContent !== summary) this.liveRegion.textContent = summary;
  }

  warn(text, actions = []) {
    this.notes.show("scratch", text, { warn: true, actions });
  }

  insertNotesRegion() {
    const region = document.createElement("div");
    region.className = "notes";
    this.view.dom.after(region);
    return region;
  }

  insertLiveRegion() {
    const status = document.createElement("p");
    status.className = "sr";
    status.setAttribute("role", "status");
    this.section.append(status);
    return status;
  }
}
