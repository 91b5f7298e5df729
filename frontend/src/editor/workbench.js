// The page around the editor: what was sent folds the task away and brings its result into sight, the focus stays where it
// was, and the reader chooses how wide the editor is.

const WIDTH = "gradus:editor-width";
const NARROWEST = 25;
const WIDEST = 75;
const STEP = 2;
const ONE_COLUMN = matchMedia("(max-width: 1080px)"); // as in narrow.css
const UNDER_THE_HEAD = 60;

export class Workbench {
  constructor(work, desk) {
    this.work = work;
    this.desk = desk;
    this.task = work.querySelector("#task");
    this.divider = work.querySelector("[data-divider]");
    if (this.task) this.listenForTask();
    if (this.task) this.listenForPlaces();
    if (this.divider) this.listenForDivider();
    document.addEventListener("htmx:afterRequest", ({ detail }) => {
      if (!detail.successful) return;
      if (detail.requestConfig.elt === desk.form) requestAnimationFrame(() => this.sent());
      else if (detail.requestConfig.elt.matches("[data-events]")) requestAnimationFrame(() => this.keepInSight());
    });
    for (const scrolling of ["wheel", "touchmove", "pointerdown"]) {
      document.addEventListener(scrolling, () => (this.awaited = false), { passive: true });
    }
    for (const button of desk.form.querySelectorAll("button[name=kind]")) this.keepFocus(button);
    document.addEventListener("htmx:afterSettle", () => {
      for (const button of desk.form.querySelectorAll("button[name=kind]")) this.keepFocus(button); // they were replaced
    });
  }

  sent() {
    if (this.task) this.task.open = false;
    this.awaited = true;
    this.keepInSight();
  }

  // Until the reader scrolls: while a result arrives the page grows, and a browser may move what was in sight.
  keepInSight() {
    const result = document.getElementById("result");
    if (!this.awaited || !result) return;
    const { top, bottom } = result.getBoundingClientRect();
    if (ONE_COLUMN.matches || top < UNDER_THE_HEAD || bottom > window.innerHeight) result.scrollIntoView({ block: "start" });
  }

  // A click on Run must not take the cursor out of the code.
  keepFocus(button) {
    button.onmousedown = (event) => event.preventDefault();
  }

  listenForTask() {
    for (const element of this.task.querySelectorAll("[data-scripted]")) element.hidden = false;
    document.addEventListener("keydown", (event) => {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyT") return;
      event.preventDefault();
      this.task.open = !this.task.open;
      if (this.task.open) this.task.querySelector("summary").scrollIntoView({ block: "nearest" });
    });
  }

  // A result links to a heading of the task, which is folded by then. The focus goes along, for keyboards and screen readers.
  listenForPlaces() {
    document.addEventListener("click", (event) => {
      const link = event.target.closest('.results a[href^="#task"]');
      const place = link && document.getElementById(link.hash.slice(1));
      if (!place || !this.task.contains(place)) return;
      event.preventDefault();
      this.awaited = false;
      this.task.open = true;
      const heading = place === this.task ? this.task.querySelector("summary") : place;
      if (place !== this.task) heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      heading.scrollIntoView({ block: "start" });
    });
  }

  listenForDivider() {
    this.divider.hidden = false;
    this.divider.setAttribute("aria-valuemin", NARROWEST);
    this.divider.setAttribute("aria-valuemax", WIDEST);
    this.set(Number(remembered()) || 46);
    this.divider.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.divider.setPointerCapture(event.pointerId);
      this.divider.classList.add("dragged");
    });
    this.divider.addEventListener("pointermove", (event) => {
      if (!this.divider.hasPointerCapture(event.pointerId)) return;
      const { left, width } = this.work.getBoundingClientRect();
      this.set(((event.clientX - left) / width) * 100);
    });
    for (const end of ["pointerup", "pointercancel"]) this.divider.addEventListener(end, () => this.divider.classList.remove("dragged"));
    this.divider.addEventListener("dblclick", () => this.set(46));
    this.divider.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
      if (!steps) return;
      event.preventDefault();
      this.set(this.width + steps);
    });
  }

  set(width) {
    this.width = Math.round(Math.min(WIDEST, Math.max(NARROWEST, width)));
    this.work.style.setProperty("--editor", `${this.width}%`);
    this.divider.setAttribute("aria-valuenow", this.width);
    try {
      localStorage.setItem(WIDTH, this.width);
    } catch {
      // it holds for this page
    }
  }
}

function remembered() {
  try {
    return localStorage.getItem(WIDTH);
  } catch {
    return null;
  }
}
