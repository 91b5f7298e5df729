// The code editor of an exercise. Without this script it is a form with a <textarea>.

import { CodeEditor } from "./editor/code-editor.js";

for (const form of document.querySelectorAll("form[data-code-editor]")) new CodeEditor(form);
