// A result that is still moving: <section id="outcome" data-events="/s/12/events/" hx-get="/s/12/outcome/" hx-trigger="told">.
// The events only say "look again"; the truth is what hx-get answers. So a lost event costs seconds, never a result:
// the page also looks by itself, seldom while the stream is open, often while it is not, and at once after a sleep.
// An answer without data-events is the last one.

import { pageNotes } from "./answers.js";
import { htmx } from "./htmx.js";
import { keepOpen } from "./keep.js";

const EVENTS = ["queued", "running", "check", "graded", "explained", "internal", "superseded"];
const GAP = 250; // between two looks, however many events arrive
const WHILE_STREAMING = 5_000;
const WITHOUT_STREAM = 1_500;
const LONGEST = 15_000;
const MANY_FAILURES = 3;
const NO_CONNECTION = "No connection to the site. What you sent is kept; its result appears here when the connection is back.";
const PHONE = matchMedia("(max-width: 48rem)");

const part = () => document.querySelector("[data-events]");

class Follower {
  constructor(url) {
    this.url = url;
    this.failures = 0;
    this.looking = false;
    this.again = false;
    this.lastLook = 0;
    this.stream = new EventSource(url);
    for (const name of EVENTS) this.stream.addEventListener(name, () => this.look());
    this.stream.addEventListener("open", () => this.look()); // what was told while it was closed
    this.stream.addEventListener("error", () => this.plan());
    this.plan();
  }

  get pause() {
    if (this.failures) return Math.min(LONGEST, WITHOUT_STREAM * 2 ** this.failures);
    return this.stream.readyState === EventSource.OPEN ? WHILE_STREAMING : WITHOUT_STREAM;
  }

  plan(milliseconds = this.pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), milliseconds);
  }

  look() {
    const gap = this.lastLook + GAP - Date.now();
    if (this.looking) this.again = true;
    else if (gap > 0) this.plan(gap);
    else if (part()) {
      this.looking = true;
      this.lastLook = Date.now();
      htmx.trigger(part(), "told");
    }
  }

  looked(successful) {
    this.looking = false;
    this.failures = successful ? 0 : this.failures + 1;
    if (this.failures >= MANY_FAILURES) {
      pageNotes().show("live", NO_CONNECTION, { warn: true });
    } else if (successful) pageNotes().clear("live");
    this.plan(this.again && successful ? GAP : this.pause);
    this.again = false;
  }

  close() {
    clearTimeout(this.timer);
    this.stream.close();
    pageNotes().clear("live");
  }
}

let follower = null;

function follow() {
  const url = part()?.dataset.events;
  if (follower && follower.url !== url) {
    follower.close();
    follower = null;
    if (!url) finished();
  }
  if (url && !follower) follower = new Follower(url);
}

function finished() {
  const typing = document.activeElement?.closest("[data-desk] :is(.cm-editor, textarea)"); // a pressed button has the focus, too
  if (!PHONE.matches || typing) return;
  const go = () => requestAnimationFrame(() => document.getElementById("result")?.scrollIntoView());
  document.addEventListener("htmx:afterSettle", go, { once: true }); // all of the answer stands there, and the focus is back
}

document.addEventListener("htmx:load", follow);

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  const asker = detail.requestConfig.elt; // by now replaced
  if (follower && asker.matches("[data-events]")) follower.looked(detail.successful);
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, xhr, requestConfig } = event.detail;
  if (!target.matches("[data-events]") || requestConfig.elt !== target) return;
  // The same again: leave what is being read, selected and played alone.
  if (follower?.shown === xhr.responseText) event.detail.shouldSwap = false;
  else if (follower) follower.shown = xhr.responseText;
});

document.addEventListener("htmx:beforeSwap", ({ detail }) => detail.shouldSwap && keepOpen(detail.target));

for (const [source, name] of [[document, "visibilitychange"], [window, "pageshow"], [window, "online"]]) {
  source.addEventListener(name, () => document.visibilityState === "visible" && follower?.look());
}
