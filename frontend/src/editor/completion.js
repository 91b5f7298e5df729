// Completion of names: those of the modules that a file imports, of arrays and of `ctx`, those of the file itself, and
// Python's own. Only what the exercise's profile can import is offered. names.json is written by tools/editor_names.py.
//
// A list that opens by itself takes no key away from who goes on typing: nothing in it is selected at first, so Enter
// makes a line, Tab indents, and Escape, then Tab, leaves the editor.

import { autocompletion } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";

import names from "./names.json";

const LEAST = 2; // letters, before a list opens by itself
const WORD = /^\w*$/;
const QUIET = /String|Comment/; // nodes in which nobody writes a name
const split = (text) => text.split(" ").filter(Boolean);
const options = (labels, type, boost = 0) => labels.map((label) => ({ label, type, boost }));

const modules = Object.fromEntries(Object.entries(names.modules).map(([name, text]) => [name, split(text)]));
const python = options(split(names.python), "keyword", -1);

// What the names of modules stand for in this file: {np: "numpy", F: "torch.nn.functional"}.
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
  const own = options(matches(text, /(?:\.|def[ \t]+)([A-Za-z_]\w*)/g), "variable", 1);
  const context = owner === "ctx" && profile === "torch" ? options(split(names.context), "method", 2) : [];
  const known = new Set([...own, ...context].map(({ label }) => label));
  const methods = split(names.methods[profile] ?? "").filter((label) => !known.has(label));
  return [...context, ...own, ...options(methods, "method")];
}

function wordsOf(text) {
  const own = options(matches(text, /(?<![\w.])([A-Za-z_]\w*)/g), "variable", 1);
  const known = new Set(own.map(({ label }) => label));
  return [...own, ...python.filter(({ label }) => !known.has(label))];
}

// The file without the word that is being written, which is no name of it yet.
const restOf = ({ state: { doc }, pos }, from, more) => `${more} ${doc.sliceString(0, from)} ${doc.sliceString(pos)}`;

export function source(profile, namesOf = () => "") {
  return (context) => {
    if (QUIET.test(syntaxTree(context.state).resolveInner(context.pos, -1).name)) return null;
    const member = context.matchBefore(/[A-Za-z_][\w.]*\.\w*$/) ?? context.matchBefore(/[)\]]\.\w*$/);
    if (member) {
      const dot = member.text.lastIndexOf(".");
      const from = member.from + dot + 1;
      return { from, options: membersOf(member.text.slice(0, dot), restOf(context, from, namesOf()), profile), validFor: WORD };
    }
    const word = context.matchBefore(/[A-Za-z_]\w*$/);
    if (!context.explicit && (!word || word.text.length < LEAST)) return null;
    const from = word?.from ?? context.pos;
    return { from, options: wordsOf(restOf(context, from, namesOf())), validFor: WORD };
  };
}

export function completion(profile, namesOf) {
  return autocompletion({
    override: [source(profile in names.profiles ? profile : "python", namesOf)],
    icons: false,
    selectOnOpen: false,
    interactionDelay: 0, // nothing is selected at first, so no key is taken by a list that just opened
    maxRenderedOptions: 40,
  });
}
