// <span data-countdown="40" data-for="send-submit">Next submission in <b>40 seconds</b>; up to 12 runs a minute.</span>
// counts down, then disappears and enables the button. The server checks the time again, so a wrong clock does no harm.

const TICK = 1_000;
const endTimes = new WeakMap(); // the end instead of the remaining seconds, because the clock continues while a laptop sleeps

function duration(seconds) {
  const unit = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;
  if (seconds < 60) return unit(seconds, "second");
  const rest = seconds % 60;
  return unit(Math.floor(seconds / 60), "minute") + (rest ? ` ${unit(rest, "second")}` : "");
}

function tick(element) {
  if (!element.isConnected) return;
  const left = Math.ceil((endTimes.get(element) - Date.now()) / 1000);
  if (left > 0) {
    const text = element.querySelector("b");
    if (text) text.textContent = duration(left);
    setTimeout(() => tick(element), TICK);
  } else {
    element.hidden = true;
    const button = document.getElementById(element.dataset.for);
    if (button) button.disabled = false;
  }
}

document.addEventListener("htmx:load", () => {
  for (const element of document.querySelectorAll("[data-countdown]")) {
    if (endTimes.has(element)) continue;
    endTimes.set(element, Date.now() + Number(element.dataset.countdown) * 1000);
    tick(element);
  }
});
