// Completes names: members of imported modules, of arrays and of `ctx`, names in the file, and Python's own. It only offers
// what the exercise's profile can import. tools/editor_names.py writes names.json.
//
// A list that opens by itself does not change what keys do: nothing in it is selected at first, so Enter inserts a line break,
// Tab indents, and Escape, then Tab, leaves the editor.

import { autocompletion } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import { tooltips } from "@codemirror/view";

import names from "./names.json";

const MIN_LETTERS = 2; // before a list opens by itself
const WORD = /^\w*$/;
const NO_COMPLETION = /String|Comment/; // syntax nodes
const split = (text) => text.split(" ").filter(Boolean);
const first = new Set(split(names.first));
const options = (labels, type, boost = 0) => labels.map((label) => ({ label, type, boost: boost || (first.has(label) ? 0.5 : 0) }));

const modules = Object.fromEntries(Object.entries(names.modules).map(([name, text]) => [name, split(text)]));
const python = options(split(names.python), "keyword", -1);

// Maps the names of imports in this file to modules: {np: "numpy", F: "torch.nn.functional"}.
export function importsOf(text) {
  const found = {};
  for (const [, name, alias] of text.matchAll(/^[ \t]*import[ \t]+([\w.]+)(?:[ \t]+as[ \t]+(\w+))?/gm)) {
    if (alias) found[alias] = name;
    else found[name.split(".")[0]] = name.split(".")[0];
  }
  for (const [, module, list] of text.matchAll(/^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([^)\n#]+)/gm)) {
    for (const [, name, alias] of list.matchAll(/(\w+)(?:[ \t]+as[ \t]+(\w+))?/g)) found[alias ?? name] = `${module}.${name}`;
  }
  return found;
}

function moduleOf(owner, text) {
  const [first, ...rest] = owner.split(".");
  return [importsOf(text)[first] ?? first, ...rest].join(".");
}

const unique = (labels) => [...new Set(labels)];
const matches = (text, pattern) => unique([...text.matchAll(pattern)].map(([, name]) => name));

function membersOf(owner, text, profile) {
  const module = moduleOf(owner, text);
  if (names.profiles[profile].includes(module)) return options(modules[module], "property");
  const context = owner === "ctx" && profile === "torch" ? options(split(names.context), "method", 2) : [];
  const known = new Set(context.map(({ label }) => label));
  const own = options(matches(text, /(?:\.|def[ \t]+)([A-Za-z_]\w*)/g).filter((label) => !known.has(label)), "variable", 1);
  for (const { label } of own) known.add(label);
  const methods = split(names.methods[profile] ?? "").filter((label) => !known.has(label));
  return [...context, ...own, ...options(methods, "method")];
}

function wordsOf(text) {
  const own = options(matches(text, /(?<![\w.])([A-Za-z_]\w*)/g), "variable", 1);
  const known = new Set(own.map(({ label }) => label));
  return [...own, ...python.filter(({ label }) => !known.has(label))];
}

// The file without the word at the cursor, which is not a name yet.
const textWithoutWord = ({ state: { doc }, pos }, from, more) => `${more} ${doc.sliceString(0, from)} ${doc.sliceString(pos)}`;

export function source(profile, moreText = () => "") {
  return (context) => {
    if (NO_COMPLETION.test(syntaxTree(context.state).resolveInner(context.pos, -1).name)) return null;
    const member = context.matchBefore(/[A-Za-z_][\w.]*\.\w*$/) ?? context.matchBefore(/[)\]]\.\w*$/);
    if (member) {
      const dot = member.text.lastIndexOf(".");
      const from = member.from + dot + 1;
      return { from, options: membersOf(member.text.slice(0, dot), textWithoutWord(context, from, moreText()), profile), validFor: WORD };
    }
    const word = context.matchBefore(/[A-Za-z_]\w*$/);
    if (!context.explicit && (!word || word.text.length < MIN_LETTERS)) return null;
    const from = word?.from ?? context.pos;
    return { from, options: wordsOf(textWithoutWord(context, from, moreText())), validFor: WORD };
  };
}

// A list stays within the editor, so that it never covers the buttons, which on a phone stand over the page.
function editorInSight({ dom }) {
  const { top, left, bottom, right } = dom.getBoundingClientRect();
  const buttons = document.getElementById("acts")?.getBoundingClientRect().top ?? window.innerHeight;
  return { top: Math.max(0, top), left, bottom: Math.min(bottom, buttons, window.innerHeight), right };
}

export function completion(profile, moreText) {
  return [
    tooltips({ tooltipSpace: editorInSight }),
    autocompletion({
      override: [source(profile in names.profiles ? profile : "python", moreText)],
      icons: false,
      selectOnOpen: false,
      interactionDelay: 0, // nothing is selected at first, so a list that just opened takes no key
      maxRenderedOptions: 40,
    }),
  ];
}
