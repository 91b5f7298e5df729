// Saves what is typed as a draft on the server after a short pause, and in this browser until the server has it.
// Every save names the version that it is based on. If another device has saved in between, the server answers with its
// version and the differences, and the student chooses; the other version is one Ctrl-Z away. No choice is needed if the
// server's version is a text that this browser sent without receiving the response, because the page was reloaded or the
// connection broke.

import { csrfToken } from "../common/csrf.js";
import { isSignedOut, signinUrl } from "../common/signin.js";
import { LocalDraft } from "./local-draft.js";

const PAUSE = 800;
const MAX_PAUSE = 5_000; // while somebody types without a pause
const RETRY = 2_000;
const MAX_RETRY = 60_000;
const MAX_UNANSWERED = 4; // texts that are stored: localStorage is small

const NOT_YET = "Not saved yet";
const SIGNED_OUT = "You are signed out. Nothing is lost: sign in from a new tab, then come back here.";
const STORED = "Your code is stored in this browser and will be saved as soon as possible.";
const NOT_STORED = "This browser cannot store your code either. Download your code before you leave this page.";

export class Draft {
  // editor: {text, replace(text), focus(), notes}
  constructor(form, editor) {
    this.editor = editor;
    this.url = form.dataset.draftUrl;
    this.owner = form.dataset.owner;
    this.local = new LocalDraft(`${this.owner}:${this.url}`);
    this.version = Number(form.dataset.draftVersion);
    this.saved = editor.text;
    this.unanswered = []; // texts sent without a response so far, oldest first; the current text is based on them
    this.state = form.querySelector("[data-draft-state]");
    this.stored = true;
    this.sending = false;
    this.conflict = false;
    this.rejected = null; // a text that the server refused; it is not sent again unchanged
    this.failures = 0;
    this.restore();
    this.listen();
  }

  get dirty() {
    return this.editor.text !== this.saved;
  }

  listen() {
    const retry = () => this.dirty && !this.sending && this.save();
    window.addEventListener("online", retry);
    window.addEventListener("focus", retry); // after signing in in another tab
    document.addEventListener("visibilitychange", retry);
    window.addEventListener("pagehide", () => this.saveOnLeave());
    window.addEventListener("beforeunload", (event) => {
      if (this.dirty && !this.store()) event.preventDefault();
    });
  }

  // When the page loads: restores what this browser stored and the server never received.
  restore() {
    const local = this.local.get();
    if (!local) return;
    const { saved } = this;
    if (local.source === saved) return this.local.clear();
    this.unanswered = local.unanswered;
    this.editor.replace(local.source);
    if (local.seen === this.version || this.wasSent(saved)) {
      this.editor.notes.show("draft", "Your last changes had not been saved on the server. They are in the editor again.", {
        actions: [{ label: "Use the saved draft instead", onClick: () => this.use(saved) }],
      });
      this.changed();
    } else {
      this.version = local.seen; // the server then answers with both versions
      this.save();
    }
  }

  changed() {
    this.stored = this.store();
    if (this.state && this.dirty) this.state.textContent = NOT_YET;
    if (this.conflict || this.failures) return; // the student is being asked, or a retry is planned
    this.firstChange ??= Date.now();
    this.saveIn(Math.max(0, Math.min(PAUSE, this.firstChange + MAX_PAUSE - Date.now())));
  }

  store() {
    return this.local.put({ source: this.editor.text, seen: this.version, unanswered: this.unanswered });
  }

  wasSent(text) {
    return this.unanswered.includes(text);
  }

