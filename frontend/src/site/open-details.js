// Keeps <details> with ids as the reader left them when the part around them is replaced.
// The others stay as the server sends them: it opens the check to look at first.

document.addEventListener("click", ({ target }) => {
  const details = target.closest("summary")?.parentElement;
  if (details?.id) details.dataset.touched = "";
});

export function keepOpenDetails(part) {
  const touched = [...part.querySelectorAll("details[data-touched]")].map((details) => [details.id, details.open]);
  if (touched.length) document.addEventListener("htmx:afterSwap", () => restore(touched), { once: true });
}

function restore(touched) {
  for (const [id, open] of touched) {
    const details = document.getElementById(id);
    if (!details) continue;
    details.open = open;
    details.dataset.touched = "";
  }
}
