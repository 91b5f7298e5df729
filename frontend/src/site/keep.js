// A part that is replaced keeps what its reader has opened and closed, told apart by the ids of <details>.
// What nobody touched stays with the server, which opens the check to look at first.

document.addEventListener("click", ({ target }) => {
  const details = target.closest("summary")?.parentElement;
  if (details?.id) details.dataset.touched = "";
});

export function keepOpen(part) {
  const open = new Map([...part.querySelectorAll("details[data-touched]")].map((details) => [details.id, details.open]));
  if (open.size) document.addEventListener("htmx:afterSwap", () => restore(open), { once: true });
}

function restore(open) {
  for (const [id, was] of open) {
    const details = document.getElementById(id);
    if (!details) continue;
    details.open = was;
    details.dataset.touched = "";
  }
}
