// Marks the lines at which the graded code stopped. A result names each in [data-stopped-line]. They are marked only while the
// editor contains the graded code, because line numbers are wrong for any other. A loop that stopped several checks is marked once.

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

import { isGradedCode } from "./graded-code.js";
import { LineRemark } from "./line-marks.js";

const setRemarks = StateEffect.define();

const marks = StateField.define({
  create: () => Decoration.none,
  update(value, { state, effects, docChanged }) {
    const effect = effects.find((candidate) => candidate.is(setRemarks));
    if (effect) return decorations(state.doc, effect.value);
    return docChanged ? Decoration.none : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorations(doc, remarks) {
  const existing = [...remarks].filter(([line]) => line >= 1 && line <= doc.lines).sort(([a], [b]) => a - b);
  const ranges = existing.flatMap(([number, remark]) => {
    const { from, to } = doc.line(number);
    return [
      Decoration.line({ class: "cm-marked here cm-stopped" }).range(from),
      Decoration.widget({ widget: new LineRemark(remark), side: 1 }).range(to),
    ];
  });
  return Decoration.set(ranges);
}

export const stoppedLines = () => marks;

// localLine: the line in the editor for a line of the code, 0 if it is in another file
export function markStoppedLines(view, text, localLine = (line) => line) {
  const remarks = new Map();
  const loops = new Set();
  for (const { dataset } of isGradedCode(text) ? document.querySelectorAll("[data-stopped-line]") : []) {
    const line = localLine(Number(dataset.stoppedLine));
    if (!line || remarks.has(line) || loops.has(dataset.stoppedLoop)) continue;
    remarks.set(line, dataset.stoppedRemark);
    if (dataset.stoppedLoop) loops.add(dataset.stoppedLoop);
  }
  if (remarks.size || view.state.field(marks).size) view.dispatch({ effects: setRemarks.of(remarks) });
}
