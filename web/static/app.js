// Comfort only: every page works without this file.
"use strict";

// showButtons makes the buttons for printing, sharing and copying visible in a part of the page: without this script they would do
// nothing. On a telephone the address is shared by its own menu instead of copied.
function showButtons(part) {
  for (const button of part.querySelectorAll("[data-print]")) button.hidden = false;
  if (navigator.share && matchMedia("(pointer: coarse)").matches) {
    for (const button of part.querySelectorAll("button[data-share]")) {
      button.textContent = button.dataset.share;
      button.hidden = false;
    }
  }
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

// sharedLink is an address for others: without the language of this reader.
function sharedLink(address) {
  const to = new URL(address);
  to.searchParams.delete("lang");
  return to.href;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy[data-copy]");
  const source = button && document.getElementById(button.dataset.copy);
  if (!source) return;
  const label = button.textContent;
  if (label === button.dataset.share) {
    return navigator.share({ title: document.title, url: sharedLink(source.href) }).catch(() => {}); // the visitor closed the menu
  }
  try {
    await navigator.clipboard.writeText(source.value ?? (source.href ? sharedLink(source.href) : source.textContent));
    button.textContent = button.dataset.copied || label;
  } catch {
    getSelection().selectAllChildren(source); // not allowed: at least it is selected
  }
  setTimeout(() => { button.textContent = label; }, 2000);
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) print();
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

// A form that changes what is shown in place needs htmx. It comes once somebody begins to use such a form: until then the page is
// lighter without it, and if it comes too late the form is sent as without scripts.
function bringHTMX(event) {
  const form = event.target.closest?.("form[data-htmx]") || event.target.closest?.("#plan")?.querySelector("form[data-htmx]");
  if (!form?.dataset.htmx || window.htmx || document.getElementById("htmx")) return;
  const script = document.createElement("script");
  script.id = "htmx";
  script.src = form.dataset.htmx;
  document.head.append(script);
}
for (const begun of ["focusin", "pointerover", "touchstart"]) document.addEventListener(begun, bringHTMX, { passive: true });

// A parcel that is chosen on the plan is chosen in the list below it.
document.addEventListener("click", (event) => {
  const parcel = event.target.closest("#plan a[data-parcel]");
  if (!parcel || !window.htmx || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const form = document.querySelector("#plan form");
  form.elements.parcelle.value = parcel.dataset.parcel;
  event.preventDefault();
  form.requestSubmit();
});

// The search of the documentation answers while words are typed. Enter sends the form, as without scripts.
function searchWhileTyping(form) {
  const field = form.elements.q;
  let found = document.getElementById("found"), timer, asked;
  const ownPage = Boolean(found);
  if (!found) {
    found = document.createElement("div");
    found.className = "found";
    found.hidden = true;
    form.append(found);
  }
  const search = async () => {
    const address = asked = form.action + "?" + new URLSearchParams(new FormData(form));
    try {
      const answer = await fetch(address);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (asked !== address || !answer.ok) return; // another letter was typed meanwhile
      found.replaceChildren(...page.getElementById("found").childNodes);
      found.hidden = !field.value.trim();
      if (ownPage) history.replaceState(null, "", address);
    } catch {} // no network: Enter sends the form
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, 200);
  });
  const keys = (event) => {
    if (event.key === "Escape" && !ownPage) {
      found.hidden = true;
      field.focus();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const stops = [field, ...found.querySelectorAll("a")];
    const next = stops[stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  for (const part of form.contains(found) ? [form] : [form, found]) part.addEventListener("keydown", keys);
}

// "/" and Ctrl-K lead to the search of the documentation.
document.addEventListener("keydown", (event) => {
  const field = document.querySelector("form[data-instant] input[type=search]");
  const typing = event.target.closest("input, textarea, select");
  const slash = event.key === "/" && !typing && !event.altKey && !event.ctrlKey && !event.metaKey;
  if (!field || !slash && !(event.key === "k" && (event.ctrlKey || event.metaKey))) return;
  event.preventDefault();
  field.focus();
  field.select();
});

// The language of examples that was chosen last is shown in all of them, here and on the pages after this one.
function chooseLanguage(value) {
  for (const radio of document.querySelectorAll(".langs input")) radio.checked ||= radio.value === value;
}
document.addEventListener("change", (event) => {
  if (!event.target.matches(".langs input")) return;
  chooseLanguage(event.target.value);
  try { localStorage.setItem("code-language", event.target.value); } catch {} // not allowed: it is not remembered
});

// A link into a part that is folded unfolds it.
function unfoldTarget() {
  let target;
  try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch {} // it is malformed
  if (!target) return;
  const folded = target.closest("details:not([open])");
  for (let fold = folded; fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (folded) target.scrollIntoView();
}
addEventListener("hashchange", unfoldTarget);

// The tab of this page is in sight where the tabs are wider than the screen.
function showTab(tab) {
  if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - (tab.parentElement.clientWidth - tab.offsetWidth) / 2;
}

document.addEventListener("DOMContentLoaded", () => {
  for (const form of document.querySelectorAll("form[data-instant]")) searchWhileTyping(form);
  try { chooseLanguage(localStorage.getItem("code-language")); } catch {}
  unfoldTarget();
  showTab(document.querySelector(".tabs [aria-current]"));
  showButtons(document);
  fill(document);
  focusError(document);
  for (const link of document.querySelectorAll("[data-await]")) wait(link);
  const here = document.querySelector(".side [aria-current]"), menu = here?.closest(".side"); // a long menu begins at this page
  if (menu) menu.scrollTop = here.offsetTop - menu.clientHeight / 2;
});
document.addEventListener("htmx:after:swap", () => { showButtons(document); fill(document); });

// What is missing is printed with a report, though it is folded on the screen.
addEventListener("beforeprint", () => {
  const folded = document.querySelectorAll("details.missing:not([open])");
  for (const one of folded) one.open = true;
  addEventListener("afterprint", () => { for (const one of folded) one.open = false; }, { once: true });
});
