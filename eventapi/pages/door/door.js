// The page at the door: reads badges, shows a verdict, and sends the scans.
import {Clock, Held, Roster, agreed, fateOf, grouped, hex, isSecond, isStricter, kindOf, normal, ownVerdict, serverVerdict,
        stops, utc} from "./rules.js";
import {open} from "./queue.js";

const $ = id => document.getElementById(id);
const WORDS = JSON.parse($("words").textContent);
const POLL = 20_000, WHOLE = 30 * 60_000, PATIENCE = 300, TIMEOUT = 10_000, MOST = 200;
const DELAYS = [5_000, 15_000, 60_000], SHOWN = {green: 1_200, amber: 4_000, red: 4_000};
const YOUNG = 30_000;               // ms after a scan for which the server's verdict still stops the person
const STOPPED = 1_500;              // ms for which other verdicts wait while the page says stop
const DAY = 86_400_000;
const SIGNS = {green: "✓", amber: "!", red: "✕"};
const COLOURS = {green: "tone_green", amber: "tone_amber", red: "tone_red"};

let store, link = null, roster = null, clock = new Clock(), settings = {};
let isSignedIn = true, isLeaving = false, isReached = false, lostAt = null, present = null, presentAt = null;
let sending = false, sendAgain = false, most = MOST, delay = 0, retry = null;
let turn = Promise.resolve(), latest = 0, drawn = 0, isHandingIn = false, refusedLater = 0, isChanging = false;
const answers = new Map();          // client_ref -> function that takes the result of the server
const last = [];                    // the last ten scans: {place, at, tone, verdict, number}, only in memory
const held = new Held();            // what the camera or the scanner has read a moment ago

// Texts

const say = (word, parts = {}) => (WORDS[settings.language][word] ?? word)
  .replace(/{(\w+)}/g, (_, name) => parts[name] ?? "");
const clockTime = (at, second) => new Date(at).toLocaleTimeString(settings.language,
  {hour: "2-digit", minute: "2-digit", second, hourCycle: "h23", timeZone: link?.event.timezone});
const exactTime = at => clockTime(at, "2-digit");
const counted = (word, count, parts = {}) => say(count === 1 ? `${word}_one` : word, {count, ...parts});

function speak(language) {
  settings.language = language;
  document.documentElement.lang = language;
  for (const one of document.querySelectorAll("[data-w]")) one.textContent = say(one.dataset.w);
  for (const one of document.querySelectorAll("[data-label]")) one.setAttribute("aria-label", say(one.dataset.label));
  document.title = say("title");
}

// The network

// Send a request, and return {status, data, problem}. The status is 0 if no answer came. Every answer sets the clock.
async function ask(path, body) {
  const sent = Date.now(), options = body ? {method: "POST", body: JSON.stringify(body),
                                             headers: {"Content-Type": "application/json"}} : {};
  try {
    const answer = await fetch(path, {...options, cache: "no-store", credentials: "same-origin",
                                      signal: AbortSignal.timeout(TIMEOUT)});
    const isJson = (answer.headers.get("Content-Type") || "").includes("json");
    const content = isJson ? await answer.json() : await answer.arrayBuffer();
    reached(answer.status < 500 && answer.status !== 429);
    const data = answer.ok ? content.data ?? content : null;
    if (data?.now) {
      clock.add(sent, Date.now(), Date.parse(data.now) + 500);
      store.set("clock", clock.offset).catch(failed);
    }
    return {status: answer.status, data, problem: answer.ok || !isJson ? {} : content};
  } catch (error) {
    reached(false);
    return {status: 0, data: null, problem: {}};
  }
}

function reached(is) {
  if (is !== isReached) lostAt = is ? null : Date.now();
  isReached = is;
  showState();
}

// Act on a refusal of the whole request. Return whether the device still has a session.
async function stillWorks({problem}) {
  if (problem.code === "link_ended") await handIn();
  if (problem.code === "session_ended") isSignedIn = false;
  return !["link_ended", "session_ended"].includes(problem.code);
}

