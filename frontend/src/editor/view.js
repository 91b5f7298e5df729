// CodeMirror, configured: Python, four spaces, colours from the site's style sheet.
// Tab indents; Escape, then Tab, leaves the editor, so that keyboard users are not trapped in it.

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, LanguageSupport, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, Transaction } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
} from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";

import { completion } from "./completion.js";
import { lineMarks } from "./line-marks.js";
import { stoppedLines } from "./stopped-lines.js";
import { syntaxErrors } from "./syntax-errors.js";

const TAB_AFTER_ESCAPE = 5_000;
const LANGUAGES = { python: () => new LanguageSupport(pythonLanguage) };

// The same classes as in code that the server has highlighted.
const colours = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], class: "k" },
  { tag: [tags.bool, tags.null, tags.self], class: "k" },
  { tag: [tags.string, tags.special(tags.string)], class: "s" },
  { tag: tags.number, class: "d" },
  { tag: tags.comment, class: "c" },
]);

// CodeMirror waits two seconds for the Tab after Escape, which is too short for some users.
const leaveWithTab = EditorView.domEventHandlers({
  keyup(event, view) {
    if (event.key === "Escape") view.setTabFocusMode(TAB_AFTER_ESCAPE);
  },
});

// Typing over a selection. Chromium would otherwise keep the look of the replaced text in a style attribute, which the
// Content-Security-Policy forbids, and log an error.
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    if (event.inputType !== "insertText" || !event.data || empty || view.composing || event.isComposing) return;
    event.preventDefault();
    const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    const handled = view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, event.data, insert));
    if (!handled) view.dispatch(insert());
  },
});

export function createView(textarea, options) {
  const doc = options.text ?? textarea.defaultValue; // what the server sent, not what a browser restores on reload
  return new EditorView({ state: createState(textarea, doc, options) });
}

// moreText: returns further text whose names are completed. clickableLines: whether line numbers refer to the player.
// globalLine: the line that the player knows for a line of this text.
export function createState(textarea, doc, options) {
  const { label, describedBy, onChange, onSyntaxError = () => {}, moreText, clickableLines = true, globalLine, readOnly } = options;
  const nonce = document.querySelector("meta[name=csp-nonce]")?.content;
  const language = LANGUAGES[textarea.dataset.language];
  return EditorState.create({
    doc,
    extensions: [
      readOnly ? EditorState.readOnly.of(true) : [],
      nonce ? EditorView.cspNonce.of(nonce) : [],
      EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": describedBy, tabindex: "0", translate: "no" }),
      EditorView.editorAttributes.of({ class: "editor" }),
      EditorState.tabSize.of(4),
      indentUnit.of("    "),
      lineMarks(clickableLines, globalLine),
      stoppedLines(),
      syntaxErrors(textarea.dataset.language, onSyntaxError),
      leaveWithTab,
      typeOverSelection,
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSpecialChars(),
      drawSelection(),
      history(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      completion(textarea.dataset.profile, moreText),
      highlightSelectionMatches(),
      language ? language() : [],
      syntaxHighlighting(colours),
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
      EditorView.updateListener.of((update) => update.docChanged && onChange()),
    ],
  });
}

export const textOf = (view) => view.state.doc.toString();

// Replaces the whole text in one step of the undo history.
export function replaceText(view, text) {
  if (text === textOf(view)) return;
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: text },
    selection: { anchor: Math.min(view.state.selection.main.anchor, text.length) },
    annotations: [isolateHistory.of("full"), Transaction.userEvent.of("input.replace")],
  });
}
