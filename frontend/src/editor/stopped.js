// The lines at which the judged code stopped. A result names each in [data-stopped-line]; they are marked while the editor
// holds the code that was judged, because line numbers of other code would lie. A loop that several checks met is marked once.

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

import { isJudged } from "./judged.js";
import { Say } from "./lines.js";

const mark = StateEffect.define();

const marks = StateField.define({
  create: () => Decoration.none,
  update(value, { state, effects, docChanged }) {
    const effect = effects.find((candidate) => candidate.is(mark));
    if (effect) return decorations(state.doc, effect.value);
    return docChanged ? Decoration.none : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorations(doc, stops) {
  const known = [...stops].filter(([line]) => line >= 1 && line <= doc.lines).sort(([one], [other]) => one - other);
  const ranges = known.flatMap(([number, remark]) => {
    const { from, to } = doc.line(number);
    return [
      Decoration.line({ class: "cm-told here cm-stopped" }).range(from),
      Decoration.widget({ widget: new Say(remark), side: 1 }).range(to),
    ];
  });
  return Decoration.set(ranges);
}

export const stoppedLines = () => marks;

export function showStops(view, text) {
  const stops = new Map();
  const loops = new Set();
  for (const { dataset } of isJudged(text) ? document.querySelectorAll("[data-stopped-line]") : []) {
    const line = Number(dataset.stoppedLine);
    if (!line || stops.has(line) || loops.has(dataset.stoppedLoop)) continue;
    stops.set(line, dataset.stoppedRemark);
    if (dataset.stoppedLoop) loops.add(dataset.stoppedLoop);
  }
  if (stops.size || view.state.field(marks).size) view.dispatch({ effects: mark.of(stops) });
}
