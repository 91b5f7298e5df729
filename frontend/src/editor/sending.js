// Run and Submit: the keys, one send at a time, and what is said when a send does not arrive.
// The form carries a token that the server accepts once, so "Try again" after a lost answer cannot submit twice.

import { plainSentence } from "../common/sentence.js";
import { isSignedOut, signinUrl } from "../common/signin.js";

export class Sending {
  constructor(form, desk) {
    this.form = form;
    this.desk = desk;
    this.busy = false;
    this.last = null;
    document.addEventListener("keydown", (event) => this.key(event), true); // before the editor makes a line of it
    form.addEventListener("submit", (event) => this.submit(event), true);
    window.addEventListener("pageshow", ({ persisted }) => persisted && this.ready());
    this.listenToHtmx();
  }

  button(kind) {
    return this.form.querySelector(`button[name=kind][value=${kind}]`);
  }

  key(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    if (event.target.closest?.("[data-scratch]")) return; // its own key runs the calls
    if (event.target !== document.body && !event.target.closest(".desk") && !this.form.contains(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    this.press(event.shiftKey ? "submit" : "run");
  }

  // A click, so that the browser and htmx both know which button it was.
  press(kind) {
    const button = this.button(kind);
    if (!button) return;
    if (button.disabled) this.tell(this.whyNot(button));
    else button.click();
  }

  // The focus goes first: with the note its button goes, and htmx forgets which button was pressed when one loses the focus.
  again() {
    this.button(this.last)?.focus({ preventScroll: true });
    this.press(this.last);
  }

  whyNot(button) {
    const reason =
      document.querySelector(`[data-for="${button.id}"]:not([hidden])`) ??
      document.getElementById(button.getAttribute("aria-describedby"));
    return reason?.textContent.trim() || "This is not possible now.";
  }

  submit(event) {
    if (this.busy) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    this.busy = true;
    this.last = event.submitter?.value ?? "run";
    for (const kind of ["run", "submit"]) this.button(kind)?.setAttribute("aria-disabled", "true");
    this.desk.notes.clear("send");
  }

  ready() {
    this.busy = false;
    for (const kind of ["run", "submit"]) this.button(kind)?.removeAttribute("aria-disabled");
  }

  listenToHtmx() {
    const mine = (name, does) =>
      document.addEventListener(name, (event) => event.detail.requestConfig?.elt === this.form && does(event.detail));
    mine("htmx:afterRequest", () => this.ready());
    mine("htmx:sendError", () => this.failed("No connection to the site."));
    mine("htmx:timeout", () => this.failed("The site did not answer in time."));
    mine("htmx:beforeSwap", ({ xhr }) => isSignedOut(xhr.status, xhr.responseURL) && this.signedOut());
    mine("htmx:responseError", ({ xhr }) => this.refused(xhr));
  }

  refused(xhr) {
    if (isSignedOut(xhr.status, xhr.responseURL)) return;
    const sentence = plainSentence(xhr);
    const token = xhr.getResponseHeader("Gradus-Confirm");
    if (sentence && token) this.tell(sentence, [{ label: "Submit anyway", does: () => this.confirm(token) }]);
    else if (sentence) this.tell(sentence);
    else if (xhr.status === 403) this.signedOut();
    else if (xhr.status === 413) this.tell("The code is too long to be graded. Nothing was handed in.");
    else this.failed("Something on our side broke.");
  }

  // The token holds for the text that was asked about; of another text the server asks again.
  confirm(token) {
    this.form.elements.confirmed.value = token;
    this.again();
  }

  failed(cause) {
    this.tell(`${cause} Your code is unchanged and was not lost. Trying again cannot submit it twice.`, [
      { label: "Try again", does: () => this.again() },
    ]);
  }

  signedOut() {
    this.tell("You were signed out. Nothing is lost: sign in in a new tab, then come back here.", [
      { label: "Sign in", href: signinUrl() },
      { label: "Try again", does: () => this.again() },
    ]);
  }

  tell(text, actions = []) {
    this.desk.notes.show("send", text, { warn: true, actions });
  }
}
