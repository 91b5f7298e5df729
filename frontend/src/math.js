// Formulas. <span class="math" data-tex="x^2"><code>x^2</code></span>, with class "math display" for one on its own line.
// The TeX source stays visible where KaTeX cannot parse it, and without this script.

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
    console.warn(`KaTeX cannot parse a formula: ${error.message}`);
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
