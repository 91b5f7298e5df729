// The draft: what is typed goes to the server after a short pause, and into this browser until it is there.
// Every save names the version it builds on. If another device has saved in between, the server refuses and sends
// that version along; the student chooses, and what was not chosen is one Ctrl-Z away. There is nothing to choose if that
// version is a text that was sent from here, and its answer was not heard: a reload, or a connection that broke.

import { csrfToken } from "../common/csrf.js";
import { isSignedOut, signinUrl } from "../common/signin.js";
import { Kept } from "./kept.js";

const PAUSE = 800;
const LONGEST_PAUSE = 5_000; // of somebody who never stops typing
const RETRY = 2_000;
const LONGEST_RETRY = 60_000;
const MOST_UNANSWERED = 4; // texts kept: a browser's room is small

const SIGNED_OUT = "You were signed out. Nothing is lost: sign in in a new tab, then come back here.";
const KEPT_HERE = "Your text is kept in this browser and saved as soon as that is possible.";
const KEPT_NOWHERE = "This browser cannot keep it either: download it before you leave this page.";

export class Draft {
  // desk: {text, replace(text), notes}
  constructor(form, desk) {
    this.desk = desk;
    this.url = form.dataset.draftUrl;
    this.owner = form.dataset.owner;
    this.kept = new Kept(`${this.owner}:${this.url}`);
    this.version = Number(form.dataset.draftVersion);
    this.onServer = desk.text;
    this.unanswered = []; // texts that were sent, and the current one builds on them; the newest last
    this.state = form.querySelector("[data-draft-state]");
    this.safeHere = true;
    this.sending = false;
    this.conflict = false;
    this.refused = null; // a text the server said no to; it is not sent again unchanged
    this.failures = 0;
    this.restore();
    this.listen();
  }

  get dirty() {
    return this.desk.text !== this.onServer;
  }

  listen() {
    const again = () => this.dirty && !this.sending && this.save();
    window.addEventListener("online", again);
    window.addEventListener("focus", again); // back from signing in in another tab
    document.addEventListener("visibilitychange", again);
    window.addEventListener("pagehide", () => this.leave());
    window.addEventListener("beforeunload", (event) => {
      if (this.dirty && !this.keepHere()) event.preventDefault();
    });
  }

  // On loading the page: what this browser kept and the server never received.
  restore() {
    const kept = this.kept.get();
    if (!kept) return;
    const { onServer } = this;
    if (kept.source === onServer) return this.kept.clear();
    this.unanswered = kept.unanswered;
    if (kept.seen === this.version || this.sentHere(onServer)) {
      this.desk.replace(kept.source);
      this.desk.notes.show("draft", "What you typed last had not reached the server. It is in the editor again.", {
        actions: [{ label: "Use the saved draft instead", does: () => this.settle(onServer) }],
      });
      this.changed();
    } else {
      this.desk.replace(kept.source);
      this.ask({ version: this.version, source: onServer, text: "This browser kept code that is not in your saved draft." });
    }
  }

  changed() {
    this.safeHere = this.keepHere();
    if (this.conflict || this.failures) return; // it is asked, or tried again, already
    this.firstChange ??= Date.now();
    this.plan(Math.max(0, Math.min(PAUSE, this.firstChange + LONGEST_PAUSE - Date.now())));
  }

  keepHere() {
    return this.kept.put({ source: this.desk.text, seen: this.version, unanswered: this.unanswered });
  }

  sentHere(text) {
    return this.unanswered.includes(text);
  }

  // Known to the browser before the request goes out: this page may not live to hear its answer.
  sends(source) {
    this.unanswered = [...this.unanswered.filter((text) => text !== source), source].slice(-MOST_UNANSWERED);
    this.safeHere = this.keepHere();
  }