// Ask for event, figures and revision, and bring the roster up to date.
async function refresh() {
  const answer = await ask("now");
  if (!answer.data) return stillWorks(answer).finally(showState);
  const {data} = answer;
  isSignedIn = true;
  if (link && link.event.id !== data.event.id) await forget();      // another door of the same event has the same badges
  if (link && link.link !== data.link) last.length = 0;
  link = data;
  [present, presentAt] = [data.present, clock.now()];
  if (!settings.isChosen && WORDS[data.language]) speak(data.language);
  await store.set("link", {...data, present: null});
  await refreshRoster(data.revision);
  showState();
  send();
}

async function refreshRoster(revision) {
  const kept = roster && await store.get("roster"), isOld = !kept || (kept.isPatched && Date.now() - kept.wholeAt > WHOLE);
  if (!isOld && roster.revision === revision) return;
  let found = await fetched(isOld ? "roster" : `roster?since=${utc(roster.time)}`);
  if (found && !found.isWhole && !(roster && roster.fits(found))) found = await fetched("roster");
  if (!found) return;
  const wholeAt = found.isWhole ? Date.now() : kept.wholeAt, isPatched = !found.isWhole;
  const buffer = found.isWhole ? found.bytes.buffer : roster.merged(found);
  roster = new Roster(buffer);
  await store.set("roster", {buffer, wholeAt, isPatched});
}

async function fetched(path) {
  const answer = await ask(path);
  if (!answer.data) await stillWorks(answer);
  return answer.data && new Roster(answer.data);
}

async function forget() {
  await store.wipe();
  link = roster = present = null;
  last.length = 0;
}

// The link has ended. Send what the server still accepts, and keep nothing but the scans that it does not.
async function handIn() {
  if (isHandingIn) return;
  isHandingIn = true;
  for (const ref of await store.links()) await sendWaiting(ref);
  isHandingIn = false;
  await forget();
  isSignedIn = isLeaving = false;
  $("handed").hidden = false;
  showState();
}

// The phone is given back. It sends what waits, and only then deletes the roster and ends its session.
async function leave() {
  if (!isLeaving || !link || await store.count(link.link, "wait")) return;
  const answer = await ask("sign-out", {link: link.link});
  if (answer.data) await handIn(); else await stillWorks(answer);
}

// Sending

async function send() {
  if (sending || !link || !isSignedIn) { sendAgain = true; return; }
  sending = true;
  clearTimeout(retry);
  try {
    do {
      sendAgain = false;
      if (!await sendWaiting(link?.link ?? "")) { retryLater(); break; }
      delay = 0;
    } while (sendAgain);
  } finally {
    sending = false;
    showState();
  }
  turn = turn.then(leave).catch(failed);      // after the scan that is being stored
}

function retryLater() {
  clearTimeout(retry);
  retry = setTimeout(send, DELAYS[Math.min(delay++, DELAYS.length - 1)]);
}

// Send what waits, the oldest first. Return false if it has to be tried again later.
async function sendWaiting(ref) {
  for (;;) {
    const entries = await store.waiting(ref, most);
    if (!entries.length) return true;
    const scans = entries.map(({client_ref, badge_number, action, station, scanned_at}) =>
      ({client_ref, badge_number, action, station, scanned_at}));
    const answer = await ask("scans", {link: ref, scans});
    if (answer.data) {
      most = MOST;
      if (!await settle(entries, answer.data.results)) return false;
    } else if (!await stillWorks(answer)) {
      return false;
    } else if ([400, 413, 422].includes(answer.status)) {       // find the scan that cannot be read
      if (answer.problem.errors?.some(error => error.pointer === "/link")) return false;
      if (entries.length === 1) await store.settle([], [{...entries[0], state: "person", code: answer.problem.code}]);
      most = 1;
    } else {
      return false;
    }
    showState();
  }
}

