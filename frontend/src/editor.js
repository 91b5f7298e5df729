// The desk: the form around one piece of code. Without this script it is a form with a <textarea>.

import { Desk } from "./editor/desk.js";

for (const form of document.querySelectorAll("form[data-desk]")) new Desk(form);
