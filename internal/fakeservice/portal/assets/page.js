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
