// Answers that cannot be shown where they were asked for: the sign-in page instead of a result, an error, nothing at all.
// What a desk has sent is told by the desk itself, what is live tries again by itself; the rest is told here.

import { Notes } from "../common/notes.js";
import { plainSentence } from "../common/sentence.js";
import { isSignedOut, signinUrl } from "../common/signin.js";

const DESK = "[data-desk]";
const LIVE = "[data-events]";
const SCRATCH = "#run-calls, #scratch-result";
const THEIRS = `${DESK}, ${LIVE}, ${SCRATCH}`; // who tell themselves what became of what they asked

let notes = null;

export function pageNotes() {
  if (!notes) {
    const region = document.createElement("div");
    region.className = "notes";
    document.querySelector("main")?.prepend(region);
    notes = new Notes(region);
  }
  return notes;
}

const asker = ({ detail }) => detail.requestConfig.elt; // detail.elt may be the part that was replaced

function tell(text, actions = []) {
  pageNotes().show("answer", text, { warn: true, actions });
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr } = event.detail;
  if (!isSignedOut(xhr.status, xhr.responseURL)) {
    if (!event.detail.isError) notes?.clear("answer");
    return;
  }
  event.detail.shouldSwap = false;
  if (asker(event).matches(`${DESK}, ${SCRATCH}`)) return;
  tell("You were signed out. Sign in in a new tab, then come back here.", [{ label: "Sign in", href: signinUrl() }]);
});

document.addEventListener("htmx:responseError", (event) => {
  const signedOut = isSignedOut(event.detail.xhr.status, event.detail.xhr.responseURL);
  if (signedOut || asker(event).matches(THEIRS)) return;
  tell(plainSentence(event.detail.xhr) || "The site could not do this just now. Nothing was changed; try again in a moment.");
});

for (const failure of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(failure, (event) => {
    if (asker(event).matches(THEIRS)) return;
    tell("No connection to the site. Try again when it is back.");
  });
}

// A permanent voice for what has changed in a part that is replaced as a whole: a live region that arrives together
// with its words is not read aloud. Parts say their sentence in data-announce.
let said = "";
let voice = null;

const sentenceOfPage = () => document.querySelector("[data-announce]")?.dataset.announce ?? "";

document.addEventListener("htmx:afterSettle", () => {
  const sentence = sentenceOfPage();
  if (!sentence || sentence === said) return;
  said = sentence;
  voice.textContent = sentence;
});

document.addEventListener("DOMContentLoaded", () => {
  voice = document.createElement("p");
  voice.className = "sr";
  voice.setAttribute("role", "status");
  document.body.append(voice);
  said = sentenceOfPage(); // it is read with the page
});
