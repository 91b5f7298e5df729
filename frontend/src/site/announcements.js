// One permanent live region for parts that are replaced as a whole, because screen readers do not read a live region that
// arrives together with its text. Such a part carries its sentence in data-announce.

let announced = "";
let liveRegion = null;

const announcement = () => document.querySelector("[data-announce]")?.dataset.announce ?? "";

document.addEventListener("htmx:afterSettle", () => {
  const sentence = announcement();
  if (!sentence || sentence === announced) return;
  announced = sentence;
  liveRegion.textContent = sentence;
});

document.addEventListener("DOMContentLoaded", () => {
  liveRegion = document.createElement("p");
  liveRegion.className = "sr";
  liveRegion.setAttribute("role", "status");
  document.body.append(liveRegion);
  announced = announcement(); // read together with the page
});
