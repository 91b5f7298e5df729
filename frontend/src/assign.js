// The page that assigns exercises: finds exercises, and ticks the whole of a unit.

const picker = document.querySelector("[data-picker]");

if (picker) {
  const [find, search, difficulty, kind, hide, found] = ["find", "search", "difficulty", "kind", "hide", "found"].map((name) =>
    picker.querySelector(`[data-${name}]`),
  );
  const units = [...picker.querySelectorAll("[data-unit]")].map((element) => ({
    element,
    whole: element.querySelector("[name=unit]"),
    details: element.querySelector("details"),
    count: element.querySelector("[data-count]"),
    rows: [...element.querySelectorAll("[data-words]")],
    ticks: [...element.querySelectorAll("[name=exercises]")],
  }));

  const matches = ({ dataset }) => {
    const [low, high] = difficulty.value.split("-");
    return (
      search.value.toLowerCase().split(/\s+/).every((word) => dataset.words.includes(word)) &&
      (!difficulty.value || (dataset.level >= low && dataset.level <= high)) &&
      (!kind.value || dataset.of === kind.value) &&
      !(hide.checked && "taken" in dataset)
    );
  };

  const filter = () => {
    const asked = search.value.trim() || difficulty.value || kind.value;
    let shown = 0;
    for (const unit of units) {
      const rows = unit.rows.filter((row) => !(row.hidden = !matches(row)));
      unit.element.hidden = !rows.length;
      if (asked) unit.details.open = true;
      shown += rows.length;
    }
    const all = units.flatMap((unit) => unit.rows).length;
    found.hidden = shown === all;
    found.textContent = `${shown} of ${all} exercises match.`;
  };

  const count = ({ whole, ticks, count }) => {
    if (!whole) return;
    const chosen = ticks.filter((tick) => tick.checked).length;
    whole.checked = chosen === ticks.length;
    whole.indeterminate = chosen > 0 && !whole.checked;
    count.textContent = `${chosen} of ${ticks.length}`;
  };

  picker.addEventListener("input", ({ target }) => {
    if (find.contains(target)) filter();
    const unit = units.find(({ element }) => element.contains(target));
    if (unit && target === unit.whole) for (const tick of unit.ticks) tick.checked = target.checked;
    if (unit) count(unit);
  });
  search.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  addEventListener("pageshow", () => {
    // a browser that goes back ticks the boxes again
    units.forEach(count);
    filter();
  });
  find.hidden = false;
}
