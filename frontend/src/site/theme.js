// The colour scheme: light, dark or the system's. Applied at once, and stored by the server in a cookie.
// <form data-theme action="/theme/" method="post"> with radios named theme: auto, light, dark.

import { csrfToken } from "../common/csrf.js";
import { pageNotes } from "./page-notes.js";

async function choose(form, theme) {
  document.documentElement.classList.remove("theme-light", "theme-dark");
  if (theme !== "auto") document.documentElement.classList.add(`theme-${theme}`);
  try {
    const response = await fetch(form.action, {
      method: "POST",
      headers: { "X-CSRFToken": csrfToken() },
      body: new URLSearchParams({ theme }),
      redirect: "manual", // for browsers without scripts, the server redirects back to the page
    });
    if (!response.ok && response.type !== "opaqueredirect") throw new Error(`status ${response.status}`);
    pageNotes.clear("theme");
  } catch {
    pageNotes.show("theme", "The colour scheme could not be saved on the server. It applies to this page only; choose it again later.", { warn: true });
  }
}

document.addEventListener("change", ({ target }) => {
  const form = target.closest("form[data-theme]");
  if (form && target.name === "theme") choose(form, target.value);
});
