// Scripts and styles of a part that arrives later (a player in a result, a formula): the part names their addresses in
// data-needs="/static/a.js /static/a.css", and the page fetches each of them once.

const present = new Set();

function need(address) {
  const url = new URL(address, location.href).href;
  if (present.has(url)) return;
  present.add(url);
  const script = url.endsWith(".js");
  const element = document.createElement(script ? "script" : "link");
  Object.assign(element, script ? { src: url } : { rel: "stylesheet", href: url });
  document.head.append(element);
}

function look(root) {
  for (const element of document.querySelectorAll("script[src], link[rel=stylesheet]")) present.add(element.src || element.href);
  const parts = [...root.querySelectorAll("[data-needs]"), ...(root.matches("[data-needs]") ? [root] : [])];
  for (const part of parts) for (const address of part.dataset.needs.split(/\s+/)) if (address) need(address);
}

document.addEventListener("htmx:load", ({ detail }) => look(detail.elt));
