// Loads scripts and styles that a part of the page requires, such as a player in a result or a formula. The part lists their
// URLs in data-assets="/static/a.js /static/a.css", and each is loaded once.

const loaded = new Set();

function load(address) {
  const url = new URL(address, location.href).href;
  if (loaded.has(url)) return;
  loaded.add(url);
  const script = url.endsWith(".js");
  const element = document.createElement(script ? "script" : "link");
  Object.assign(element, script ? { src: url } : { rel: "stylesheet", href: url });
  document.head.append(element);
}

function loadAssets(root) {
  for (const element of document.querySelectorAll("script[src], link[rel=stylesheet]")) loaded.add(element.src || element.href);
  const parts = [...root.querySelectorAll("[data-assets]"), ...(root.matches("[data-assets]") ? [root] : [])];
  for (const part of parts) for (const address of part.dataset.assets.split(/\s+/)) if (address) load(address);
}

document.addEventListener("htmx:load", ({ detail }) => loadAssets(detail.elt));