  plan(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), milliseconds);
  }

  async save() {
    clearTimeout(this.timer);
    const source = this.desk.text;
    if (this.sending || this.conflict || !this.dirty || source === this.refused) return;
    this.sending = true;
    this.firstChange = undefined;
    try {
      await this.answered(await this.send(source), source);
    } catch (failure) {
      this.failed(failure);
    } finally {
      this.sending = false;
    }
    if (!this.failures && this.dirty) this.changed();
  }

  send(source, options = {}) {
    this.sends(source);
    return fetch(this.url, {
      method: "POST",
      headers: { "X-CSRFToken": csrfToken(), Accept: "application/json" },
      body: new URLSearchParams({ source, seen: this.version, owner: this.owner }),
      ...options,
    });
  }

  async answered(answer, source) {
    if (isSignedOut(answer.status, answer.url)) return this.signedOut();
    const told = await answer.json().catch(() => null);
    if (answer.status === 409 && told) return this.refusedFor(told, source);
    if (answer.ok && told) return this.saved(told, source);
    if (answer.status === 403 && !told) return this.signedOut();
    if (answer.status === 429) return this.askedToWait(Number(answer.headers.get("Retry-After")) * 1_000);
    if (answer.status >= 400 && answer.status < 500 && told) return this.rejected(told, source);
    throw new Error("something on our side broke");
  }

  saved({ version, text }, source) {
    this.version = version;
    this.onServer = source;
    this.unanswered = [];
    this.failures = 0;
    this.refused = null;
    if (this.dirty) this.keepHere();
    else this.kept.clear();
    if (this.state) this.state.textContent = text;
    this.desk.notes.clear("save");
  }

  refusedFor(theirs, source) {
    if (theirs.source === source || this.sentHere(theirs.source)) return this.saved(theirs, theirs.source);
    return this.ask(theirs);
  }

  rejected({ text }, source) {
    this.refused = source;
    this.tell(text);
  }

  signedOut() {
    this.failures += 1;
    this.plan(LONGEST_RETRY);
    this.tell(this.safeHere ? SIGNED_OUT : `You were signed out; sign in in a new tab. ${KEPT_NOWHERE}`, [
      { label: "Sign in", href: signinUrl() },
    ]);
  }

  failed(failure) {
    this.failures += 1;
    this.plan(Math.min(LONGEST_RETRY, RETRY * 2 ** (this.failures - 1)));
    const cause = failure instanceof TypeError ? "there is no connection" : failure.message;
    this.tell(`Not saved on the server: ${cause}. ${this.safeHere ? KEPT_HERE : KEPT_NOWHERE}`, [
      { label: "Try now", does: () => this.save() },
    ]);
  }

  // Not a failure: it goes by itself, when the site says.
  askedToWait(milliseconds) {
    this.failures += 1;
    this.plan(Math.min(LONGEST_RETRY, Math.max(RETRY, milliseconds)));
    this.tell(`Not saved on the server yet: that was too often, and it asks for a pause. ${this.safeHere ? KEPT_HERE : KEPT_NOWHERE}`);
  }

  tell(text, actions = []) {
    if (this.state) this.state.textContent = "Not saved on the server";
    this.desk.notes.show("save", text, { warn: true, actions });
  }

  // Two texts. Whichever is chosen, the other lies in the undo history.
  ask({ version, source, text }) {
    this.conflict = true;
    this.failures = 0;
    this.desk.notes.show("save", `${text} Which one do you want to go on with? The other one comes back with Undo.`, {
      warn: true,
      actions: [
        { label: "Keep mine", does: () => this.choose(version, source, this.desk.text) },
        { label: "Take the other", does: () => this.choose(version, source, source) },
      ],
    });
  }

  choose(version, theirs, chosen) {
    this.conflict = false;
    this.version = version;
    this.onServer = theirs;
    this.unanswered = [];
    this.desk.replace(theirs);
    this.desk.replace(chosen);
    this.settled();
  }

  settle(text) {
    this.desk.replace(text);
    this.settled();
  }

  settled() {
    this.desk.notes.clear("save");
    this.desk.notes.clear("draft");
    this.desk.focus();
    if (this.dirty) this.changed();
    else this.kept.clear();
  }

  // The page goes: one last try that outlives it, and the browser's own copy in any case.
  leave() {
    if (!this.dirty || this.conflict) return;
    const source = this.desk.text;
    this.send(source, { keepalive: true })
      .then((answer) => this.answered(answer, source)) // for a page that comes back from the cache
      .catch(() => {}); // too long to outlive the page: it is kept here, and sent on return
  }
}
