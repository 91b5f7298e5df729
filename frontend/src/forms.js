// A page with several forms: what was typed in one of them is kept while another one is sent.

const KEY = `typed ${location.pathname}`;
const forms = [...document.querySelectorAll("main form[method=post]")];
const name = (form) => `${form.getAttribute("action") ?? ""} ${form.querySelector("[name=act], [name=do]")?.value ?? ""} ${form.id}`;
const fields = (form) =>
  [...form.elements].filter(({ name, type }) => name && !["hidden", "password", "file", "submit", "button"].includes(type));

const changed = (field) => {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.options) return [...field.options].some((option) => option.selected !== option.defaultSelected);
  return field.value !== field.defaultValue;
};

const valueOf = (field) => (field.type === "checkbox" || field.type === "radio" ? field.checked : field.value);

function keep(sent) {
  const typed = {};
  for (const form of forms.filter((form) => form !== sent)) {
    const values = fields(form).filter(changed).map((field) => [field.name, field.type === "radio" ? field.value : "", valueOf(field)]);
    if (values.length) typed[name(form)] = values;
  }
  if (Object.keys(typed).length) sessionStorage.setItem(KEY, JSON.stringify(typed));
}

function restore() {
  const typed = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
  sessionStorage.removeItem(KEY);
  for (const form of forms) {
    let restored = 0;
    for (const [label, choice, value] of typed[name(form)] ?? []) {
      const field = fields(form).find((field) => field.name === label && (field.type !== "radio" || field.value === choice));
      if (!field || changed(field)) continue;
      if (typeof value === "boolean") field.checked = value;
      else field.value = value;
      restored += 1;
    }
    if (!restored) continue;
    const note = Object.assign(document.createElement("p"), {
      className: "note",
      textContent: "What you had typed here is still here, and not saved yet.",
    });
    note.setAttribute("role", "status");
    form.prepend(note);
  }
}

if (forms.length > 1) {
  restore();
  for (const form of forms) form.addEventListener("submit", () => keep(form));
}
