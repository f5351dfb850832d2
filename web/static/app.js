// Comfort only: every page works without this file.
"use strict";

// show makes the copy buttons of a part of the page visible: without this script they would do nothing.
function show(part) {
  if (!navigator.clipboard) return;
  for (const button of part.querySelectorAll("button.copy[data-copy]")) button.hidden = false;
}

// The page of a new key holds it once; its examples are made ready to paste here.
function fill(part) {
  for (const examples of part.querySelectorAll("[data-fill]")) {
    const source = document.getElementById(examples.dataset.fill);
    if (!source) continue;
    for (const code of examples.querySelectorAll("pre code")) {
      code.textContent = code.textContent.replaceAll(examples.dataset.placeholder, source.textContent.trim());
    }
    for (const hint of examples.querySelectorAll("[data-unfilled]")) hint.remove();
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy[data-copy]");
  const source = button && document.getElementById(button.dataset.copy);
  if (!source) return;
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText("value" in source ? source.value : source.textContent);
    button.textContent = button.dataset.copied || label;
  } catch {
    getSelection().selectAllChildren(source); // not allowed: at least it is selected
  }
  setTimeout(() => { button.textContent = label; }, 2000);
});

// What a form complains about first is what the reader sees first.
function focusError(part) {
  const wrong = part.querySelector("[aria-invalid=true]");
  if (wrong) wrong.focus();
}

// A second click must not send a form twice, and what takes longer than a moment is shown. After a while it may be sent
// again: a download leaves the page where it is.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  const button = event.submitter;
  if (button) setTimeout(() => { if (form.dataset.sent) button.setAttribute("aria-busy", "true"); }, 300);
  setTimeout(() => release(form), 8000);
});

function release(form) {
  delete form.dataset.sent;
  for (const button of form.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
}

// A page that most visitors only read loads what answers its form in place when the form comes into view.
const inView = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    inView.unobserve(target);
    document.head.append(Object.assign(document.createElement("script"), { src: target.dataset.htmx }));
  }
});

// Coming back to a page that the browser kept.
addEventListener("pageshow", () => {
  for (const form of document.forms) release(form);
});

// A page that waits for a mail to be read goes on by itself once that is done, in another tab or on another device: what
// leads on names where to ask. It asks for an hour, the more rarely the longer it has waited.
function wait(link) {
  const began = Date.now();
  let timer;
  const ask = async () => {
    clearTimeout(timer);
    try {
      const answer = await fetch(link.dataset.await, { cache: "no-store" });
      if (answer.status === 200) return location.replace(link.href);
    } catch {} // no network at this moment: ask again
    const waited = Date.now() - began;
    if (waited < 3600e3) timer = setTimeout(ask, waited < 300e3 ? 2000 : 10000);
  };
  timer = setTimeout(ask, 2000);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) ask(); });
}

document.addEventListener("DOMContentLoaded", () => {
  show(document);
  fill(document);
  focusError(document);
  for (const link of document.querySelectorAll("[data-await]")) wait(link);
  for (const form of document.querySelectorAll("form[data-htmx^='/']")) inView.observe(form);
});
document.addEventListener("htmx:after:swap", () => { show(document); fill(document); });
