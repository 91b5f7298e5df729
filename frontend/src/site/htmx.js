// htmx, configured for the Content-Security-Policy: no eval, no inline styles, no requests to other sites.

import htmx from "htmx.org";

import { csrfToken } from "../common/csrf.js";

Object.assign(htmx.config, {
  allowEval: false,
  allowScriptTags: false,
  includeIndicatorStyles: false,
  selfRequestsOnly: true,
  historyCacheSize: 0, // a page from localStorage would show an old result to the next user of this browser
  scrollIntoViewOnBoost: false,
  defaultSettleDelay: 0, // new parts work at once: nothing is animated with htmx's classes
  timeout: 30_000,
});

document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (detail.verb === "get") return;
  const token = csrfToken();
  detail.headers["X-CSRFToken"] = token;
  if (detail.formData.has("csrfmiddlewaretoken")) detail.formData.set("csrfmiddlewaretoken", token);
});

export { htmx };
