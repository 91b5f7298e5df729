// On phones, the jump bar marks the link to the section at the top of the screen as the current one.

function markCurrentSection(bar) {
  const links = new Map([...bar.querySelectorAll('a[href^="#"]')].map((link) => [link.hash.slice(1), link]));
  const sectionIds = new Map(); // observed element -> id of the section that its link leads to
  const visible = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) visible[isIntersecting ? "add" : "delete"](sectionIds.get(target));
    const current = [...links.keys()].find((id) => visible.has(id));
    if (!current) return;
    for (const [id, link] of links) {
      if (id === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-25% 0px -60%" });
  const observe = () => {
    observer.disconnect();
    sectionIds.clear();
    visible.clear();
    for (const id of links.keys()) {
      const section = document.getElementById(id);
      const observed = section?.closest(".outcome") ?? section; // the link to the result leads to its first line
      if (!observed) continue;
      sectionIds.set(observed, id);
      observer.observe(observed);
    }
  };
  observe();
  document.addEventListener("htmx:afterSettle", observe); // a section may have been replaced
}

document.addEventListener("DOMContentLoaded", () => {
  for (const bar of document.querySelectorAll("nav.jump")) markCurrentSection(bar);
});