// Remove the scans that have a result, and keep the others. Return whether there was a result for any of them.
async function settle(entries, results) {
  const found = new Map(results.map(result => [result.client_ref, result]));
  const done = [], changed = [];
  for (const entry of entries) {
    const one = found.get(entry.client_ref), fate = one && fateOf(entry, one, clock.offset);
    if (fate === "done") done.push(entry);
    if (fate === "done" && entry.tone === "green" && serverVerdict(entry.action, one).tone === "red" && !canStop(entry)) refusedLater++;
    if (fate === "person") changed.push({...entry, state: "person", code: one.code});
    if (fate === "clock") changed.push({...entry, is_corrected: true, offset: clock.offset,
                                        scanned_at: utc(clock.now(entry.device_time))});
  }
  await store.settle(done, changed);
  for (const entry of [...done, ...changed.filter(entry => entry.state === "person")]) {
    answers.get(entry.client_ref)?.(found.get(entry.client_ref));
    answers.delete(entry.client_ref);
  }
  return done.length + changed.length > 0;
}

const isYoung = entry => Date.now() - entry.device_time < YOUNG;

// Return whether the person of a scan may still be there, and this page has shown it.
const canStop = entry => isYoung(entry) && answers.has(entry.client_ref);

// A scan

// Take what a camera or a keyboard has read. Scans are stored one after the other, as fast as they come.
function scanned(text) {
  const begin = performance.now();
  turn = turn.then(() => take(text, begin)).catch(failed);
  return turn;
}

async function take(text, begin) {
  const number = normal(text), kind = kindOf(number);
  if (!link || isChanging || (!isSignedIn && text.includes("/link/"))) return signIn(text);
  if (kind !== "badge") return show({tone: "red", word: kind === "mistyped" ? "mistyped" : "no_badge"}, {number: ""});
  const device = Date.now(), at = clock.now(device), action = document.querySelector("[name=action]:checked").value;
  const {link: ref, event, station, day_began_at} = link, mine = roster;
  const hash = mine && await mine.hashOf(number), key = hash && hex(hash), began = Date.parse(day_began_at);
  const seen = key && await store.lastSeen(key, began + Math.floor((at - began) / DAY) * DAY);
  const own = ownVerdict(action, hash && mine.find(hash), seen, device, mine?.time);
  const isFirst = own.tone !== "red" && !isSecond(own), {tone, word} = own;
  const scan = {ref, event, badge_number: number, action, station: station ? null : settings.station || null,
                device_time: device, offset: clock.offset, scanned_at: utc(at), tone: own.tone};
  let entry;
  try {
    entry = await store.add(scan, key, isFirst ? {action, at, device, tone, word} : null);
  } catch (error) {
    failed(error);
    return show({tone: "red", word: "not_stored"}, {number, stays: true});
  }
  const shown = {number, at, device, place: ++latest, begin};
  answers.set(entry.client_ref, result => {
    const verdict = agreed(own, serverVerdict(action, result, at));
    const isNews = isFirst || own.tone === "red" ? verdict.tone !== own.tone : verdict.tone !== "amber";
    const isOfBadge = verdict.word !== "needs_person";
    if (key && isNews && isOfBadge) store.see(key, {action, at, device, tone: verdict.tone, word: verdict.word, listed: roster?.time}).catch(failed);
    judged(shown, {...verdict, colour: own.colour});
  });
  shown.timer = setTimeout(() => show(own, shown), isReached ? PATIENCE : 0);
  if (answers.size > 50) answers.delete(answers.keys().next().value);
  send();
}

// Show the verdict of the server. If this device has shown its own, only a stricter one takes its place: the person is
// stopped.
function judged(shown, verdict) {
  clearTimeout(shown.timer);
  const before = shown.verdict;
  const isStop = Boolean(before) && isRecent(shown) && stops(verdict) && isStricter(verdict, before);
  if (!before || isStop) show({...verdict, isStop}, shown);
  else if (last.some(one => one.place === shown.place)) note(shown, verdict);
}

// Return whether the person may still be there. A phone that sleeps stops one of the clocks, and the other can be set.
const isRecent = ({begin, device}) => performance.now() - begin < YOUNG && Date.now() - device < YOUNG;

// The stage: the verdict in colour, sign, word, sound and vibration

let hiding = null, moving = null, heldUntil = 0;
let onStage = null, queued = [];    // what is on the stage, and what waits for it, as {verdict, shown}

