// Replaces the whole text by the starter or an uploaded file, and downloads it.
// Each replacement is one step in the undo history.

const DEFAULT_LIMIT = 100 * 1024;

export class Files {
  constructor(form, editor) {
    this.editor = editor;
    this.name = form.dataset.filename ?? "code.py";
    this.limit = Number(form.dataset.limit ?? DEFAULT_LIMIT);
    this.acceptUploads(form.querySelector("input[type=file][data-upload]"));
    form.querySelector("[data-reset]")?.addEventListener("click", () => this.reset());
    form.querySelector("a[data-download]")?.addEventListener("click", (event) => this.download(event));
  }

  reset() {
    const starter = document.querySelector("template[data-starter]").content.textContent;
    this.editor.replaceWithUndo(starter, "The editor contains the starter code again.");
  }

  acceptUploads(input) {
    if (!input) return;
    input.removeAttribute("name"); // the file is loaded into the editor instead of being sent with the form
    input.addEventListener("change", async () => {
      const [file] = input.files;
      if (file) await this.load(file);
      input.value = ""; // so that the same file can be chosen again
    });
  }

  async load(file) {
    if (!file.name.endsWith(".py")) return this.warn(`${file.name} is not a Python file; its name must end in .py.`);
    if (file.size > this.limit) return this.warn(`${file.name} is ${kilobytes(file.size)}; the limit is ${kilobytes(this.limit)}.`);
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      return this.editor.replaceWithUndo(text.replace(/\r\n?/g, "\n"), `The editor contains ${file.name}.`);
    } catch {
      return this.warn(`${file.name} could not be read as text. Save it as UTF-8 and choose it again.`);
    }
  }

  warn(message) {
    this.editor.notes.show("replaced", message, { warn: true });
  }

  download(event) {
    event.preventDefault();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([this.editor.text], { type: "text/x-python" }));
    link.download = this.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
}

const kilobytes = (bytes) => `${Math.ceil(bytes / 1024)} kB`;
