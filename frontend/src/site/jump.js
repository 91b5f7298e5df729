// The jump bar of a phone says where one is: its link to the section that is on top of the screen is the current one.

function watch(bar) {
  const links = new Map([...bar.querySelectorAll('a[href^="#"]')].map((link) => [link.hash.slice(1), link]));
  const places = new Map(); // what is watched, and whose link leads there
  const seen = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) seen[isIntersecting ? "add" : "delete"](places.get(target));
    const current = [...links.keys()].find((id) => seen.has(id));
    if (!current) return;
    for (const [id, link] of links) {
      if (id === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-25% 0px -60%" });
  const observe = () => {
    observer.disconnect();
    places.clear();
    seen.clear();
    for (const id of links.keys()) {
      const section = document.getElementById(id);
      const place = section?.closest(".outcome") ?? section; // the link to the result leads to its first line
      if (!place) continue;
      places.set(place, id);
      observer.observe(place);
    }
  };
  observe();
  document.addEventListener("htmx:afterSettle", observe); // a section may have been replaced
}

document.addEventListener("DOMContentLoaded", () => {
  for (const bar of document.querySelectorAll("nav.jump")) watch(bar);
});