function show(verdict, shown) {
  shown.verdict = verdict;
  if (shown.place) note(shown, verdict);
  queued.push({verdict, shown});
  move();
  return verdict;
}

// Return whether a verdict is put on the stage in any case: it is a stop, or not green and another badge was read since.
const mustBeSeen = ({verdict, shown}) =>
  verdict.isStop || (verdict.tone !== "green" && shown.place < latest && isRecent(shown));

// Return whether a verdict is still to be put on the stage.
const isWanted = one => one.shown.verdict === one.verdict && (mustBeSeen(one) || !(one.shown.place < latest));

// Put what waits on the stage, once what must be seen there has had its time: first all that must be seen, one after the
// other, and then the last of the others.
function move() {
  clearTimeout(moving);
  const wait = heldUntil - performance.now();
  if (wait > 0) {
    moving = setTimeout(move, wait);
    return;
  }
  queued = queued.filter(isWanted);
  const urgent = queued.find(mustBeSeen), next = urgent ?? queued.at(-1);
  if (!next) return;
  queued = urgent ? queued.filter(one => one !== urgent) : [];
  const comesBack = urgent && onStage && !onStage.isLate && onStage.verdict.tone !== "green";
  if (comesBack) queued.unshift(onStage);
  put(next, Boolean(urgent));
  if (urgent) moving = setTimeout(move, STOPPED);
}

// Put a verdict on the stage. If it is late, the person may have gone on.
function put({verdict, shown}, isLate) {
  const {tone, word} = verdict, stage = $("verdict"), isStop = isLate && stops(verdict);
  const lines = [isStop && [say(word)], ...linesOf(verdict)].filter(line => line && line[0]);
  clearTimeout(hiding);
  onStage = {verdict, shown, isLate};
  if (isLate) heldUntil = performance.now() + STOPPED;
  stage.className = tone;
  $("sign").textContent = SIGNS[tone];
  $("word").textContent = say(isStop ? "stop" : word);
  $("detail").replaceChildren(...lines.map(([text, name]) => element("span", text, name)));
  $("end").textContent = shown.stays ? grouped(shown.number) : shown.number ? `… ${shown.number.slice(-4)}` : "";
  $("band").style.background = verdict.colour ? `#${verdict.colour}` : "";
  signal(isStop ? "red" : tone);
  if (shown.begin) stage.dataset.took = Math.round(performance.now() - shown.begin);
  if (!shown.stays) hiding = setTimeout(idle, SHOWN[tone]);
}

// Return the lines below the word as [text, class]. Of a second reading, the question comes before the person.
function linesOf(verdict) {
  const {name, company, role, category, station, since, again, first} = verdict;
  const person = role && say(`role_${role}`) + (category ? ` · ${category}` : "");
  if (!isSecond(verdict)) return [[name], [company], [person], [whenOf(verdict)]];
  const when = [whenOf(verdict), station].filter(Boolean).join(", ");
  const both = first && say("read_again", {time: exactTime(since), tone: say(COLOURS[first]), again: exactTime(again)});
  return [[when], [both, "both"], [say("same_person"), "question"], [name, "one"], [person, "one"]];
}

// Return when the badge was read before, or what else there is to say about a verdict.
function whenOf({word, age, since}) {
  if (age > 0) return say("ago", {age});
  const time = !since ? "" : word === "just_scanned" ? exactTime(since) : clockTime(since);
  return say(`${word}_detail`, {time}).replace(`${word}_detail`, "");
}

function idle() {
  onStage = null;
  $("verdict").className = "idle";
  $("sign").textContent = $("detail").textContent = $("end").textContent = "";
  $("word").textContent = say(!link || isChanging ? "ready_link" : settings.way === "camera" ? "ready" : "ready_keyboard");
  $("band").style.background = "";
}

let audio = null;
const TONES = {green: [[880, 0, .12]], amber: [[587, 0, .12], [587, .18, .12]], red: [[220, 0, .45]]};
const SHAKES = {green: 60, amber: [60, 80, 60], red: 400};

