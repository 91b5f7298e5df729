// Keeps a result up to date: <div id="outcome" data-events="/s/12/events/" hx-get="/s/12/outcome/" hx-trigger="refresh">.
// The events only say that something changed; the page then requests hx-get. A lost event therefore costs seconds, never a
// result: the page also polls, rarely while the stream is open, often while it is not, and at once after sleep.
// A response without data-events is the last one.

import { htmx } from "./htmx.js";
import { keepOpenDetails } from "./open-details.js";
import { pageNotes } from "./page-notes.js";

const EVENTS = ["queued", "running", "check", "graded", "explained", "internal", "superseded"];
const VERDICTS = ["graded", "explained", "internal", "superseded"]; // refresh at once, whatever the minimum gap
const MIN_GAP = 250; // between two requests while a grading runs
const POLL_WITH_STREAM = 5_000;
const POLL_WITHOUT_STREAM = 1_500;
const MAX_POLL = 15_000;
const FAILURES_UNTIL_WARNING = 3;
const NO_CONNECTION = "No connection to the site. Your submission was received; its result appears here when the connection is back.";

const livePart = () => document.querySelector("[data-events]");
const withoutQuery = (url) => url?.split("?")[0];

class LiveResult {
  constructor(url) {
    this.url = url;
    this.failures = 0;
    this.opened = 0;
    this.streamFailed = false; // a stream that is slow to open has not failed
    this.requesting = false;
    this.requestAgain = false;
    this.lastRequest = 0;
    this.stream = new EventSource(url);
    for (const name of EVENTS) this.stream.addEventListener(name, () => this.onEvent(name));
    this.stream.addEventListener("open", () => {
      this.streamFailed = false;
      if (this.opened++) this.refresh(); // for events that were missed while it was closed
    });
    this.stream.addEventListener("error", () => {
      this.streamFailed = true;
      if (!this.soon) this.refreshIn(); // the stream ends right after its last event, whose request must stay planned
    });
    this.refreshIn();
  }

  // Most gradings are over before a request for their beginning would have arrived.
  onEvent(name) {
    if (VERDICTS.includes(name)) this.lastRequest = 0;
    if (name === "running") this.refreshIn(MIN_GAP);
    else this.refresh();
  }

  get pollInterval() {
    if (this.failures) return Math.min(MAX_POLL, POLL_WITHOUT_STREAM * 2 ** this.failures);
    return this.streamFailed ? POLL_WITHOUT_STREAM : POLL_WITH_STREAM;
  }

  refreshIn(milliseconds = this.pollInterval) {
    clearTimeout(this.timer);
    this.soon = milliseconds < POLL_WITHOUT_STREAM;
    this.timer = setTimeout(() => this.refresh(!this.soon), milliseconds);
  }

  // `polling`: no event caused this request.
  refresh(polling = false) {
    const gap = this.lastRequest + MIN_GAP - Date.now();
    if (this.requesting) this.requestAgain = true;
    else if (gap > 0) this.refreshIn(gap);
    else if (livePart()) {
      this.requesting = true;
      this.polling = polling;
      this.lastRequest = Date.now();
      const source = livePart(); // requested directly, because a new part ignores triggers until it has settled
      const request = htmx.ajax("GET", source.getAttribute("hx-get"), { source, target: source, swap: "outerHTML" });
      request.catch(() => {}); // `finished` is called for every failure
    }
  }

  finished(successful) {
    this.requesting = false;
    this.failures = successful ? 0 : this.failures + 1;
    if (this.failures >= FAILURES_UNTIL_WARNING) {
      pageNotes.show("live", NO_CONNECTION, { warn: true });
    } else if (successful) pageNotes.clear("live");
    this.refreshIn(this.requestAgain && successful ? 0 : this.pollInterval);
    this.requestAgain = false;
  }

  close() {
    clearTimeout(this.timer);
    this.stream.close();
    pageNotes.clear("live");
  }
}

let liveResult = null;

function follow() {
  const url = livePart()?.dataset.events;
  if (liveResult && withoutQuery(liveResult.url) !== withoutQuery(url)) {
    liveResult.close();
    liveResult = null;
  }
  if (url && !liveResult) liveResult = new LiveResult(url);
}

document.addEventListener("htmx:load", follow);

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  const requester = detail.requestConfig.elt; // has been replaced by now
  if (liveResult && requester.matches("[data-events]")) liveResult.finished(detail.successful);
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, xhr, requestConfig } = event.detail;
  if (!target.matches("[data-events]") || requestConfig.elt !== target) return;
  // An identical response is not shown again, so that reading, selecting and playing are not interrupted.
  if (liveResult?.shown === xhr.responseText) event.detail.shouldSwap = false;
  else if (liveResult) {
    liveResult.shown = xhr.responseText;
    if (liveResult.polling) document.body.dataset.fallbacks = Number(document.body.dataset.fallbacks ?? 0) + 1;
  }
});

document.addEventListener("htmx:beforeSwap", ({ detail }) => detail.shouldSwap && keepOpenDetails(detail.target));

for (const [source, name] of [[document, "visibilitychange"], [window, "pageshow"], [window, "online"]]) {
  source.addEventListener(name, () => document.visibilityState === "visible" && liveResult?.refresh());
}
