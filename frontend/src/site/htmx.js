// htmx as the Content-Security-Policy wants it: nothing evaluated, no style of its own, no other site.

import htmx from "htmx.org";

import { csrfToken } from "../common/csrf.js";

Object.assign(htmx.config, {
  allowEval: false,
  allowScriptTags: false,
  includeIndicatorStyles: false,
  selfRequestsOnly: true,
  historyCacheSize: 0, // a page out of localStorage would show an old result to whoever sits here next
  scrollIntoViewOnBoost: false,
  defaultSettleDelay: 0, // a part that arrives acts at once: nothing here is animated by its classes
  timeout: 30_000,
});

document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (detail.verb === "get") return;
  const token = csrfToken();
  detail.headers["X-CSRFToken"] = token;
  if (detail.formData.has("csrfmiddlewaretoken")) detail.formData.set("csrfmiddlewaretoken", token);
});

export { htmx };
