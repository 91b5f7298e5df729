// Alt+Shift with an arrow key follows the link to the previous or next student.

document.addEventListener("keydown", (event) => {
  if (!event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey) return;
  const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const link = rel && document.querySelector(`main a[rel=${rel}]`);
  if (!link || event.target.matches("input, textarea, select")) return;
  event.preventDefault();
  link.click();
});
