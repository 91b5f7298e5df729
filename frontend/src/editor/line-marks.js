// Marks lines that other parts of the page point at, such as the player or a link "Line 27". A click on a line number, or
// Ctrl- or Alt-click into the code, asks the player for that line.
//
//   listens on document for   gradus:line     {line, wrong?, say?}; line null removes the mark
//   dispatches on document    gradus:at-line  {line}

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, lineNumbers, WidgetType } from "@codemirror/view";

const setMark = StateEffect.define();

// A remark at the end of a line.
export class LineRemark extends WidgetType {
  constructor(text) {
    super();
    this.text = text;
  }

  eq(other) {
    return other.text === this.text;
  }

  toDOM() {
    const remark = document.createElement("span");
    remark.className = "flagline";
    remark.textContent = this.text;
    return remark;
  }
}

function decorations(doc, mark) {
  if (!mark?.line || mark.line < 1 || mark.line > doc.lines) return Decoration.none;
  const line = doc.line(mark.line);
  const ranges = [Decoration.line({ class: mark.wrong ? "cm-marked here" : "cm-marked near" }).range(line.from)];
  if (mark.say) ranges.push(Decoration.widget({ widget: new LineRemark(mark.say), side: 1 }).range(line.to));
  return Decoration.set(ranges);
}

const markedLine = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    const effect = transaction.effects.find((candidate) => candidate.is(setMark));
    if (effect) return decorations(transaction.newDoc, effect.value);
    return transaction.docChanged ? value.map(transaction.changes) : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// clickable: whether clicks ask the player for a line. globalLine: the line as the player counts it, 0 if it has none.
export function lineMarks(clickable = true, globalLine = (line) => line) {
  if (!clickable) return [markedLine, lineNumbers()];
  const announceLine = (view, position) => {
    const line = globalLine(view.state.doc.lineAt(position).number);
    if (line) document.dispatchEvent(new CustomEvent("gradus:at-line", { detail: { line } }));
  };
  return [
    markedLine,
    lineNumbers({
      domEventHandlers: {
        click(view, block) {
          announceLine(view, block.from);
          return false;
        },
      },
    }),
    EditorView.domEventHandlers({
      click(event, view) {
        const position = event.ctrlKey || event.metaKey || event.altKey ? view.posAtCoords(event) : null;
        if (position !== null) announceLine(view, position);
        return false;
      },
    }),
  ];
}

// Scrolls the editor, never the page, so that the text being read does not move.
function scrollInside(view, line) {
  const { scrollDOM } = view;
  const { top, bottom } = view.lineBlockAt(view.state.doc.line(line).from);
  if (top < scrollDOM.scrollTop || bottom > scrollDOM.scrollTop + scrollDOM.clientHeight) {
    scrollDOM.scrollTop = Math.max(0, top - scrollDOM.clientHeight / 3);
  }
}

function goToLine(view, line) {
  const { from } = view.state.doc.line(line);
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}

// localLine: the line in the editor for a line of the code; it opens the file of that line if there are several.
export function markRequestedLines(view, localLine = (line) => line) {
  document.addEventListener("gradus:line", ({ detail }) => {
    const line = detail?.line ? localLine(detail.line) : null;
    view.dispatch({ effects: setMark.of(detail && { ...detail, line }) });
    if (line >= 1 && line <= view.state.doc.lines) scrollInside(view, line);
  });
  followLineLinks(view, "L", localLine);
}

// Makes links such as "#L27" go to that line; the scratch cell uses the letter S.
export function followLineLinks(view, letter, localLine = (line) => line) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest(`a[href^="#${letter}"]`);
    const wanted = Number(link?.hash.match(/^#[A-Z](\d+)$/)?.[1]);
    const line = wanted && localLine(wanted);
    if (!line || line > view.state.doc.lines) return;
    event.preventDefault();
    view.dispatch({ effects: setMark.of({ line, wrong: true }) });
    goToLine(view, line);
  });
}
