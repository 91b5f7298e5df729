// The columns around the editor. After a submission the task is folded and the result scrolled into view, while the focus
// stays where it was. A divider sets the width of the editor.

const STORAGE_KEY = "gradus:editor-width";
const DEFAULT_WIDTH = 46; // percent, as in exercise.css
const MIN_WIDTH = 25;
const MAX_WIDTH = 75;
const STEP = 2;
const ONE_COLUMN = matchMedia("(max-width: 1080px)"); // as in media.css
const HEADER_HEIGHT = 60;

export class PageLayout {
  constructor(columns, editor) {
    this.columns = columns;
    this.task = columns.querySelector("#task");
    this.divider = columns.querySelector("[data-divider]");
    if (this.task) {
      this.listenForTaskKey();
      this.listenForTaskLinks();
    }
    if (this.divider) this.listenForDivider();
    document.addEventListener("htmx:afterRequest", ({ detail }) => {
      if (!detail.successful) return;
      if (detail.requestConfig.elt === editor.form) requestAnimationFrame(() => this.onSubmitted());
      else if (detail.requestConfig.elt.matches("[data-events]")) requestAnimationFrame(() => this.showResult());
    });
    for (const scrolling of ["wheel", "touchmove", "pointerdown"]) {
      document.addEventListener(scrolling, () => (this.waiting = false), { passive: true });
    }
    for (const button of editor.form.querySelectorAll("button[name=kind]")) this.keepFocus(button);
    document.addEventListener("htmx:afterSettle", () => {
      for (const button of editor.form.querySelectorAll("button[name=kind]")) this.keepFocus(button); // the buttons were replaced
    });
  }

  onSubmitted() {
    if (this.task) this.task.open = false;
    this.waiting = true;
    this.showResult();
  }

  // Repeated until the reader scrolls, because the page grows while a result arrives.
  showResult() {
    const result = document.getElementById("result");
    if (!this.waiting || !result) return;
    const { top, bottom } = result.getBoundingClientRect();
    if (ONE_COLUMN.matches || top < HEADER_HEIGHT || bottom > window.innerHeight) result.scrollIntoView({ block: "start" });
  }

  // Clicking Run must not move the cursor out of the code.
  keepFocus(button) {
    button.onmousedown = (event) => event.preventDefault();
  }

  listenForTaskKey() {
    for (const element of this.task.querySelectorAll("[data-scripted]")) element.hidden = false;
    document.addEventListener("keydown", (event) => {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyT") return;
      event.preventDefault();
      this.task.open = !this.task.open;
      if (this.task.open) this.task.querySelector("summary").scrollIntoView({ block: "nearest" });
    });
  }

  // A result links to headings of the task, which is folded by then. The focus moves too, for keyboards and screen readers.
  listenForTaskLinks() {
    document.addEventListener("click", (event) => {
      const link = event.target.closest('.results a[href^="#task"]');
      const target = link && document.getElementById(link.hash.slice(1));
      if (!target || !this.task.contains(target)) return;
      event.preventDefault();
      this.waiting = false;
      this.task.open = true;
      const heading = target === this.task ? this.task.querySelector("summary") : target;
      if (target !== this.task) heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      heading.scrollIntoView({ block: "start" });
    });
  }

  listenForDivider() {
    this.divider.hidden = false;
    this.divider.setAttribute("aria-valuemin", MIN_WIDTH);
    this.divider.setAttribute("aria-valuemax", MAX_WIDTH);
    this.setWidth(Number(storedWidth()) || DEFAULT_WIDTH);
    this.divider.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.divider.setPointerCapture(event.pointerId);
      this.divider.classList.add("dragged");
    });
    this.divider.addEventListener("pointermove", (event) => {
      if (!this.divider.hasPointerCapture(event.pointerId)) return;
      const { left, width } = this.columns.getBoundingClientRect();
      this.setWidth(((event.clientX - left) / width) * 100);
    });
    for (const end of ["pointerup", "pointercancel"]) this.divider.addEventListener(end, () => this.divider.classList.remove("dragged"));
    this.divider.addEventListener("dblclick", () => this.setWidth(DEFAULT_WIDTH));
    this.divider.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
      if (!steps) return;
      event.preventDefault();
      this.setWidth(this.width + steps);
    });
  }

  setWidth(width) {
    this.width = Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));
    this.columns.style.setProperty("--editor", `${this.width}%`);
    this.divider.setAttribute("aria-valuenow", this.width);
    try {
      localStorage.setItem(STORAGE_KEY, this.width);
    } catch {
      // then it applies to this page only
    }
  }
}

function storedWidth() {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}