function signal(tone) {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(SHAKES[tone]);
  if (settings.isQuiet || audio?.state !== "running") return;
  for (const [pitch, start, length] of TONES[tone]) {
    const source = audio.createOscillator(), volume = audio.createGain();
    source.frequency.value = pitch;
    volume.gain.value = .25;
    source.connect(volume).connect(audio.destination);
    source.start(audio.currentTime + start);
    source.stop(audio.currentTime + start + length);
  }
}

// The last ten scans

function note(shown, verdict) {
  const row = last.find(one => one.place === shown.place);
  const text = {place: shown.place, at: shown.at, tone: verdict.tone, verdict, number: shown.number};
  if (row) Object.assign(row, text); else last.unshift(text);
  last.length = Math.min(last.length, 10);
  showLast();
}

function showLast() {
  $("last").replaceChildren(...last.map(({at, verdict, number}) => {
    const row = document.createElement("li"), person = verdict.name || (verdict.role ? say(`role_${verdict.role}`) : "");
    row.className = verdict.tone;
    row.append(element("span", SIGNS[verdict.tone], "sign"), element("time", clockTime(at), "num"),
               element("b", say(verdict.word)), element("span", person), element("span", `… ${number.slice(-4)}`, "num"));
    return row;
  }));
}

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

// The state: who we are, the network, and what waits

async function showState() {
  const ref = link?.link ?? "", mine = ++drawn;
  const [[first], waiting, withPerson, all] = await Promise.all([
    store.waiting(ref, 1), store.count(ref, "wait"), store.withPerson(ref), store.total()]);
  const others = all - waiting - withPerson.length, events = others ? await store.events(ref) : [];
  if (mine !== drawn) return;
  $("event").textContent = link ? link.event.title : say("title");
  $("station").textContent = link ? link.station || settings.station || "" : "";
  $("net").className = isReached ? "on" : "off";
  $("net").textContent = isReached ? say("online") : say("offline", {time: lostAt ? clockTime(lostAt) : ""});
  $("queue").className = waiting || others ? "waits" : "";
  $("queue").textContent = others && !waiting ? counted("other_wait", others) : waiting ? counted("wait", waiting, {time: clockTime(clock.now(first.device_time))}) : say("nothing_waits");
  $("signin").hidden = Boolean(link && isSignedIn && !isChanging);
  $("signed_out").hidden = !link || isSignedIn;
  $("work").hidden = !link;
  $("leave").hidden = !link || !isSignedIn;
  $("leave").textContent = say(isLeaving ? "stay" : "leave");
  $("leaving").hidden = !isLeaving;
  $("own_station").hidden = !link || Boolean(link.station);
  $("present").textContent = present ?? "–";
  $("present_at").textContent = presentAt ? say("as_of", {time: clockTime(presentAt)}) : "";
  $("roster").textContent = roster ? say("roster", {count: roster.count, time: clockTime(roster.time)}) : say("no_roster");
  $("stored").textContent = settings.kept ? say(settings.kept) : "";
  $("export").hidden = !all;
  showProblems(withPerson, others, events);
  if (!waiting && worker?.waiting && navigator.serviceWorker.controller) worker.waiting.postMessage("go");
}

function showProblems(withPerson, others, events) {
  $("problems").hidden = !withPerson.length && !others && !refusedLater;
  $("refused_later").textContent = refusedLater ? counted("refused_later", refusedLater) : "";
  $("others").textContent = others ? counted("others", others, {event: events.join(", ")}) : "";
  $("persons_title").textContent = withPerson.length ? counted("persons", withPerson.length) : "";
  $("persons").replaceChildren(...withPerson.slice(0, 20).map(entry =>
    element("li", `${clockTime(clock.now(entry.device_time))} · ${grouped(entry.badge_number)} · ${entry.code}`)));
}

function failed(error) {
  console.error(error);
  $("fault").textContent = `${say("fault")} ${error.name}: ${error.message}`;
  $("fault").hidden = false;
}

// Signing in

