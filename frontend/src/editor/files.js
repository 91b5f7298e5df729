// Replaces the whole text by the starter or an uploaded file, and downloads it. Each replacement is one step in the undo history.
// Of several files, the server decides which one is which, unpacks archives, and packs them for the download. It also takes the
// code out of notebooks.

import { csrfToken } from "../common/csrf.js";

const DEFAULT_LIMIT = 100 * 1024;

export class Files {
  constructor(form, editor) {
    this.editor = editor;
    this.name = form.dataset.filename ?? "code.py";
    this.limit = Number(form.dataset.limit ?? DEFAULT_LIMIT);
    this.uploadUrl = form.dataset.uploadUrl;
    this.downloadUrl = form.dataset.downloadUrl;
    for (const input of form.querySelectorAll("input[type=file][data-upload]")) this.acceptUploads(input);
    form.querySelector("[data-reset]")?.addEventListener("click", () => this.reset());
    const menu = form.querySelector("#tools"); // on a phone; on wider screens it is always open
    menu?.addEventListener("click", () => menu.matches(":popover-open") && setTimeout(() => menu.hidePopover()));
    form.querySelector("a[data-download]")?.addEventListener("click", (event) => this.download(event));
  }

  reset() {
    const starter = document.querySelector("template[data-starter]").content.textContent;
    this.editor.replaceWithUndo(starter, "The editor contains the starter code again.");
  }

  acceptUploads(input) {
    input.removeAttribute("name"); // the file is loaded into the editor instead of being sent with the form
    input.addEventListener("change", async () => {
      const files = [...input.files];
      if (this.downloadUrl || files[0]?.name.endsWith(".ipynb")) await this.loadSeveral(files);
      else if (files.length) await this.load(files[0]);
      input.value = ""; // so that the same file can be chosen again
    });
  }

  async load(file) {
    if (!file.name.endsWith(".py")) return this.warn(`${file.name} is not a Python file or a notebook; its name must end in .py or .ipynb.`);
    if (file.size > this.limit) return this.warn(`${file.name} is ${kilobytes(file.size)}; the limit is ${kilobytes(this.limit)}.`);
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      return this.editor.replaceWithUndo(text.replace(/\r\n?/g, "\n"), `The editor contains ${file.name}.`);
    } catch {
      return this.warn(`${file.name} could not be read as text. Save it as UTF-8 and choose it again.`);
    }
  }

  async loadSeveral(files) {
    const wanted = files.filter((file) => /\.(py|ipynb|zip)$/.test(file.name)).slice(0, MAX_FILES);
    if (!wanted.length) return this.warn("There is no Python file, notebook or zip archive among the files that you chose.");
    const body = new FormData();
    body.append("source", this.editor.text);
    for (const file of wanted) {
      body.append("file", file, file.name);
      body.append("path", file.webkitRelativePath || file.name);
    }
    try {
      const response = await fetch(this.uploadUrl, {
        method: "POST",
        headers: { "X-CSRFToken": csrfToken(), Accept: "application/json" },
        body,
      });
      const { source, text } = await response.json();
      if (!response.ok) return this.warn(`${text} Nothing in the editor was changed.`);
      const chosen = this.downloadUrl ? "the files that you chose" : wanted[0].name;
      const message = `The editor contains ${chosen}.${text ? ` ${text}` : ""}`;
      return this.editor.replaceWithUndo(source.replace(/\r\n?/g, "\n"), message);
    } catch {
      return this.warn("The files could not be sent. Check your connection and choose them again.");
    }
  }

  warn(message) {
    this.editor.notes.show("replaced", message, { warn: true });
  }

  async download(event) {
    event.preventDefault();
    const content = this.downloadUrl ? await this.packed() : new Blob([this.editor.text], { type: "text/x-python" });
    if (!content) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = this.downloadUrl ? `${this.name}.zip` : this.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  async packed() {
    try {
      const response = await fetch(this.downloadUrl, {
        method: "POST",
        headers: { "X-CSRFToken": csrfToken() },
        body: new URLSearchParams({ source: this.editor.text }),
      });
      if (response.ok) return await response.blob();
    } catch {
      // reported below
    }
    this.warn("The files could not be packed. Try again.");
    return null;
  }
}

const MAX_FILES = 60;
const kilobytes = (bytes) => `${Math.ceil(bytes / 1024)} kB`;
