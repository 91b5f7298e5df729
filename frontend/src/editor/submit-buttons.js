// Run and Submit: keyboard shortcuts, one request at a time, and messages when a request fails.
// The form carries a token that the server accepts once, so "Try again" after a lost response cannot submit twice.

import { errorText } from "../common/error-text.js";
import { isSignedOut, signinUrl } from "../common/signin.js";

export class SubmitButtons {
  constructor(form, editor) {
    this.form = form;
    this.editor = editor;
    this.busy = false;
    this.lastKind = null;
    document.addEventListener("keydown", (event) => this.onKey(event), true); // before the editor inserts a line break
    form.addEventListener("submit", (event) => this.onSubmit(event), true);
    window.addEventListener("pageshow", ({ persisted }) => persisted && this.ready());
    this.listenToHtmx();
  }

  button(kind) {
    return this.form.querySelector(`button[name=kind][value=${kind}]`);
  }

  onKey(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    if (event.target.closest?.("[data-scratch]")) return; // there the key runs the calls
    if (event.target !== document.body && !event.target.closest(".editor-column") && !this.form.contains(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    this.press(event.shiftKey ? "submit" : "run");
  }

  // A click, so that the browser and htmx both know which button it was.
  press(kind) {
    const button = this.button(kind);
    if (!button) return;
    if (button.disabled) this.warn(this.disabledReason(button));
    else button.click();
  }

  // Moves the focus first: removing the note would blur its button, and htmx forgets the pressed button on a blur.
  retry() {
    this.button(this.lastKind)?.focus({ preventScroll: true });
    this.press(this.lastKind);
  }

  disabledReason(button) {
    const reason =
      document.querySelector(`[data-for="${button.id}"]:not([hidden])`) ??
      document.getElementById(button.getAttribute("aria-describedby"));
    return reason?.textContent.trim() || "This is not possible right now.";
  }

  onSubmit(event) {
    if (this.busy) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    this.busy = true;
    this.lastKind = event.submitter?.value ?? "run";
    for (const kind of ["run", "submit"]) this.button(kind)?.setAttribute("aria-disabled", "true");
    this.editor.notes.clear("send");
  }

  ready() {
    this.busy = false;
    for (const kind of ["run", "submit"]) this.button(kind)?.removeAttribute("aria-disabled");
  }

  listenToHtmx() {
    const onFormEvent = (name, handle) =>
      document.addEventListener(name, (event) => event.detail.requestConfig?.elt === this.form && handle(event.detail));
    onFormEvent("htmx:afterRequest", () => this.ready());
    onFormEvent("htmx:sendError", () => this.failed("No connection to the site."));
    onFormEvent("htmx:timeout", () => this.failed("The site did not respond in time."));
    onFormEvent("htmx:beforeSwap", ({ xhr }) => isSignedOut(xhr.status, xhr.responseURL) && this.signedOut());
    onFormEvent("htmx:responseError", ({ xhr }) => this.refused(xhr));
  }

  refused(xhr) {
    if (isSignedOut(xhr.status, xhr.responseURL)) return;
    const message = errorText(xhr);
    const token = xhr.getResponseHeader("Gradus-Confirm");
    if (message && token) this.warn(message, [{ label: "Submit anyway", onClick: () => this.confirm(token) }]);
    else if (message) this.warn(message);
    else if (xhr.status === 403) this.signedOut();
    else if (xhr.status === 413) this.warn("The code is too long. Nothing was submitted.");
    else this.failed("The server reported an error.");
  }

  // The token is only valid for the text in question. For a different text, the server asks again.
  confirm(token) {
    this.form.elements.confirmed.value = token;
    this.retry();
  }

  failed(cause) {
    this.warn(`${cause} Your code is still in the editor. If you try again, it will not be submitted twice.`, [
      { label: "Try again", onClick: () => this.retry() },
    ]);
  }

  signedOut() {
    this.warn("You are signed out. Nothing is lost: sign in from a new tab, then come back here.", [
      { label: "Sign in", href: signinUrl() },
      { label: "Try again", onClick: () => this.retry() },
    ]);
  }

  warn(text, actions = []) {
    this.editor.notes.show("send", text, { warn: true, actions });
  }
}
