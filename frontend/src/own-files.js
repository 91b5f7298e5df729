// Files that students add to an exercise of several files, and remove again. Loaded before the editor, for such exercises only.

const NAME = /^([A-Za-z_]\w*\/)*[A-Za-z_]\w*\.py$/;

class OwnFiles {
  constructor(editor, area) {
    this.editor = editor;
    this.tabs = editor.tabs;
    this.editable = [...this.tabs.own];
    this.patterns = editor.form.dataset.free.split(" ");
    this.name = area.querySelector("input");
    this.removeButton = area.querySelector("[data-remove-file]");
    area.querySelector("[data-add-file]").addEventListener("click", () => this.add());
    this.name.addEventListener("input", () => this.name.setCustomValidity(""));
    this.name.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
      event.preventDefault(); // it would send the form
      this.add();
    });
    this.removeButton.addEventListener("click", () => this.remove());
    this.tabs.beforeReplace = (files) => this.keepOnly(files);
    this.tabs.onShow(() => this.update());
    this.tabs.replace(editor.textarea.defaultValue);
    this.update();
    area.hidden = false;
  }

  // The files of the exercise stay, and of the student's own those that a new text has.
  keepOnly(files) {
    const { own, given } = this.tabs;
    for (const path of own) if (!this.editable.includes(path) && !files.has(path)) this.close(path);
    for (const path of files.keys()) if (!own.includes(path) && !given.has(path)) this.open(path);
  }

  open(path) {
    const { tabs } = this;
    const own = [...tabs.own, path];
    const state = (one) => tabs.states.get(one) ?? tabs.createState("", false);
    tabs.states = new Map([...own, ...tabs.given.keys()].map((one) => [one, state(one)]));
    tabs.own = own;
    tabs.render();
  }

  close(path) {
    const { tabs } = this;
    if (path === tabs.active) tabs.show(this.editable[0]);
    tabs.own = tabs.own.filter((one) => one !== path);
    tabs.states.delete(path);
    tabs.render();
  }

  add() {
    const path = this.name.value.trim();
    if (!this.tabs.own.includes(path)) {
      if (!this.mayAdd(path)) {
        this.name.setCustomValidity(`Name your file like ${this.patterns.join(" or ")}.`);
        this.name.reportValidity();
        return;
      }
      this.open(path);
      this.editor.changed();
    }
    this.name.value = "";
    this.tabs.show(path);
    this.editor.focus();
  }

  // Whether the exercise lets students add a file of this name. The server has the last word.
  mayAdd(path) {
    const matches = (pattern) => new RegExp(`^${pattern.split("*").map(escaped).join(".*")}$`).test(path);
    return NAME.test(path) && this.patterns.some(matches) && !this.tabs.given.has(path);
  }

  remove() {
    this.close(this.tabs.active);
    this.editor.changed();
  }

  update() {
    const { active, given } = this.tabs;
    this.removeButton.hidden = this.editable.includes(active) || given.has(active);
    this.removeButton.textContent = `Remove ${active}`;
  }
}

const escaped = (text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");

window.addOwnFiles = (editor) => new OwnFiles(editor, editor.form.querySelector("[data-own-files]"));
