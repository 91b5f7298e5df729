// Messages at the top of the page, for everything that has no place of its own.

import { Notes } from "../common/notes.js";

let notes = null;

function createNotes() {
  const region = document.createElement("div");
  region.className = "notes";
  document.querySelector("main")?.prepend(region);
  return new Notes(region);
}

export const pageNotes = {
  show(...note) {
    notes ??= createNotes();
    notes.show(...note);
  },
  clear(subject) {
    notes?.clear(subject);
  },
};
