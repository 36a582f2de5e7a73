// Keeps the live parts of a page up to date while it is looked at: a browser has few
// connections to one host. Without it the page is loaded again instead, and everything
// else works the same.
"use strict";

const address = document.body.dataset.stream;
let stream = null;

function listen() {
  stream = new EventSource(address);
  for (const part of document.querySelectorAll("[data-live]")) {
    stream.addEventListener(part.dataset.live, (event) => show(part, event.data));
  }
  // What the page is about is gone, so it can only be left.
  stream.addEventListener("gone", () => {
    stream.close();
    location.assign(address);
  });
}

// What has the keyboard's focus keeps it, and what is folded open stays so.
function show(part, html) {
  const active = part.contains(document.activeElement) ? document.activeElement : null;
  const focused = active?.id ? `#${CSS.escape(active.id)}` : active?.hasAttribute("href") ? `[href="${CSS.escape(active.getAttribute("href"))}"]` : null;
  const folds = [...part.querySelectorAll("details[open][id]")].map((fold) => fold.id);
  part.innerHTML = html;
  for (const id of folds) {
    document.getElementById(id)?.setAttribute("open", "");
  }
  if (focused) {
    part.querySelector(focused)?.focus();
  }
}

document.addEventListener("visibilitychange", () => {
  stream?.close();
  if (!document.hidden) {
    listen();
  }
});
if (!document.hidden) {
  listen();
}
