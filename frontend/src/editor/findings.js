// Marks the lines of the open file that the proof has found something about.

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

import { LineRemark } from "./line-marks.js";

const setFindings = StateEffect.define();
const LONGEST = 80;

function decorations(doc, findings) {
  const byLine = new Map();
  for (const { line, say } of findings) if (line >= 1 && line <= doc.lines && !byLine.has(line)) byLine.set(line, say);
  const ranges = [...byLine].flatMap(([number, say]) => {
    const line = doc.line(number);
    const text = say.length > LONGEST ? `${say.slice(0, LONGEST)}…` : say;
    return [
      Decoration.line({ class: "near" }).range(line.from),
      Decoration.widget({ widget: new LineRemark(text), side: 1 }).range(line.to),
    ];
  });
  return Decoration.set(ranges, true);
}

const marked = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    const effect = transaction.effects.find((candidate) => candidate.is(setFindings));
    if (effect) return decorations(transaction.newDoc, effect.value);
    return transaction.docChanged ? value.map(transaction.changes) : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export function markFindings(view) {
  view.dispatch({ effects: StateEffect.appendConfig.of(marked) });
}

// findings: [{line, say}]
export function showFindings(view, findings) {
  view.dispatch({ effects: setFindings.of(findings) });
}
