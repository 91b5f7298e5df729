// Underlines the first syntax error while the user types, and describes it below the editor. Further errors are often
// consequences of the first. The line with the cursor is not checked.

import { forceParsing, syntaxTree } from "@codemirror/language";
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";

const PAUSE = 600;
const PARSE_TIMEOUT = 100;
const MAX_SHOWN = 20; // characters
const CLOSING = { "(": ")", "[": "]", "{": "}" };
const LANGUAGES = ["python"];

const setError = StateEffect.define();

const underline = StateField.define({
  create: () => Decoration.none,
  update(value, { state, changes, effects }) {
    const effect = effects.find((candidate) => candidate.is(setError));
    if (!effect) return value.map(changes);
    if (!effect.value) return Decoration.none;
    const { line, message } = effect.value;
    const { from, to } = underlinedRange(state.doc, effect.value);
    const mark = Decoration.mark({ class: "cm-syntax-error", attributes: { title: `Line ${line}: ${message}` } });
    return from < to ? Decoration.set([mark.range(from, to)]) : Decoration.none;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// If there is no text at the position, the whole line is underlined.
function underlinedRange(doc, { from, to, line }) {
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
    return { from, to, line: state.doc.lineAt(from).number, message: `This “${name}” is never closed.` };
  }
  const line = state.doc.lineAt(found.from);
  const to = Math.min(found.to, line.to);
  const text = state.sliceDoc(found.from, to).trim();
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  const message = text ? `Python does not expect “${shown}” here.` : "Something is missing on or before this line.";
  return { from: text ? found.from : to, to, line: line.number, message };
}

function unclosed(error) {
  for (let node = error.parent; node; node = node.parent) {
    const { firstChild, lastChild } = node;
    if (firstChild?.name in CLOSING && lastChild.name !== CLOSING[firstChild.name]) return firstChild;
  }
  return null;
}

const cursorLine = (state) => state.doc.lineAt(state.selection.main.head).number;

class ErrorReporter {
  constructor(view, report) {
    this.view = view;
    this.report = report;
    this.schedule();
  }

  update({ docChanged, focusChanged, state, startState }) {
    if (docChanged || focusChanged || cursorLine(state) !== cursorLine(startState)) this.schedule();
  }

  schedule() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), PAUSE);
  }

  check() {
    const { view } = this;
    forceParsing(view, view.state.doc.length, PARSE_TIMEOUT);
    const error = firstError(view.state);
    const shown = error && !(view.hasFocus && cursorLine(view.state) === error.line) ? error : null;
    view.dispatch({ effects: setError.of(shown) });
    this.report(shown);
  }

  destroy() {
    clearTimeout(this.timer);
  }
}

// Calls report({line, message}) or report(null) when the user pauses.
export function syntaxErrors(language, report) {
  return LANGUAGES.includes(language) ? [underline, ViewPlugin.define((view) => new ErrorReporter(view, report))] : [];
}

// A line below the editor, for users who cannot see or hover over the underlined text. It exists before its text, so that screen
// readers announce it.
export class SyntaxNote {
  constructor(editor) {
    this.element = document.createElement("p");
    this.element.className = "note syntax";
    this.element.setAttribute("role", "status");
    editor.after(this.element);
  }

  show(error) {
    const text = error ? `Line ${error.line}: ${error.message}` : "";
    if (this.element.textContent === text) return;
    this.element.replaceChildren();
    if (!error) return;
    const link = document.createElement("a");
    link.href = `#L${error.line}`;
    link.textContent = `Line ${error.line}`;
    this.element.append(link, `: ${error.message}`);
  }
}
