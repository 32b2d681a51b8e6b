// Keeps what somebody has typed into a form until it is saved: after going to another page, after
// coming back, and after a session that has ended. It stays in sessionStorage, which ends with the
// tab. Nothing is kept of passwords, codes, files, bank accounts and hidden fields, but for the tag
// that says which state of the record the form has shown.
//
// A form with `data-keep` is kept for the person that this attribute names, and with `data-refused`
// shows what was sent already. A link with `data-discard` drops it. The pages work without this script.
"use strict";

const PREFIX = "typed ";
const NEVER = ["hidden", "password", "file", "submit", "image", "button", "reset"];
const SECRET = /password|secret|pending|iban|bic|account|card|(^|[_.])(code|pin|tan)$/i;
const PLAIN = ["postal_code", "country_code"]; // codes that everybody may see

const form = document.querySelector("form[data-keep]");
const place = PREFIX + location.pathname;

function isKept(field) {
  if (!field.name || field.readOnly || NEVER.includes(field.type)) return false;
  if (/^(one-time-code|cc-|(new|current)-password)/.test(field.autocomplete)) return false;
  const end = field.name.split("/").pop();
  return PLAIN.includes(end) || !SECRET.test(end);
}

function isBox(field) {
  return field.type === "checkbox" || field.type === "radio";
}

// Returns name of a field -> field; boxes of the same name differ by their value.
function fieldsOf(form) {
  const found = new Map();
  for (const field of form.elements) {
    if (isKept(field)) found.set(isBox(field) ? `${field.name}=${field.value}` : field.name, field);
  }
  return found;
}

function now(field) {
  return isBox(field) ? field.checked : field.value;
}

function atFirst(field) {
  if (isBox(field)) return field.defaultChecked;
  if (field.tagName !== "SELECT") return field.defaultValue;
  const chosen = [...field.options].find((option) => option.defaultSelected);
  return (chosen || field.options[0] || { value: "" }).value;
}

function read(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return null;
  }
}

function write(key, entry) {
  try {
    if (entry) sessionStorage.setItem(key, JSON.stringify(entry));
    else sessionStorage.removeItem(key);
  } catch {
    // The browser keeps nothing, or has no room: the form works as it does without this script.
  }
}

function forget(isGone) {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX) && isGone(read(key))) write(key, null);
  }
}

function keepForm(form) {
  const owner = form.dataset.keep;
  const isRefused = form.hasAttribute("data-refused");
  const tag = form.querySelector('input[type="hidden"][name="tag"], input[type="hidden"][name="etag"]');
  const fields = fieldsOf(form);
  let kept = read(place);
  if (kept && kept.owner !== owner) kept = null;

  function isTyped(name) {
    return fields.has(name) && now(fields.get(name)) !== atFirst(fields.get(name));
  }

  function keep() {
    const values = kept ? kept.values : {};
    for (const [name, field] of fields) {
      if (isTyped(name) || name in values) values[name] = now(field);
    }
    const isNeeded = isRefused || Object.keys(values).some(isTyped);
    kept = isNeeded ? { owner, values, tag: kept ? kept.tag : tag && tag.value, isSent: false } : null;
    write(place, kept);
  }

  function show() {
    for (const [name, value] of Object.entries(kept.values)) {
      const field = fields.get(name);
      if (!field) continue;
      if (isBox(field)) field.checked = value;
      else field.value = value;
      if (isTyped(name) && field.closest("details")) field.closest("details").open = true;
    }
    if (!Object.keys(kept.values).some(isTyped)) {
      kept = null;
      return;
    }
    // The record may have changed meanwhile. Then saving says so, as if the page had stayed open.
    if (tag && kept.tag) tag.value = kept.tag;
    const note = form.querySelector("[data-kept]");
    note.hidden = false;
    note.querySelector("button").addEventListener("click", () => {
      write(place, null);
      location.replace(location.href);
    });
  }

  if (kept && isRefused) {
    kept.isSent = false;
    kept.tag = tag && tag.value;
  } else if (kept) {
    kept.isSent = false;
    show();
  }
  write(place, kept);
  form.addEventListener("input", keep);
  form.addEventListener("change", keep);
  form.addEventListener("submit", (event) => {
    const isPreview = event.submitter && event.submitter.formTarget === "_blank";
    if (kept && !isPreview) write(place, { ...kept, isSent: true });
  });
}

if (new URLSearchParams(location.search).has("done") || document.querySelector("[data-saved]")) {
  forget((entry) => entry && entry.isSent);
}
document.addEventListener("submit", (event) => {
  if ((event.target.getAttribute("action") || "").endsWith("sign-out")) forget(() => true);
});
for (const link of document.querySelectorAll("a[data-discard]")) {
  link.addEventListener("click", () => write(place, null));
}
if (form) keepForm(form);

// Placeholders become buttons that insert them where the cursor stands.
for (const code of document.querySelectorAll("[data-insert]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "insert";
  button.textContent = code.textContent;
  button.addEventListener("click", () => {
    const field = document.getElementById(code.dataset.insert);
    field.focus();
    field.setRangeText(code.textContent, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  code.replaceChildren(button);
}
