// Formulas. <span class="math" data-tex="x^2"><code>x^2</code></span>, with class "math display" for one on its own line.
// The source stays where KaTeX cannot read it, and where this script never arrives.

import katex from "katex";

function render(element) {
  const fresh = document.createElement("span");
  try {
    katex.render(element.dataset.tex, fresh, {
      displayMode: element.classList.contains("display"),
      output: "htmlAndMathml",
      throwOnError: true,
      strict: "ignore",
      trust: false,
    });
  } catch (error) {
    console.warn(`Not a formula KaTeX can read: ${error.message}`);
    return;
  }
  element.replaceChildren(...fresh.childNodes);
  element.dataset.rendered = "";
}

function renderAll() {
  for (const element of document.querySelectorAll(".math[data-tex]:not([data-rendered])")) render(element);
}

renderAll();
document.addEventListener("htmx:load", renderAll);
