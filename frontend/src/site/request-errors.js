// Messages for requests that failed: the sign-in page instead of a result, an error, no response.
// The editor and the scratch cell show their own messages, and live results try again by themselves.

import { errorText } from "../common/error-text.js";
import { isSignedOut, signinUrl } from "../common/signin.js";
import { pageNotes } from "./page-notes.js";

const EDITOR = "[data-code-editor]";
const LIVE = "[data-events]";
const SCRATCH = "#run-calls, #scratch-result";
const HANDLED_ELSEWHERE = `${EDITOR}, ${LIVE}, ${SCRATCH}`;

const requester = ({ detail }) => detail.requestConfig.elt; // detail.elt may be the part that was replaced

function warn(text, actions = []) {
  pageNotes.show("request", text, { warn: true, actions });
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr } = event.detail;
  if (!isSignedOut(xhr.status, xhr.responseURL)) {
    if (!event.detail.isError) pageNotes.clear("request");
    return;
  }
  event.detail.shouldSwap = false;
  if (requester(event).matches(`${EDITOR}, ${SCRATCH}`)) return;
  warn("You are signed out. Sign in from a new tab, then come back here.", [{ label: "Sign in", href: signinUrl() }]);
});

document.addEventListener("htmx:responseError", (event) => {
  const signedOut = isSignedOut(event.detail.xhr.status, event.detail.xhr.responseURL);
  if (signedOut || requester(event).matches(HANDLED_ELSEWHERE)) return;
  warn(errorText(event.detail.xhr) || "The server reported an error. Nothing was changed; try again in a moment.");
});

for (const failure of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(failure, (event) => {
    if (requester(event).matches(HANDLED_ELSEWHERE)) return;
    warn("No connection to the site. Try again when it is back.");
  });
}
