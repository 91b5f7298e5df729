// Lines that others talk about. The player, a diagnosis or a link "Line 27" points at a line here; a click on a line
// number, or Ctrl- or Alt-click into the code, asks the player for that line.
//
//   heard on document   gradus:line     {line, wrong?, say?}   line null takes the mark away
//   told on document    gradus:at-line  {line}

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, lineNumbers, WidgetType } from "@codemirror/view";

const mark = StateEffect.define();

export class Say extends WidgetType {
  constructor(words) {
    super();
    this.words = words;
  }

  eq(other) {
    return other.words === this.words;
  }

  toDOM() {
    const words = document.createElement("span");
    words.className = "flagline";
    words.textContent = this.words;
    return words;
  }
}

function decorations(doc, marked) {
  if (!marked?.line || marked.line < 1 || marked.line > doc.lines) return Decoration.none;
  const line = doc.line(marked.line);
  const ranges = [Decoration.line({ class: marked.wrong ? "cm-told here" : "cm-told near" }).range(line.from)];
  if (marked.say) ranges.push(Decoration.widget({ widget: new Say(marked.say), side: 1 }).range(line.to));
  return Decoration.set(ranges);
}

const told = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    const effect = transaction.effects.find((candidate) => candidate.is(mark));
    if (effect) return decorations(transaction.newDoc, effect.value);
    return transaction.docChanged ? value.map(transaction.changes) : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function tellAt(view, position) {
  document.dispatchEvent(new CustomEvent("gradus:at-line", { detail: { line: view.state.doc.lineAt(position).number } }));
}

export function lineLinks(asks = true) {
  if (!asks) return [told, lineNumbers()];
  return [
    told,
    lineNumbers({
      domEventHandlers: {
        click(view, block) {
          tellAt(view, block.from);
          return false;
        },
      },
    }),
    EditorView.domEventHandlers({
      click(event, view) {
        const position = event.ctrlKey || event.metaKey || event.altKey ? view.posAtCoords(event) : null;
        if (position !== null) tellAt(view, position);
        return false;
      },
    }),
  ];
}

// Scrolls the editor, never the page: a result that points at a line must not move what is being read.
function scrollInside(view, line) {
  const { scrollDOM } = view;
  const { top, bottom } = view.lineBlockAt(view.state.doc.line(line).from);
  if (top < scrollDOM.scrollTop || bottom > scrollDOM.scrollTop + scrollDOM.clientHeight) {
    scrollDOM.scrollTop = Math.max(0, top - scrollDOM.clientHeight / 3);
  }
}

function goTo(view, line) {
  const { from } = view.state.doc.line(line);
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}

export function listenForLines(view) {
  document.addEventListener("gradus:line", ({ detail }) => {
    view.dispatch({ effects: mark.of(detail) });
    if (detail?.line >= 1 && detail.line <= view.state.doc.lines) scrollInside(view, detail.line);
  });
  listenForLinks(view, "L");
}

// Links such as "#L27" go to that line of the code, "#S3" to one of the scratch cell.
export function listenForLinks(view, letter) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest(`a[href^="#${letter}"]`);
    const line = Number(link?.hash.match(/^#[A-Z](\d+)$/)?.[1]);
    if (!line || line > view.state.doc.lines) return;
    event.preventDefault();
    view.dispatch({ effects: mark.of({ line, wrong: true }) });
    goTo(view, line);
  });
}