async function signIn(text) {
  if (!text.includes("/link/")) return show({tone: "red", word: "no_link"}, {number: ""});
  const answer = await ask("sign-in", {url: text.trim()});
  if (!answer.data) {
    const word = answer.status === 0 ? "no_network" : answer.status === 409 ? "too_many_devices" : "bad_link";
    return show({tone: "red", word}, {number: ""});
  }
  $("handed").hidden = true;
  $("url").value = "";
  isChanging = false;
  const isStored = await navigator.storage?.persist?.();
  settings.kept = isStored ? "is_kept" : "is_not_kept";
  keepSettings();
  await refresh();
  idle();
}

// Search by name: only with network, and only with the right

async function search(text) {
  const answer = await ask(`search?q=${encodeURIComponent(text)}`);
  if (!answer.data) return show({tone: "red", word: answer.status ? "no_badge" : "no_network"}, {number: ""});
  $("results").replaceChildren(...answer.data.map(person => {
    const row = document.createElement("li"), button = element("button", say("take"), "second");
    button.type = "button";
    button.addEventListener("click", () => { clearSearch(); scanned(person.badge_number); });
    row.append(element("span", [person.name, person.company, say(`role_${person.role}`)].filter(Boolean).join(" · ")), button);
    return row;
  }));
  if (!answer.data.length) $("results").replaceChildren(element("li", say("nobody")));
}

function clearSearch() {
  $("results").replaceChildren();
  $("number").value = "";
}

// Camera

let stream = null, reading = null;

async function startCamera() {
  if (!navigator.mediaDevices?.getUserMedia) return show({tone: "red", word: "no_https"}, {number: "", stays: true});
  try {
    const {decodeQR} = await import("./qr/decode.js");
    stream = await navigator.mediaDevices.getUserMedia({audio: false, video: {
      width: {ideal: 1280}, height: {ideal: 720},
      ...(settings.camera ? {deviceId: settings.camera} : {facingMode: "environment"})}});
    $("video").srcObject = stream;
    await $("video").play();
    $("stage").classList.add("filming");
    $("torch_row").hidden = !stream.getVideoTracks()[0].getCapabilities?.().torch;
    await listCameras();
    clearTimeout(reading);
    reading = setTimeout(() => read(decodeQR), 100);
  } catch (error) {
    show({tone: "red", word: "no_camera"}, {number: ""});
  }
}

function stopCamera() {
  clearTimeout(reading);
  stream?.getTracks().forEach(track => track.stop());
  stream = reading = null;
  $("stage").classList.remove("filming");
}

// Read the middle square of the picture, ten times a second. A badge that is still held up counts once.
function read(decodeQR) {
  const video = $("video"), side = Math.min(video.videoWidth, video.videoHeight), canvas = $("canvas");
  if (side) {
    canvas.width = canvas.height = side;
    const context = canvas.getContext("2d", {willReadFrequently: true});
    context.drawImage(video, (video.videoWidth - side) / 2, (video.videoHeight - side) / 2, side, side, 0, 0, side, side);
    let text = "";
    try {
      text = decodeQR(context.getImageData(0, 0, side, side));
    } catch (error) { /* there is no code in this picture */ }
    if (text && held.isNew(normal(text), performance.now())) scanned(text);
  }
  if (stream) reading = setTimeout(() => read(decodeQR), 100);
}

async function listCameras() {
  const cameras = (await navigator.mediaDevices.enumerateDevices()).filter(device => device.kind === "videoinput");
  $("camera").replaceChildren(...cameras.map((device, place) => {
    const option = element("option", device.label || `${place + 1}`);
    option.value = device.deviceId;
    return option;
  }));
  $("camera").value = stream.getVideoTracks()[0].getSettings().deviceId;
}

let awake = null;

async function stayAwake() {
  try {
    awake = document.visibilityState === "visible" ? await navigator.wakeLock?.request("screen") : null;
  } catch (error) { /* the battery is low, or the browser does not offer it: the screen may go dark */ }
}

// Export: the body of POST /check-ins/batch, for the office

