// Ways for a whole text to come and go: the starter, an earlier submission, a file from disk, a file to disk.
// Each is one step of the undo history.

const LIMIT = 100 * 1024;

export class Files {
  constructor(form, desk) {
    this.desk = desk;
    this.name = form.dataset.filename ?? "code.py";
    this.limit = Number(form.dataset.limit ?? LIMIT);
    this.upload(form.querySelector("input[type=file][data-upload]"));
    form.querySelector("[data-reset]")?.addEventListener("click", () => this.reset());
    form.querySelector("a[data-download]")?.addEventListener("click", (event) => this.download(event));
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-restore]");
      if (button) this.restore(button);
    });
  }

  reset() {
    const starter = document.querySelector("template[data-starter]").content.textContent;
    this.desk.replaceWithWayBack(starter, "The editor holds the starter again.");
  }

  async restore(button) {
    try {
      const answer = await fetch(button.dataset.restore, { headers: { Accept: "text/plain" } });
      if (!answer.ok || !answer.headers.get("Content-Type")?.startsWith("text/plain")) throw new Error("no text");
      this.desk.replaceWithWayBack(await answer.text(), "The editor holds the earlier submission.");
      this.desk.focus();
    } catch {
      this.refuse("The earlier submission could not be fetched. Your code is unchanged; try again in a moment.");
    }
  }

  upload(input) {
    if (!input) return;
    input.removeAttribute("name"); // from here on the file goes into the editor, not beside it
    input.addEventListener("change", async () => {
      const [file] = input.files;
      if (file) await this.read(file);
      input.value = ""; // so that the same file can be chosen again
    });
  }

  async read(file) {
    if (!file.name.endsWith(".py")) return this.refuse(`${file.name} is not a Python file; its name must end in .py.`);
    if (file.size > this.limit) return this.refuse(`${file.name} has ${kilobytes(file.size)}; at most ${kilobytes(this.limit)} are graded.`);
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      return this.desk.replaceWithWayBack(text.replace(/\r\n?/g, "\n"), `The editor holds ${file.name}.`);
    } catch {
      return this.refuse(`${file.name} could not be read as text. Save it as UTF-8 and choose it again.`);
    }
  }

  refuse(sentence) {
    this.desk.notes.show("replaced", sentence, { warn: true });
  }

  download(event) {
    event.preventDefault();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([this.desk.text], { type: "text/x-python" }));
    link.download = this.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
}

const kilobytes = (bytes) => `${Math.ceil(bytes / 1024)} kB`;
