// Light, dark or the system's colours: applied at once, remembered by the server in a cookie.
// <form data-theme action="/theme/" method="post"> with radios named theme: auto, light, dark.

import { csrfToken } from "../common/csrf.js";
import { pageNotes } from "./answers.js";

async function choose(form, theme) {
  document.documentElement.classList.remove("theme-light", "theme-dark");
  if (theme !== "auto") document.documentElement.classList.add(`theme-${theme}`);
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      headers: { "X-CSRFToken": csrfToken() },
      body: new URLSearchParams({ theme }),
      redirect: "manual", // without a script the server leads back to the page
    });
    if (!answer.ok && answer.type !== "opaqueredirect") throw new Error(`answered ${answer.status}`);
    pageNotes().clear("theme");
  } catch {
    pageNotes().show("theme", "Your choice of colours holds for this page only; it could not be saved on the server.", { warn: true });
  }
}

document.addEventListener("change", ({ target }) => {
  const form = target.closest("form[data-theme]");
  if (form && target.name === "theme") choose(form, target.value);
});
