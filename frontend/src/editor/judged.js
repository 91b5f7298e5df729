// A result is for the code it was given. <template data-judged-source> inside the outcome holds that code, and the note
// [data-changed-note] shows while the editor holds another.

export function showChanges(desk) {
  const note = document.querySelector("[data-changed-note]");
  if (judged() && note) note.hidden = isJudged(desk.text);
}

export function isJudged(text) {
  const source = judged();
  return source !== null && withoutEnd(source.content.textContent) === withoutEnd(text);
}

const judged = () => document.querySelector("template[data-judged-source]");

const withoutEnd = (text) => text.replace(/\s+$/, "");
