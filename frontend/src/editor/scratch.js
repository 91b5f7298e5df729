// The scratch cell: an editor of its own for calls, which are sent with the code of the desk. Its answer is fetched by htmx.
// What is typed here lives as long as the tab: it is kept for a reload, and under the student's name.

import { Notes } from "../common/notes.js";
import { plainSentence } from "../common/sentence.js";
import { isSignedOut, signinUrl } from "../common/signin.js";
import { listenForLinks } from "./lines.js";
import { createView, textOf } from "./view.js";

export class Scratch {
  constructor(section, desk) {
    this.section = section;
    this.desk = desk;
    this.button = section.querySelector("#run-calls");
    this.textarea = section.querySelector("textarea[data-scratch-editor]");
    this.key = `gradus:scratch:${desk.form.dataset.owner}:${this.button.getAttribute("formaction")}`;
    if (section.open) this.begin();
    else section.addEventListener("toggle", () => this.begin(), { once: true });
  }

  // When it is opened for the first time: most pages never need a second editor.
  begin() {
    const begun = document.activeElement === this.textarea;
    const text = this.kept() ?? this.textarea.value.replace(/\r\n?/g, "\n");
    this.view = createView(this.textarea, {
      label: this.textarea.getAttribute("aria-label"),
      describedBy: `scratch-about ${this.desk.hintId}`,
      onChange: () => this.changed(),
      text,
      namesOf: () => this.desk.text,
      marksLines: false,
    });
    this.textarea.value = text;
    this.textarea.hidden = true;
    this.textarea.after(this.view.dom);
    this.notes = new Notes(this.region());
    this.voice = this.status();
    listenForLinks(this.view, "S");
    this.section.addEventListener("keydown", (event) => this.pressed(event), true); // before the editor makes a line of it
    this.button.onmousedown = (event) => event.preventDefault(); // the cursor stays where it is
    this.listenToHtmx();
    if (begun) this.view.focus();
  }

  // What the server sent goes first where it is an answer to something that was sent.
  kept() {
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
      // it lives as long as the page
    }
  }

  pressed(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.button.disabled) this.tell("This exercise is closed, so nothing can be run.");
    else this.button.click();
  }

  listenToHtmx() {
    const mine = (name, does) =>
      document.addEventListener(name, (event) => {
        const asker = event.detail.requestConfig?.elt;
        if (asker === this.button || asker?.id === "scratch-result") does(event, asker === this.button);
      });
    mine("htmx:sendError", (event, pressed) => this.failed(pressed));
    mine("htmx:timeout", (event, pressed) => this.failed(pressed));
    mine("htmx:beforeSwap", (event) => this.swaps(event));
    mine("htmx:responseError", ({ detail: { xhr } }) => {
      this.tell(plainSentence(xhr) || "The site could not do this just now. Your text is unchanged; run the calls again.");
    });
    mine("htmx:afterSettle", () => {
      this.say();
      document.getElementById("scratch-result")?.scrollIntoView({ block: "nearest" });
    });
  }

  swaps(event) {
    const { xhr, isError } = event.detail;
    if (isSignedOut(xhr.status, xhr.responseURL)) {
      event.detail.shouldSwap = false;
      this.tell("You were signed out. Nothing is lost: sign in in a new tab, then run the calls again.", [
        { label: "Sign in", href: signinUrl() },
      ]);
    } else if (!isError) this.notes.clear("scratch");
  }

  failed(pressed) {
    const waiting = "The result appears here when the connection is back.";
    this.tell(`No connection to the site. ${pressed ? "Your calls were not sent; run them again." : waiting}`);
  }

  // A live region that arrives together with its words is not read aloud, and nobody wants to hear all that was printed.
  say() {
    const heading = this.section.querySelector("[data-said]")?.dataset.said ?? "";
    if (this.voice.textContent !== heading) this.voice.textContent = heading;
  }

  tell(text, actions = []) {
    this.notes.show("scratch", text, { warn: true, actions });
  }

  region() {
    const region = document.createElement("div");
    region.className = "notes";
    this.view.dom.after(region);
    return region;
  }

  status() {
    const voice = document.createElement("p");
    voice.className = "sr";
    voice.setAttribute("role", "status");
    this.section.append(voice);
    return voice;
  }
}
