// CodeMirror as Gradus uses it: Python, four spaces, colours from the site's style sheet.
// Tab indents; Escape, then Tab, leaves the editor, so that nobody who works with the keyboard is caught in it.

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
import { lineLinks } from "./lines.js";
import { stoppedLines } from "./stopped.js";
import { syntaxErrors } from "./syntax.js";

const LEAVE_WITHIN = 5_000;
const LANGUAGES = { python: () => new LanguageSupport(pythonLanguage) };

// The classes the server uses for code it has coloured itself.
const colours = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], class: "k" },
  { tag: [tags.bool, tags.null, tags.self], class: "k" },
  { tag: [tags.string, tags.special(tags.string)], class: "s" },
  { tag: tags.number, class: "d" },
  { tag: tags.comment, class: "c" },
]);

// CodeMirror itself waits two seconds for the Tab after Escape, which is short for some hands.
const leaveWithTab = EditorView.domEventHandlers({
  keyup(event, view) {
    if (event.key === "Escape") view.setTabFocusMode(LEAVE_WITHIN);
  },
});

// Typed over a selection. Left to itself Chromium would keep the look of what was there in a style attribute, which the
// site's policy forbids, and complain in the console of every student.
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    if (event.inputType !== "insertText" || !event.data || empty || view.composing || event.isComposing) return;
    event.preventDefault();
    const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    const handled = view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, event.data, insert));
    if (!handled) view.dispatch(insert());
  },
});

// `namesOf` gives more text whose names are completed. `marksLines`: whether the page's talk of lines is about this editor.
export function createView(textarea, { label, describedBy, onChange, onSyntax = () => {}, text, namesOf, marksLines = true }) {
  const nonce = document.querySelector("meta[name=csp-nonce]")?.content;
  const language = LANGUAGES[textarea.dataset.language];
  return new EditorView({
    doc: text ?? textarea.defaultValue, // what the server sent, not what a browser puts back on reload
    extensions: [
      nonce ? EditorView.cspNonce.of(nonce) : [],
      EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": describedBy, tabindex: "0", translate: "no" }),
      EditorView.editorAttributes.of({ class: "editor" }),
      EditorState.tabSize.of(4),
      indentUnit.of("    "),
      lineLinks(marksLines),
      stoppedLines(),
      syntaxErrors(textarea.dataset.language, onSyntax),
      leaveWithTab,
      typeOver,
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSpecialChars(),
      drawSelection(),
      history(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      completion(textarea.dataset.profile, namesOf),
      highlightSelectionMatches(),
      language ? language() : [],
      syntaxHighlighting(colours),
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
      EditorView.updateListener.of((update) => update.docChanged && onChange()),
    ],
  });
}

export const textOf = (view) => view.state.doc.toString();

// The whole text at once, as one step that Ctrl-Z takes back.
export function replaceText(view, text) {
  if (text === textOf(view)) return;
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: text },
    selection: { anchor: Math.min(view.state.selection.main.anchor, text.length) },
    annotations: [isolateHistory.of("full"), Transaction.userEvent.of("input.replace")],
  });
}
