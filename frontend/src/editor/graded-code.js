// A result belongs to the code that was submitted. <template data-graded-source> in the outcome contains that code; the
// note [data-changed-note] is visible while the editor contains different code.

export function updateChangedNote(text) {
  const note = document.querySelector("[data-changed-note]");
  if (gradedSource() && note) note.hidden = isGradedCode(text);
}

export function isGradedCode(text) {
  const source = gradedSource();
  return source !== null && source.content.textContent.trimEnd() === text.trimEnd();
}

const gradedSource = () => document.querySelector("template[data-graded-source]");
