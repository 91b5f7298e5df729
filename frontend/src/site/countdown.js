// <span data-countdown="40" data-for="send-submit">Next submission in <b>40 seconds</b>; up to 12 runs a minute.</span>
// counts down, then goes and gives the button back. The server checks the time again, so a wrong clock costs nothing.

const TICK = 1_000;
const ending = new WeakMap(); // the clock runs on while a laptop sleeps, so the end is kept, not what is left

function words(seconds) {
  const unit = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;
  if (seconds < 60) return unit(seconds, "second");
  const rest = seconds % 60;
  return unit(Math.floor(seconds / 60), "minute") + (rest ? ` ${unit(rest, "second")}` : "");
}

function tick(element) {
  if (!element.isConnected) return;
  const left = Math.ceil((ending.get(element) - Date.now()) / 1000);
  if (left > 0) {
    const shown = element.querySelector("b");
    if (shown) shown.textContent = words(left);
    setTimeout(() => tick(element), TICK);
  } else {
    element.hidden = true;
    const button = document.getElementById(element.dataset.for);
    if (button) button.disabled = false;
  }
}

document.addEventListener("htmx:load", () => {
  for (const element of document.querySelectorAll("[data-countdown]")) {
    if (ending.has(element)) continue;
    ending.set(element, Date.now() + Number(element.dataset.countdown) * 1000);
    tick(element);
  }
});