  saveIn(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), milliseconds);
  }

  async save() {
    clearTimeout(this.timer);
    const source = this.editor.text;
    if (this.sending || this.conflict || !this.dirty || source === this.rejected) return;
    this.sending = true;
    this.firstChange = undefined;
    try {
      await this.handleResponse(await this.send(source), source);
    } catch (error) {
      this.failed(error);
    } finally {
      this.sending = false;
    }
    if (!this.failures && this.dirty) this.changed();
  }

  send(source, options = {}) {
    // stored before the request goes out, because this page may be gone when the response arrives
    this.unanswered = [...this.unanswered.filter((text) => text !== source), source].slice(-MAX_UNANSWERED);
    this.stored = this.store();
    return fetch(this.url, {
      method: "POST",
      headers: { "X-CSRFToken": csrfToken(), Accept: "application/json" },
      body: new URLSearchParams({ source, seen: this.version, owner: this.owner }),
      ...options,
    });
  }

  async handleResponse(response, source) {
    if (isSignedOut(response.status, response.url)) return this.signedOut();
    const body = await response.json().catch(() => null);
    if (response.status === 409 && body) return this.conflictsWith(body, source);
    if (response.ok && body) return this.acknowledged(body, source);
    if (response.status === 403 && !body) return this.signedOut();
    if (response.status === 429) return this.rateLimited(Number(response.headers.get("Retry-After")) * 1_000);
    if (response.status >= 400 && response.status < 500 && body) return this.refused(body, source);
    throw new Error("the server reported an error");
  }

  acknowledged({ version, text }, source) {
    this.version = version;
    this.saved = source;
    this.unanswered = [];
    this.failures = 0;
    this.rejected = null;
    if (this.dirty) this.store();
    else this.local.clear();
    if (this.state) this.state.textContent = text;
    this.editor.notes.clear("save");
  }

  conflictsWith(newest, source) {
    if (newest.source === source || this.wasSent(newest.source)) return this.acknowledged(newest, newest.source);
    return this.askWhichVersion(newest);
  }

  refused({ text }, source) {
    this.rejected = source;
    this.warn(text);
  }

  signedOut() {
    this.failures += 1;
    this.saveIn(MAX_RETRY);
    this.warn(this.stored ? SIGNED_OUT : `You are signed out. Sign in from a new tab. ${NOT_STORED}`, [
      { label: "Sign in", href: signinUrl() },
    ]);
  }

  failed(error) {
    this.failures += 1;
    this.saveIn(Math.min(MAX_RETRY, RETRY * 2 ** (this.failures - 1)));
    const cause = error instanceof TypeError ? "there is no connection" : error.message;
    this.warn(`Not saved on the server: ${cause}. ${this.stored ? STORED : NOT_STORED}`, [
      { label: "Try now", onClick: () => this.save() },
    ]);
  }

  // Not a failure: it is saved after the pause that the server asked for.
  rateLimited(milliseconds) {
    this.failures += 1;
    this.saveIn(Math.min(MAX_RETRY, Math.max(RETRY, milliseconds)));
    this.warn(`Not saved on the server yet: too many saves in a short time. ${this.stored ? STORED : NOT_STORED}`);
  }

  warn(text, actions = []) {
    if (this.state) this.state.textContent = "Not saved on the server";
    this.editor.notes.show("save", text, { warn: true, actions });
  }

  // `versions` is what the server rendered: what happened, and the differences.
  askWhichVersion({ version, source, versions }) {
    this.conflict = true;
    this.failures = 0;
    const content = document.createElement("div");
    content.innerHTML = versions;
    this.editor.notes.showElement("save", content, {
      warn: true,
      actions: [
        { label: "Use the code in this editor", onClick: () => this.choose(version, source, this.editor.text) },
        { label: "Use the saved code", onClick: () => this.choose(version, source, source) },
      ],
    });
  }

  // Puts both versions into the undo history.
  choose(version, saved, chosen) {
    this.conflict = false;
    this.version = version;
    this.saved = saved;
    this.unanswered = [];
    this.editor.replace(saved);
    this.use(chosen);
  }

  use(text) {
    this.editor.replace(text);
    this.editor.notes.clear("save");
    this.editor.notes.clear("draft");
    this.editor.focus();
    if (this.dirty) this.changed();
    else this.local.clear();
  }

  // One last attempt when the page is left. The browser has its own copy in any case.
  saveOnLeave() {
    if (!this.dirty || this.conflict) return;
    const source = this.editor.text;
    this.send(source, { keepalive: true })
      .then((response) => this.handleResponse(response, source)) // if the page returns from the back-forward cache
      .catch(() => {}); // too long for a keepalive request: it is stored here, and sent on return
  }
}
