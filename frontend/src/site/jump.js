// The jump bar of a phone says where one is: its link to the section that is on top of the screen is the current one.

function watch(bar) {
  const links = new Map([...bar.querySelectorAll('a[href^="#"]')].map((link) => [link.hash.slice(1), link]));
  const seen = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) seen[isIntersecting ? "add" : "delete"](target.id);
    const current = [...links.keys()].find((id) => seen.has(id));
    if (!current) return;
    for (const [id, link] of links) {
      if (id === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-25% 0px -60%" });
  const sections = () => [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const observe = () => {
    observer.disconnect();
    seen.clear();
    for (const section of sections()) observer.observe(section);
  };
  observe();
  document.addEventListener("htmx:afterSettle", observe); // a section may have been replaced
}

document.addEventListener("DOMContentLoaded", () => {
  for (const bar of document.querySelectorAll("nav.jump")) watch(bar);
});
