// A result is for the code it was given. <template data-judged-source> inside the outcome holds that code, and the note
// [data-changed-note] shows while the editor holds another.

export function showChanges(desk) {
  const judged = document.querySelector("template[data-judged-source]");
  const note = document.querySelector("[data-changed-note]");
  if (!judged || !note) return;
  note.hidden = withoutEnd(judged.content.textContent) === withoutEnd(desk.text);
}

const withoutEnd = (text) => text.replace(/\s+$/, "");