async function exportQueue() {
  const scans = (await store.all()).map(({badge_number, action, station, scanned_at, client_ref, event}) =>
    ({event_id: event.id, badge_number, action, station, scanned_at, client_ref, check_in_type: "app"}));
  const made = element("a", "");
  made.href = URL.createObjectURL(new Blob([JSON.stringify({scans})], {type: "application/json"}));
  made.download = "scans.json";
  made.click();
  setTimeout(() => URL.revokeObjectURL(made.href), 60_000);
}

// Versions: a new one takes over once nothing waits, see showState

let worker = null;

async function register() {
  if (!navigator.serviceWorker) return;
  const isFirst = !navigator.serviceWorker.controller;
  navigator.serviceWorker.addEventListener("controllerchange", () => { if (!isFirst) location.reload(); });
  worker = await navigator.serviceWorker.register("sw.js");
}

// The beginning

function listen() {
  $("typed").addEventListener("submit", event => {
    event.preventDefault();
    const text = $("number").value.trim();
    if (!text) return;
    const isBadge = kindOf(normal(text)) === "badge";
    if (!isBadge && link?.rights.includes("search") && text.length > 1 && isReached) return search(text);
    clearSearch();
    if (held.isNew(normal(text), performance.now())) scanned(text);
  });
  $("paste").addEventListener("submit", event => { event.preventDefault(); turn = turn.then(() => signIn($("url").value)).catch(failed); });
  $("change").addEventListener("click", () => { isChanging = !isChanging; showState(); idle(); scrollTo(0, 0); });
  for (const one of document.querySelectorAll("[name=way]")) one.addEventListener("change", () => {
    settings.way = one.value;
    keepSettings();
    one.value === "camera" ? startCamera() : stopCamera();
    idle();
  });
  $("leave").addEventListener("click", () => { isLeaving = !isLeaving; delay = 0; showState(); send(); scrollTo(0, 0); });
  $("camera").addEventListener("change", () => { settings.camera = $("camera").value; keepSettings(); stopCamera(); startCamera(); });
  $("torch").addEventListener("change", () => stream?.getVideoTracks()[0].applyConstraints({advanced: [{torch: $("torch").checked}]}).catch(failed));
  $("tones").addEventListener("change", () => { settings.isQuiet = !$("tones").checked; keepSettings(); });
  $("station_name").addEventListener("change", () => { settings.station = $("station_name").value.trim(); keepSettings(); showState(); });
  $("language").addEventListener("click", () => { settings.isChosen = true; speak(settings.language === "de" ? "en" : "de"); keepSettings(); idle(); showState(); showLast(); });
  $("export").addEventListener("click", exportQueue);
  $("send").addEventListener("click", () => { delay = 0; refresh(); send(); });
  // A keyboard scanner types wherever the focus is.
  document.addEventListener("keydown", event => {
    const isTyped = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (isTyped && link && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) $("number").focus();
  });
  document.addEventListener("pointerdown", () => { audio ??= new AudioContext(); audio.resume(); }, {passive: true});
  document.addEventListener("visibilitychange", () => { stayAwake(); if (document.visibilityState === "visible") refresh(); });
  window.addEventListener("online", () => { delay = 0; refresh(); send(); });
  window.addEventListener("offline", () => reached(false));
}

function keepSettings() { store.set("settings", settings).catch(failed); }

async function begin() {
  settings = {language: document.documentElement.lang, way: "camera"};
  store = await open();
  settings = {...settings, ...await store.get("settings")};
  link = await store.get("link") ?? null;
  clock = new Clock(await store.get("clock") ?? 0);
  const kept = await store.get("roster");
  if (kept) roster = new Roster(kept.buffer);
  speak(settings.language);
  document.querySelector(`[name=way][value=${settings.way}]`).checked = true;
  $("tones").checked = !settings.isQuiet;
  $("station_name").value = settings.station ?? "";
  listen();
  idle();
  await showState();
  refresh().catch(failed);
  if (settings.way === "camera") startCamera(); else $("number").focus();
  register().catch(failed);
  stayAwake();
  setInterval(() => refresh().catch(failed), POLL);
  document.documentElement.dataset.ready = "yes";
}

begin().catch(failed);
