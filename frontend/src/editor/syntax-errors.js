// Underlines the first syntax error while the user types, and describes it below the editor. Further errors are often
// consequences of the first. The line with the cursor is not checked. Nothing is underlined that Python may accept.

import { forceParsing, syntaxTree } from "@codemirror/language";
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";

const PAUSE = 600;
const PARSE_TIMEOUT = 100;
const CLOSING = { "(": ")", "[": "]", "{": "}" };
// What the grammar knows only in part, so that it reports errors in correct programs: several items or targets of a with
// statement, patterns, decorators, `lambda a, /: a`.
const PARTLY_KNOWN = /With|Print|Lambda|Format|Decorator|Pattern/;

// The same, but no other errors follow from it: a bare yield, and the point of `1./n`.
const HARMLESS = /Yield|MemberExpressionNumber/;

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

function mayBeCorrect(error, doc) {
  if (doc.sliceString(error.from, error.from + 1) === "*") return true; // shape[*index], for first, *others in rows
  for (let node = error.parent; node && node.name !== "Body"; node = node.parent) {
    if (PARTLY_KNOWN.test(node.name)) return true;
  }
  return false;
}

export function firstError(tree, doc) {
  let found = null;
  tree.iterate({
    enter({ type, node }) {
      const { parent } = node;
      if (!found && type.isError && !HARMLESS.test(parent.name + parent.firstChild.name)) found = node;
      return !found;
    },
  });
  if (!found || mayBeCorrect(found, doc)) return null;
  const bracket = unclosed(found);
  if (bracket) {
    const { from, to, name } = bracket;
    return { from, to, line: doc.lineAt(from).number, message: `This “${name}” is never closed.` };
  }
  const line = doc.lineAt(found.from);
  const to = Math.min(found.to, line.to);
  const text = doc.sliceString(found.from, to).trim();
  const message = text ? `Python does not expect “${text.replace(/(.{20}).+/, "$1…")}” here.` : "Something is missing on or before this line.";
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
    if (!forceParsing(view, view.state.doc.length, PARSE_TIMEOUT)) return this.schedule(); // goes on where it stopped
    const error = firstError(syntaxTree(view.state), view.state.doc);
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
  return language === "python" ? [underline, ViewPlugin.define((view) => new ErrorReporter(view, report))] : [];
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
