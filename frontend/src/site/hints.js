// First-visit hints: <aside data-hints="exercise" hidden> … <button type="button" data-dismiss>Got it</button></aside>.
// Shown until dismissed once in this browser.

const key = (hints) => `gradus:hints:${hints.dataset.hints}`;

document.addEventListener("DOMContentLoaded", () => {
  for (const hints of document.querySelectorAll("[data-hints]")) {
    try {
      hints.hidden = localStorage.getItem(key(hints)) !== null;
    } catch {
      hints.hidden = true; // a browser that remembers nothing would show them for ever
    }
  }
});

document.addEventListener("click", ({ target }) => {
  const hints = target.closest("[data-dismiss]")?.closest("[data-hints]");
  if (!hints) return;
  hints.hidden = true;
  localStorage.setItem(key(hints), "seen");
});
