// Keeps the live parts of a page up to date while it is looked at: a browser has few
// connections to one host. Without it the page is loaded again instead, and everything
// else works the same.
"use strict";

const address = document.body.dataset.stream;
const latest = new Map();
let stream = null;

function listen() {
  stream = new EventSource(address);
  for (const part of document.querySelectorAll("[data-live]")) {
    stream.addEventListener(part.dataset.live, (event) => {
      latest.set(part, event.data);
      showLatest(part);
    });
  }
  // What the page is about is gone, so it can only be left.
  stream.addEventListener("gone", () => {
    stream.close();
    location.assign(address);
  });
  // A stream that is cut off begins again by itself; one that is refused does not. The
  // page stays, as there may be something typed in it.
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) {
      document.getElementById("stale").hidden = false;
    }
  });
}

// A button that is replaced while it is pressed is not clicked. So a part waits until nothing
// in it is pressed.
function showLatest(part) {
  if (part.matches(":active")) {
    requestAnimationFrame(() => showLatest(part));
    return;
  }
  show(part, latest.get(part));
}

// What has the keyboard's focus keeps it, what is folded open stays so, and a log stays
// where it is read: at its end, if it was read to there.
function show(part, html) {
  const active = part.contains(document.activeElement) ? document.activeElement : null;
  const focused = active?.id ? `#${CSS.escape(active.id)}` : active?.hasAttribute("href") ? `[href="${CSS.escape(active.getAttribute("href"))}"]` : null;
  const folds = [...part.querySelectorAll("details[open][id]")].map((fold) => fold.id);
  const logs = [...part.querySelectorAll("pre[id]")].map((log) => ({
    id: log.id, left: log.scrollLeft, top: log.scrollTop, atEnd: log.scrollTop > 0 && log.scrollTop + log.clientHeight > log.scrollHeight - 2,
  }));
  const before = newsIn(part);
  part.innerHTML = html;
  for (const id of folds) {
    document.getElementById(id)?.setAttribute("open", "");
  }
  for (const { id, left, top, atEnd } of logs) {
    const log = document.getElementById(id);
    log?.scrollTo(left, atEnd ? log.scrollHeight : top);
  }
  if (focused) {
    part.querySelector(focused)?.focus({ preventScroll: true });
  }
  const now = newsIn(part);
  if (now !== before) {
    document.getElementById("news").textContent = now;
  }
}

// The words of a part that are read aloud when they change. They are told in a place that
// stays: of one that is itself replaced, readers of the screen say nothing.
function newsIn(part) {
  return [...part.querySelectorAll("[data-news]")].map((one) => one.textContent.trim().replace(/\s+/g, " ")).join(", ");
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
