// Passkeys (WebAuthn): shows the forms that a passkey answers where the browser has passkeys, and fills them in.
// Without this file the pages are as they are in a browser that has none.
"use strict";

(() => {
  const parts = document.querySelectorAll("[data-passkey]");
  const isAvailable = Boolean(window.PublicKeyCredential?.parseRequestOptionsFromJSON && PublicKeyCredential.parseCreationOptionsFromJSON);
  for (const note of document.querySelectorAll("[data-passkey-missing]")) note.hidden = isAvailable;
  if (!isAvailable) return;

  let waiting; // for a passkey that is chosen in the list of the address field; a button takes its turn

  // askServer brings the challenge. It returns nothing where another page, or a text in this one, says why there is none.
  async function askServer(part, isSilent) {
    const form = part.querySelector("form");
    const answer = await fetch(part.dataset.challenge, { method: "POST", body: new URLSearchParams(new FormData(form)), cache: "no-store" });
    const isJSON = answer.headers.get("Content-Type")?.startsWith("application/json");
    if (answer.ok && isJSON) return answer.json();
    if (isSilent) return;
    if (answer.redirected) return location.assign(answer.url);
    show(part, isJSON ? (await answer.json()).error : part.dataset.failed);
  }

  function send(part, request, credential) {
    const form = part.querySelector("form");
    form.elements.sealed.value = request.sealed;
    form.elements.answer.value = JSON.stringify(credential.toJSON());
    form.requestSubmit();
  }

  function show(part, text) {
    const alert = part.querySelector("[role=alert]");
    alert.textContent = text;
    alert.hidden = !text;
  }

  async function answerByButton(part) {
    const button = part.querySelector("button");
    if (button.hasAttribute("aria-busy")) return;
    waiting?.abort();
    show(part, "");
    button.setAttribute("aria-busy", "true");
    try {
      const request = await askServer(part);
      if (!request) return;
      send(part, request, part.dataset.passkey === "create"
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(request.options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(request.options) }));
    } catch (error) {
      show(part, error.name === "NotAllowedError" ? part.dataset.cancelled
        : error.name === "InvalidStateError" ? part.dataset.known : part.dataset.failed);
      if ("autofill" in part.dataset) offerInField(part);
    } finally {
      button.removeAttribute("aria-busy");
    }
  }

  // becomesVisible waits until the page is looked at: one in the background asks for no further challenges.
  const becomesVisible = () => new Promise((go) => {
    if (!document.hidden) return go();
    document.addEventListener("visibilitychange", function look() {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      go();
    });
  });

  // offerInField lists passkeys where the browser offers to fill in the address. The challenge is renewed before it ends.
  async function offerInField(part) {
    if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
    for (;;) {
      await becomesVisible();
      const turn = waiting = new AbortController();
      let timer, isRenewed = false;
      try {
        const request = await askServer(part, true);
        if (!request || turn.signal.aborted) return;
        timer = setTimeout(() => { isRenewed = true; turn.abort(); }, request.options.timeout * 0.8);
        return send(part, request, await navigator.credentials.get({ mediation: "conditional", signal: turn.signal,
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(request.options) }));
      } catch {
        if (!isRenewed) return;
      } finally {
        clearTimeout(timer);
      }
    }
  }

  for (const part of parts) {
    const form = part.querySelector("form");
    part.hidden = false;
    form.addEventListener("submit", (event) => {
      if (form.elements.answer.value) return;
      event.preventDefault();
      answerByButton(part);
    });
    if ("autofill" in part.dataset) offerInField(part);
  }

  // Coming back to a page that the browser kept: what was answered there is spent.
  addEventListener("pageshow", (event) => {
    if (event.persisted) for (const part of parts) part.querySelector("form").elements.answer.value = "";
  });
})();
