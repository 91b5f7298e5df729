// A result that is still moving: <section id="outcome" data-events="/s/12/events/" hx-get="/s/12/outcome/" hx-trigger="told">.
// The events only say "look again"; the truth is what hx-get answers. So a lost event costs seconds, never a result:
// the page also looks by itself, seldom while the stream is open, often while it is not, and at once after a sleep.
// An answer without data-events is the last one.

import { pageNotes } from "./answers.js";
import { htmx } from "./htmx.js";
import { keepOpen } from "./keep.js";

const EVENTS = ["queued", "running", "check", "graded", "explained", "internal", "superseded"];
const VERDICTS = ["graded", "explained", "internal", "superseded"]; // looked at at once, whatever came just before
const GAP = 250; // between two looks at a grading that goes on
const WHILE_STREAMING = 5_000;
const WITHOUT_STREAM = 1_500;
const LONGEST = 15_000;
const MANY_FAILURES = 3;
const NO_CONNECTION = "No connection to the site. What you sent is kept; its result appears here when the connection is back.";

const part = () => document.querySelector("[data-events]");
const address = () => part()?.dataset.events;
const withoutQuery = (url) => url?.split("?")[0];

class Follower {
  constructor(url) {
    this.url = url;
    this.failures = 0;
    this.opened = 0;
    this.broken = false; // a stream that is only slow to open is none
    this.looking = false;
    this.again = false;
    this.lastLook = 0;
    this.stream = new EventSource(url);
    for (const name of EVENTS) this.stream.addEventListener(name, () => this.heard(name));
    this.stream.addEventListener("open", () => {
      this.broken = false;
      if (this.opened++) this.look(); // what was told while it was closed
    });
    this.stream.addEventListener("error", () => {
      this.broken = true;
      if (!this.asked) this.plan(); // a stream ends right after its last event: the look that this asked for stays
    });
    this.plan();
  }

  // Most gradings are over before a look at their beginning would have arrived.
  heard(name) {
    if (VERDICTS.includes(name)) this.lastLook = 0;
    if (name === "running") this.plan(GAP);
    else this.look();
  }

  get pause() {
    if (this.failures) return Math.min(LONGEST, WITHOUT_STREAM * 2 ** this.failures);
    return this.broken ? WITHOUT_STREAM : WHILE_STREAMING;
  }

  plan(milliseconds = this.pause) {
    clearTimeout(this.timer);
    this.asked = milliseconds < WITHOUT_STREAM;
    this.timer = setTimeout(() => this.look(!this.asked), milliseconds);
  }

  // `fallback`: nobody told us to look.
  look(fallback = false) {
    const gap = this.lastLook + GAP - Date.now();
    if (this.looking) this.again = true;
    else if (gap > 0) this.plan(gap);
    else if (part()) {
      this.looking = true;
      this.fallback = fallback;
      this.lastLook = Date.now();
      const source = part(); // asked for it directly: until it has settled, a new part hears no trigger
      const asked = htmx.ajax("GET", source.getAttribute("hx-get"), { source, target: source, swap: "outerHTML" });
      asked.catch(() => {}); // `looked` hears of every failure
    }
  }

  looked(successful) {
    this.looking = false;
    this.failures = successful ? 0 : this.failures + 1;
    if (this.failures >= MANY_FAILURES) {
      pageNotes().show("live", NO_CONNECTION, { warn: true });
    } else if (successful) pageNotes().clear("live");
    this.plan(this.again && successful ? 0 : this.pause);
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
  const url = address();
  if (follower && withoutQuery(follower.url) !== withoutQuery(url)) {
    follower.close();
    follower = null;
  }
  if (url && !follower) follower = new Follower(url);
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
  else if (follower) {
    follower.shown = xhr.responseText;
    if (follower.fallback) document.body.dataset.fallbacks = Number(document.body.dataset.fallbacks ?? 0) + 1;
  }
});

document.addEventListener("htmx:beforeSwap", ({ detail }) => detail.shouldSwap && keepOpen(detail.target));

for (const [source, name] of [[document, "visibilitychange"], [window, "pageshow"], [window, "online"]]) {
  source.addEventListener(name, () => document.visibilityState === "visible" && follower?.look());
}
