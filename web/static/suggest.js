// Suggestions while an address is typed, by the combobox pattern of ARIA. Without this file the form is sent as it is.
"use strict";
for (const field of document.querySelectorAll("input[data-suggest]")) {
  const list = document.createElement("ul");
  let timer, asked, chosen = -1, refusedUntil = 0;
  list.id = field.id + "-suggestions";
  list.className = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", field.labels[0].textContent);
  field.after(list);
  const count = document.createElement("span"); // of suggestions, for screen readers
  count.className = "only-read";
  count.setAttribute("role", "status");
  list.after(count);
  field.autocomplete = "off";
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", list.id], ["aria-expanded", "false"]]) {
    field.setAttribute(name, value);
  }

  const open = (is) => {
    list.hidden = !is;
    const n = list.children.length;
    count.textContent = is ? n + (n > 1 ? " suggestions" : " suggestion") : ""; // in both languages
    field.setAttribute("aria-expanded", String(is));
    choose(-1);
  };

  // cancel forgets what was asked: its answer must not open the list.
  const cancel = () => {
    clearTimeout(timer);
    asked?.abort();
    open(false);
  };

  const choose = (n) => {
    chosen = n;
    [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === n)));
    if (n < 0) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", list.children[n].id);
    list.children[n].scrollIntoView({ block: "nearest" });
  };

  const take = (option) => {
    field.value = option.firstChild.textContent;
    cancel();
    field.form.requestSubmit();
  };

  const makeOption = ({ label, kind }, i) => {
    const option = document.createElement("li"), small = document.createElement("span");
    option.id = list.id + "-" + i;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    small.className = "soft small";
    small.textContent = kind;
    option.append(label, " ", small);
    return option;
  };

  const ask = async () => {
    const typed = field.value.trim();
    if (typed.length < 3 || Date.now() < refusedUntil) return;
    asked = new AbortController();
    try {
      const address = field.dataset.suggest + "?" + new URLSearchParams({ q: typed, lang: document.documentElement.lang });
      const answer = await fetch(address, { signal: asked.signal });
      if (answer.status === 429) refusedUntil = Date.now() + 1000 * Number(answer.headers.get("Retry-After"));
      if (!answer.ok) return;
      list.replaceChildren(...(await answer.json()).map(makeOption));
      open(list.children.length > 0 && document.activeElement === field);
    } catch {} // another letter was typed, or there is no network
  };

  field.addEventListener("input", () => {
    cancel();
    timer = setTimeout(ask, 120);
  });
  field.addEventListener("blur", cancel);
  field.form.addEventListener("submit", cancel);
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return; // its keys choose a character
    const n = list.children.length, down = event.key === "ArrowDown";
    if ((down || event.key === "ArrowUp") && n) {
      event.preventDefault();
      if (list.hidden) open(true);
      choose(down ? (chosen + 2) % (n + 1) - 1 : (chosen + n + 1) % (n + 1) - 1);
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      take(list.children[chosen]);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      cancel();
    }
  });
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the keyboard
  list.addEventListener("click", (event) => {
    const option = event.target.closest("li");
    if (option) take(option);
  });
}
