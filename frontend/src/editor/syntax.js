// What Python will not be able to read is underlined while it is written, and named in a line below the editor.
// Only the first place counts, because what follows is often a consequence; the line that is being written is left in peace.

import { forceParsing, syntaxTree } from "@codemirror/language";
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";

const PAUSE = 600;
const PARSE_WITHIN = 100;
const LONGEST = 20;
const CLOSING = { "(": ")", "[": "]", "{": "}" };
const LANGUAGES = ["python"];

const mark = StateEffect.define();

const underline = StateField.define({
  create: () => Decoration.none,
  update(value, { state, changes, effects }) {
    const effect = effects.find((candidate) => candidate.is(mark));
    if (!effect) return value.map(changes);
    if (!effect.value) return Decoration.none;
    const { line, words } = effect.value;
    const { from, to } = within(state.doc, effect.value);
    const what = { class: "cm-unreadable", attributes: { title: `Line ${line}: ${words}` } };
    return from < to ? Decoration.set([Decoration.mark(what).range(from, to)]) : Decoration.none;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// Where nothing stands that could be underlined, its whole line is.
function within(doc, { from, to, line }) {
  if (from < to) return { from, to };
  const { from: start, to: end, text } = doc.line(line);
  return { from: start + text.search(/\S|$/), to: end };
}

function firstError(state) {
  let found = null;
  syntaxTree(state).iterate({
    enter(node) {
      if (!found && node.type.isError) found = node.node;
      return !found;
    },
  });
  if (!found) return null;
  const bracket = unclosed(found);
  if (bracket) {
    const { from, to, name } = bracket;
    return { from, to, line: state.doc.lineAt(from).number, words: `This “${name}” is never closed.` };
  }
  const line = state.doc.lineAt(found.from);
  const to = Math.min(found.to, line.to);
  const text = state.sliceDoc(found.from, to).trim();
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  const words = text ? `Python does not expect “${shown}” here.` : "Something is missing in or before this line.";
  return { from: text ? found.from : to, to, line: line.number, words };
}

function unclosed(error) {
  for (let node = error.parent; node; node = node.parent) {
    const { firstChild, lastChild } = node;
    if (firstChild?.name in CLOSING && lastChild.name !== CLOSING[firstChild.name]) return firstChild;
  }
  return null;
}

const cursorLine = (state) => state.doc.lineAt(state.selection.main.head).number;

class Watcher {
  constructor(view, tell) {
    this.view = view;
    this.tell = tell;
    this.wait();
  }

  update({ docChanged, focusChanged, state, startState }) {
    if (docChanged || focusChanged || cursorLine(state) !== cursorLine(startState)) this.wait();
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), PAUSE);
  }

  look() {
    const { view } = this;
    forceParsing(view, view.state.doc.length, PARSE_WITHIN);
    const error = firstError(view.state);
    const shown = error && !(view.hasFocus && cursorLine(view.state) === error.line) ? error : null;
    view.dispatch({ effects: mark.of(shown) });
    this.tell(shown);
  }

  destroy() {
    clearTimeout(this.timer);
  }
}

// tell({line, words}) or tell(null), once the writer pauses.
export function syntaxErrors(language, tell) {
  return LANGUAGES.includes(language) ? [underline, ViewPlugin.define((view) => new Watcher(view, tell))] : [];
}

// A line below the editor, for whoever cannot see or hover over the underlined place. It is there before its words are.
export class SyntaxNote {
  constructor(editor) {
    this.element = document.createElement("p");
    this.element.className = "note syntax";
    this.element.setAttribute("role", "status");
    editor.after(this.element);
  }

  show(error) {
    const words = error ? `Line ${error.line}: ${error.words}` : "";
    if (this.element.textContent === words) return;
    this.element.replaceChildren();
    if (!error) return;
    const link = document.createElement("a");
    link.href = `#L${error.line}`;
    link.textContent = `Line ${error.line}`;
    this.element.append(link, `: ${error.words}`);
  }
}
