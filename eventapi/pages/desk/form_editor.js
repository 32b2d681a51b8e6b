// Moves the fields of the form of exhibitors without loading the page again: by their arrows, by their
// numbers, and with the mouse. Shows the form as it would be with what is not saved yet; the server
// makes this preview. The page works without this script.
"use strict";

const CALM = 700; // milliseconds without a change after which the preview is made
const PACE = 3000; // milliseconds between two previews: a session sends a limited number of forms

function editForm(list) {
  const form = list.closest("form");
  const preview = document.querySelector("[data-preview]");
  const news = form.querySelector("[data-moved]");
  let timer = 0;
  let shownAt = 0;

  function rows() {
    return [...list.querySelectorAll(":scope > li[data-field]")];
  }

  function placeOf(row) {
    return row.querySelector("input[name$='/place']");
  }

  function numberRows() {
    const all = rows();
    all.forEach((row, index) => {
      placeOf(row).value = index + 1;
      row.querySelector("button[name=up]").disabled = index === 0;
      row.querySelector("button[name=down]").disabled = index === all.length - 1;
    });
    // the e-mail address has its fixed place after the person
    const email = list.querySelector("[data-email]");
    const person = all.find((row) => row.dataset.field === "person");
    if (email && person) person.after(email);
  }

  function finish(row) {
    const focused = document.activeElement;
    numberRows();
    const label = row.querySelector("b").textContent;
    news.textContent = news.dataset.moved.replace("{label}", label).replace("{place}", placeOf(row).value);
    if (row.contains(focused)) focused.focus();
    list.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function move(row, index) {
    const focused = document.activeElement;
    const others = rows().filter((each) => each !== row);
    if (index < others.length) others[index].before(row);
    else others.at(-1).after(row);
    if (row.contains(focused)) focused.focus();
    finish(row);
  }

  // By arrows and by numbers

  list.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=up], button[name=down]");
    if (!button) return;
    event.preventDefault();
    const row = button.closest("li");
    button.focus();
    move(row, rows().indexOf(row) + (button.name === "up" ? -1 : 1));
    const isPossible = !button.disabled;
    (isPossible ? button : row.querySelector("button[name]:not(:disabled)")).focus();
  });

  list.addEventListener("change", (event) => {
    if (!event.target.matches("input[name$='/place']")) return;
    const place = Number(event.target.value);
    if (!Number.isInteger(place) || place < 1) return;
    move(event.target.closest("li"), place - 1);
  });

  // With the mouse

  let dragged = null;
  let startedAt = 0;

  function drop(event) {
    if (!dragged) return;
    const row = dragged;
    dragged = null;
    row.classList.remove("dragged");
    if (event.type === "pointercancel") move(row, startedAt);
    else finish(row);
  }

  list.addEventListener("pointerdown", (event) => {
    if (!event.target.matches(".grip") || event.button !== 0) return;
    event.preventDefault();
    dragged = event.target.closest("li");
    startedAt = rows().indexOf(dragged);
    dragged.classList.add("dragged");
    list.setPointerCapture(event.pointerId);
  });
  list.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const others = rows().filter((each) => each !== dragged);
    const next = others.find((each) => {
      const { top, height } = each.getBoundingClientRect();
      return event.clientY < top + height / 2;
    });
    if (next) next.before(dragged);
    else others.at(-1).after(dragged);
  });
  list.addEventListener("pointerup", drop);
  list.addEventListener("pointercancel", drop);

  // The preview

  async function showPreview() {
    shownAt = Date.now();
    try {
      const body = new URLSearchParams(new FormData(form));
      const response = await fetch(preview.dataset.preview, { method: "POST", body });
      if (response.ok) preview.innerHTML = await response.text();
    } catch {
      // Without a connection the preview stays as it is.
    }
  }

  function showLater() {
    if (!preview) return;
    clearTimeout(timer);
    timer = setTimeout(showPreview, Math.max(CALM, shownAt + PACE - Date.now()));
  }

  form.addEventListener("input", showLater);
  form.addEventListener("change", showLater);
  for (const row of rows()) row.querySelector(".grip").textContent = "⠿";

  // What pages.js has put back into the form has places of its own.
  if (!form.querySelector("[data-kept]").hidden) {
    const sorted = rows().sort((one, other) => placeOf(one).value - placeOf(other).value);
    list.append(...sorted);
    numberRows();
    showLater();
  }
}

const questions = document.querySelector(".qs[data-moves]");
if (questions) editForm(questions);
