// The list of exercises: units, and exercises within them, are moved by dragging their handle or with its arrow keys.

const order = document.querySelector("#order");

if (order) {
  const say = document.querySelector("#order-saved");
  let timer;

  const save = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const slugs = [...document.querySelectorAll("[data-slug]")].map(({ dataset }) => dataset.slug);
      order.replaceChildren(
        ...slugs.map((value) => Object.assign(document.createElement("input"), { type: "hidden", name: "assignment", value })),
      );
      order.dispatchEvent(new Event("moved"));
    }, 600);
  };

  const neighbour = (item, step) => {
    let next = item;
    do next = step < 0 ? next.previousElementSibling : next.nextElementSibling;
    while (next && !("moves" in next.dataset));
    return next;
  };

  const move = (item, step) => {
    const next = neighbour(item, step);
    if (!next) return false;
    if (step < 0) next.before(item);
    else next.after(item);
    return true;
  };

  for (const handle of document.querySelectorAll("[data-move]")) {
    const item = handle.closest("[data-moves]");
    handle.hidden = false;

    handle.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      if (move(item, step)) {
        handle.focus();
        say.textContent = `${item.dataset.moves} moved ${step < 0 ? "up" : "down"}.`;
        save();
      } else say.textContent = `${item.dataset.moves} is already the ${step < 0 ? "first" : "last"}.`;
    });

    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      handle.focus();
      item.classList.add("moving");
      let changed = false;
      const drag = ({ clientY }) => {
        const { top, bottom } = item.getBoundingClientRect();
        const step = clientY < top ? -1 : clientY > bottom ? 1 : 0;
        const next = step && neighbour(item, step)?.getBoundingClientRect();
        // past the middle of the neighbour, so that items of different heights do not change places again and again
        if (next && (step < 0 ? clientY < next.top + next.height / 2 : clientY > next.top + next.height / 2))
          changed = move(item, step);
      };
      const drop = () => {
        document.removeEventListener("pointermove", drag);
        for (const end of ["pointerup", "pointercancel"]) document.removeEventListener(end, drop);
        item.classList.remove("moving");
        if (changed) save();
      };
      document.addEventListener("pointermove", drag);
      for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, drop);
    });
  }

  const tickAll = document.querySelector("[data-tick-all]");
  tickAll.hidden = false;
  tickAll.addEventListener("input", ({ target }) => {
    for (const box of document.querySelectorAll("[name=a]")) box.checked = target.checked;
  });
}
