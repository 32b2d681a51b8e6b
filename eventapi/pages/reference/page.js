"use strict";
// Without this script the page is complete: it adds search, buttons that copy, and requests to this server.
const make = (tag, values = {}, ...parts) => {
  const node = Object.assign(document.createElement(tag), values);
  node.append(...parts);
  return node;
};

// Permalinks: open what contains the target. Browsers that do so themselves need no help.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", reveal);
document.addEventListener("click", event => {
  const link = event.target.closest?.('a[href^="#"]');
  if (link && link.getAttribute("href") === location.hash) reveal();       // the address does not change
});

// Copying: the buttons are added when samples are shown, since there are many.
function addCopyButtons(part) {
  for (const figure of part.querySelectorAll("figure.sample:not(:has(.copy))")) {
    const button = make("button", {type: "button", className: "copy", textContent: "Copy"});
    button.setAttribute("aria-label", `Copy ${figure.querySelector("figcaption").textContent}`);
    button.addEventListener("click", async () => {
      const copied = await copy(figure.querySelector("code"));
      button.textContent = copied ? "Copied" : "Press Ctrl+C";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    figure.append(button);
  }
}
async function copy(code) {
  if (navigator.clipboard) {
    try { await navigator.clipboard.writeText(code.textContent); return true; } catch { /* not permitted: select */ }
  }
  getSelection().selectAllChildren(code);                   // a page without TLS has no clipboard
  return document.execCommand("copy");
}
document.addEventListener("toggle", event => {
  if (!event.target.open || !event.target.matches(".op")) return;
  addCopyButtons(event.target);
  if (event.target.dataset.method && !event.target.querySelector(".open-try, .try")) offerTry(event.target);
}, true);

// Search: exact names first, then beginnings, then parts of names, then texts.
const KINDS = [["object", "Object"], ["field", "Field"], ["guide", "Guide"], ["problem", "Error"], ["event", "Event"],
  ["placeholder", "Placeholder"], ["param", "Parameter"], ["message", "Field of an event"], ["scope", "Scope"], ["format", "Format"]];
let index = null;
function entries() {
  const sections = [...document.querySelectorAll("section")].map(part => ({id: part.id, kind: "Section", rank: -1,
    names: [part.id, part.querySelector("h1, h2").textContent], shown: part.querySelector("h1, h2").textContent,
    place: "", text: ""}));
  const selector = KINDS.map(([prefix]) => `[id^="${prefix}-"]`).join();
  const named = [...document.querySelectorAll(selector)].map(node => {
    const prefix = node.id.split("-", 1)[0], rank = KINDS.findIndex(([word]) => word === prefix);
    const rest = node.id.slice(prefix.length + 1);
    const name = /^(field|param|message)$/.test(prefix) ? rest.slice(rest.indexOf("-") + 1) : rest;
    return {id: node.id, href: prefix === "guide" ? node.querySelector("a").getAttribute("href") : null, kind: KINDS[rank][1], rank: rank + 1, last: true, shown: name,
      names: [name, name.split(".").pop()],
      place: name === rest ? "" : rest.slice(0, rest.indexOf("-")), text: node.textContent};
  });
  const operations = [...document.querySelectorAll(".op[data-method]")].map(node => {
    const {method, path} = node.dataset, short = path.replace("/api/v1", ""), inside = node.querySelector(".in");
    const title = node.querySelector(".title").textContent;
    return {id: inside.id, kind: title, rank: 0, names: [inside.id, path, short, `${method} ${path}`,
      `${method} ${short}`, short.slice(1), title], shown: `${method.toUpperCase()} ${short}`, place: "",
      text: node.querySelector(".about").textContent};
  });
  return [...sections, ...operations, ...named].map(entry => ({...entry, names: entry.names.map(name => name.toLowerCase()),
    text: entry.text.toLowerCase()}));
}
function score(entry, wanted, words) {
  const position = entry.names.indexOf(wanted);
  if (position >= 0) return entry.last && position === 1 ? 1 : 0;
  if (entry.names.some(name => name.startsWith(wanted))) return 2;
  if (entry.names.some(name => name.split(/[\s_./{}-]+/).includes(wanted))) return 3;
  if (entry.names.some(name => words.every(word => name.includes(word)))) return 4;
  return words.every(word => entry.text.includes(word)) ? 5 : null;
}
function search(text) {
  index ??= entries();
  const wanted = text.trim().toLowerCase().replace(/\s+/g, " "), words = wanted.split(" ");
  return index.map(entry => [score(entry, wanted, words), entry]).filter(([points]) => points !== null)
    .sort(([a, one], [b, other]) => a - b || one.rank - other.rank || one.shown.length - other.shown.length)
    .map(([, entry]) => entry);
}
const field = make("input", {type: "search", id: "search-field", placeholder: "Search (press /)", autocomplete: "off"});
field.setAttribute("aria-label", "Search operations, fields and errors");
const found = make("p", {className: "found"}), results = make("ul", {className: "results"});
found.setAttribute("role", "status");
const menu = document.querySelector(".menu"), LIMIT = 30, NARROW = matchMedia("(max-width: 62rem)");
document.getElementById("search").append(make("search", {className: "search"}, field, found, results));
function showResults() {
  const text = field.value.trim(), all = text ? search(text) : [];
  menu.hidden = Boolean(text);
  const more = all.length > LIMIT ? `, the best ${LIMIT} are shown` : "";
  const count = all.length === 1 ? "1 result" : `${all.length} results${more}`;
  found.textContent = !text ? "" : all.length ? count : `Nothing matches “${text}”. Try a shorter word.`;
  results.replaceChildren(...all.slice(0, LIMIT).map(entry => make("li", {}, make("a", {href: entry.href ?? `#${entry.id}`},
    make("code", {textContent: entry.shown}),
    make("span", {textContent: [entry.kind, entry.place].filter(Boolean).join(" · ")})))));
}
field.addEventListener("input", showResults);
results.addEventListener("click", event => {
  if (event.target.closest("a") && NARROW.matches) clearSearch();        // on a phone, the results cover the target
});
function clearSearch() { field.value = ""; showResults(); }
addEventListener("keydown", event => {
  const typing = event.target.closest?.("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
    field.select();
  } else if (event.key === "Escape" && field.value && (!typing || event.target === field)) {
    clearSearch();
    field.blur();
  } else if (event.key === "Enter" && event.target === field) {
    results.querySelector("a")?.click();
  } else if (/^Arrow(Up|Down)$/.test(event.key) && event.target.closest?.(".search")) {
    const all = [field, ...results.querySelectorAll("a")], step = event.key === "ArrowDown" ? 1 : -1;
    const next = all[all.indexOf(document.activeElement) + step];
    if (next) { event.preventDefault(); next.focus(); }
  }
});

// Try it: the key is in this variable only, and gone when the page is closed.
let key = "", openapi = null;
function offerTry(operation) {
  const button = make("button", {type: "button", className: "open-try", textContent: "Try it"});
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      openapi ??= await (await fetch("openapi.json")).json();
      button.replaceWith(form(operation.dataset));
      operation.querySelector(".try input, .try button").focus();
    } catch (error) {
      button.disabled = false;
      button.textContent = `Try it: openapi.json cannot be read (${error.message}). Try again`;
    }
  });
  operation.querySelector(".samples").prepend(button);
}
const resolve = part => part?.$ref ? part.$ref.split("/").slice(1).reduce((node, name) => node[name], openapi) : part;
function labelled(text, input) { return make("label", {}, text, input); }
function input(parameter) {
  const schema = resolve(parameter.schema), choices = schema.enum ?? (schema.type === "boolean" ? ["true", "false"] : null);
  if (choices) return make("select", {}, ...["", ...choices.filter(value => value !== null)].map(value =>
    make("option", {value, textContent: value})));
  const node = make("input", {autocomplete: "off", spellcheck: false});
  if (parameter.in === "path") node.value = {entity_type: "contact", code: "in_use"}[parameter.name] ?? (schema.type === "integer" ? "1" : "");
  return node;
}
function form({method, path}) {
  const operation = openapi.paths[path][method], content = operation.requestBody?.content ?? {};
  const inputs = (operation.parameters ?? []).map(resolve).map(parameter => [parameter, input(parameter)]);
  const rows = needed => inputs.filter(([parameter]) => Boolean(parameter.required) === needed).map(([parameter, node]) =>
    labelled(`${parameter.name} (${parameter.in === "header" ? "header" : parameter.in}${needed ? ", required" : ""})`, node));
  const optional = rows(false), box = make("div", {className: "try"});
  box.append(make("h4", {textContent: `Try it on ${location.host}`}));
  if (!(operation.security && !operation.security.length)) {
    const secret = make("input", {type: "password", autocomplete: "off", value: key});
    secret.addEventListener("input", () => { key = secret.value.trim(); });
    box.append(labelled("API key (kept in the memory of this page only)", secret));
  }
  box.append(...rows(true));
  if (optional.length) box.append(make("details", {}, make("summary", {textContent: `Optional parameters (${optional.length})`}), ...optional));
  const media = Object.keys(content)[0];
  const body = media && (content[media].example === undefined && media !== "application/json" ? make("input", {type: "file"}) :
    make("textarea", {spellcheck: false, value: content[media].example === undefined ? "" : JSON.stringify(content[media].example, null, 2)}));
  if (body) box.append(labelled(`Body (${media})`, body));
  const send = make("button", {type: "button", textContent: `Send ${method.toUpperCase()}`}), sure = warning(box, method, send);
  const output = make("div");
  output.setAttribute("role", "status");
  send.addEventListener("click", async () => {
    const empty = inputs.find(([parameter, node]) => parameter.required && !node.value);
    if (empty) {
      output.replaceChildren(make("p", {className: "warning", textContent: `Enter a value for ${empty[0].name} first.`}));
      empty[1].focus();
      return;
    }
    send.disabled = true;
    output.replaceChildren(make("p", {textContent: "Waiting for the response …"}));
    try {
      output.replaceChildren(...await request(method, path, inputs, body, media));
    } catch (error) {                                       // for example a key with a character that no header can have
      output.replaceChildren(make("p", {className: "warning", textContent: `The request was not sent: ${error.message}`}));
    }
    addCopyButtons(output);
    if (sure) sure.checked = false;
    send.disabled = Boolean(sure);
  });
  box.append(send, output);
  return box;
}
function warning(box, method, send) {
  if (method === "get") return null;
  const text = method === "delete" ? "This request deletes data on this server. It cannot be undone." :
    "This request changes data on this server.";
  box.append(make("p", {className: "warning", textContent: text}));
  if (method !== "delete") return null;
  const sure = make("input", {type: "checkbox"});
  sure.addEventListener("change", () => { send.disabled = !sure.checked; });
  send.disabled = true;
  box.append(make("label", {}, sure, " Yes, delete it"));
  return sure;
}
async function request(method, path, inputs, body, media) {
  const headers = new Headers(), query = new URLSearchParams();
  let address = path.slice(1);                              // relative, for a server below a path
  for (const [{in: place, name}, {value}] of inputs) {
    if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (value && place === "query") query.append(name, value);
    else if (value && place === "header") headers.set(name, value);
  }
  if (String(query)) address += `?${query}`;
  if (key) headers.set("Authorization", `Bearer ${key}`);
  const content = body && (body.type === "file" ? body.files[0] : body.value || undefined);
  if (content) headers.set("Content-Type", body.type === "file" ? content.type || media : media);
  const start = performance.now();
  try {
    const options = {method: method.toUpperCase(), headers, body: content, credentials: "omit", cache: "no-store"};
    const response = await fetch(address, options), data = await response.blob();
    return await shown(response, data, Math.round(performance.now() - start), options.method, address);
  } catch (error) {
    return [make("p", {className: "warning", textContent: `No response: ${error.message}. Is the server running?`})];
  }
}
async function shown(response, data, milliseconds, method, address) {
  const type = response.headers.get("Content-Type") ?? "", isText = /json|text|xml|svg/.test(type);
  const parts = [make("h4", {textContent: `${response.status} ${response.statusText}`}),
    make("p", {className: "quiet", textContent: `${method} /${address}: ${milliseconds} ms, ${data.size} bytes`})];
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  parts.push(figure("Headers", lines));
  if (data.size && isText) {
    const text = await data.text();
    parts.push(figure("Body", type.includes("json") ? JSON.stringify(JSON.parse(text), null, 2) : text));
  }
  if (data.size && !/json/.test(type)) parts.push(make("a", {href: URL.createObjectURL(data), download: address.split(/[?]/)[0].split("/").slice(-2).join("-"),
    textContent: `Save the body (${type})`}));
  return parts;
}
const figure = (caption, text) => make("figure", {className: "sample"}, make("figcaption", {textContent: caption}),
  make("pre", {}, make("code", {textContent: text})));

// Contents: closed on a phone, and the section that is read is marked.
if (NARROW.matches) menu.open = false;
const links = new Map([...menu.querySelectorAll("nav a")].map(link => [link.hash.slice(1), link]));
const reading = new IntersectionObserver(seen => {
  for (const {isIntersecting, target} of seen) {
    if (!isIntersecting || !links.has(target.id)) continue;
    menu.querySelector("[aria-current]")?.removeAttribute("aria-current");
    links.get(target.id).setAttribute("aria-current", "true");
  }
}, {rootMargin: "0px 0px -85% 0px"});
for (const part of document.querySelectorAll("section")) reading.observe(part);
for (const part of document.querySelectorAll("section > figure")) addCopyButtons(part.parentElement);
if (location.hash) reveal();
