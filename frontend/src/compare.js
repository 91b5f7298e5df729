// The button that compares two submissions can be pressed once two are ticked.

const form = document.querySelector("[data-compare]");

if (form) {
  const button = form.querySelector("button");
  const count = () => {
    button.disabled = form.querySelectorAll(":checked").length !== 2;
  };
  form.addEventListener("change", count);
  addEventListener("pageshow", count); // a browser that goes back ticks the boxes again
}
