// Conveniences of a page: it copies texts, sends a statement with Ctrl-Enter and adds up
// memory. Without it every page works the same, with one step more.
"use strict";

document.documentElement.classList.add("scripts");

// A copy button names the element with the text. Its own words say that it is done, and the
// page's status tells readers of the screen. Live parts replace their buttons, so the
// document listens for all of them.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) {
    return;
  }
  const source = document.getElementById(button.dataset.copy);
  const done = await copy(source);
  button.textContent = done ? "Copied" : "Selected: press Ctrl-C";
  document.getElementById("news").textContent = button.textContent;
});

// copy returns false where the browser allows no access to the clipboard. The text is
// selected then.
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(source);
    source.select?.();
    return false;
  }
}

// The sum of a form is that of its ticked engines, each with its number or its floor, next
// to the memory of the chosen plan.
document.addEventListener("input", (event) => {
  const form = event.target.closest("form");
  const sum = form?.querySelector("[data-sum]");
  if (!sum) {
    return;
  }
  let used = Number(sum.dataset.fixed);
  for (const engine of form.querySelectorAll("[data-floor]:checked")) {
    const typed = form.elements[engine.name + ".memory_mb"]?.value;
    used += Number(typed || engine.dataset.floor);
  }
  const { plan, price } = form.elements.plan?.selectedOptions[0].dataset ?? sum.dataset;
  sum.textContent = `${price}. The engines need ${used} of ${plan} MB.`;
  sum.classList.toggle("problem", used > Number(plan));
});

// Ctrl-Enter, or Command-Enter, sends the form of a text area that is marked for it.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.repeat && event.target.matches("textarea[data-sends]")) {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
});

// A form is sent once, even on a double click. A page that the browser shows again from its
// memory can send its forms again.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) {
    event.preventDefault();
  }
  event.target.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent);
});
