// Rules of the page at the door: badge numbers, the roster, the clock, and what to show for a scan.
// Nothing here touches the page, the network or the storage.

export const ALPHABET = "23456789ACEFHJKMNPRTWXY";      // as in domain/entrance/badges.py
const RANDOM = 11, RADIX = 5;
export const ROLES = ["exhibitor", "co_exhibitor", "sponsor", "speaker", "visitor", "press", "staff"];
const HELD_UP = 1_500;              // ms for which a code may be out of sight without being a new scan
const JUST = 60_000;                // ms after a scan for which another one shows both times
const CLOCKS = 2_000;               // ms by which the times of two devices may differ

// Return a number as stored. A keyboard scanner whose keys are those of another country writes Z for Y.
export const normal = text => text.toUpperCase().replace(/[\s-]/g, "").replaceAll("Z", "Y");

// Return "badge", "mistyped" (of a badge number, but its check character is wrong) or "other".
export function kindOf(number) {
  if (number.length !== RANDOM + 1 || [...number].some(one => !ALPHABET.includes(one))) return "other";
  let sum = 0;
  for (const one of number.slice(0, -1)) sum = (sum + ALPHABET.indexOf(one)) * RADIX % ALPHABET.length;
  return (sum + ALPHABET.indexOf(number.at(-1))) % ALPHABET.length === 1 ? "badge" : "mistyped";
}

export const grouped = number => number.replace(/(.{4})(?=.)/g, "$1 ");

// The roster of an event: bytes as in domain/entrance/door_roster.py.
const HEAD = 68, ENTRY = 6, HASH = 5;

export class Roster {
  constructor(buffer) {
    this.bytes = new Uint8Array(buffer);
    const view = new DataView(buffer);
    const kind = String.fromCharCode(...this.bytes.subarray(0, 4));
    this.count = view.getUint32(64);
    if (!["EVR1", "EVD1"].includes(kind) || this.bytes.length !== HEAD + ENTRY * this.count)
      throw new Error("this is no roster");
    this.isWhole = kind === "EVR1";
    this.event = view.getUint32(4);
    this.salt = this.bytes.slice(8, 24);
    this.revision = Number(view.getBigUint64(24));
    this.time = Number(view.getBigUint64(32)) * 1000;
    this.colours = [...Array(8).keys()].map(place => place && hex(this.bytes.subarray(40 + 3 * place, 43 + 3 * place)));
  }

  // Return whether the entries of another roster can be merged into this one.
  fits(other) {
    return this.event === other.event && same(this.bytes, other.bytes, 8, 24) && same(this.bytes, other.bytes, 40, 64);
  }

  // Return the first 5 bytes of the hash of a badge number.
  async hashOf(number) {
    const text = new TextEncoder().encode(number), salted = new Uint8Array(16 + text.length);
    salted.set(this.salt);
    salted.set(text, 16);
    return new Uint8Array(await crypto.subtle.digest("SHA-256", salted)).slice(0, HASH);
  }

  // Return {status, role, colour} of the badge with this hash, or null.
  find(hash) {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (order(this.bytes, HEAD + ENTRY * middle, hash, 0) < 0) low = middle + 1; else high = middle;
    }
    const start = HEAD + ENTRY * low;
    if (low === this.count || order(this.bytes, start, hash, 0)) return null;
    const flags = this.bytes[start + HASH];
    return {status: ["ok", "cancelled", "replaced", "ok"][flags & 3], role: ROLES[flags >> 2 & 7],
            colour: this.colours[flags >> 5] || null};
  }

  // Return the bytes of a roster with the entries of both. Those of `other` are newer.
  merged(other) {
    const found = new Uint8Array(HEAD + ENTRY * (this.count + other.count));
    let mine = 0, theirs = 0, end = HEAD;
    while (mine < this.count || theirs < other.count) {
      const place = HEAD + ENTRY * mine, their = HEAD + ENTRY * theirs;
      const sign = mine === this.count ? 1 : theirs === other.count ? -1 : order(this.bytes, place, other.bytes, their);
      found.set(sign < 0 ? this.bytes.subarray(place, place + ENTRY) : other.bytes.subarray(their, their + ENTRY), end);
      end += ENTRY;
      if (sign <= 0) mine++;
      if (sign >= 0) theirs++;
    }
    found.set(other.bytes.subarray(0, HEAD));
    found.set(this.bytes.subarray(0, 4));
    new DataView(found.buffer).setUint32(64, (end - HEAD) / ENTRY);
    return found.buffer.slice(0, end);
  }
}

export const hex = bytes => [...bytes].map(byte => byte.toString(16).padStart(2, "0")).join("");
const same = (one, other, start, end) => hex(one.subarray(start, end)) === hex(other.subarray(start, end));

function order(one, start, other, at) {
  for (let place = 0; place < HASH; place++)
    if (one[start + place] !== other[at + place]) return one[start + place] - other[at + place];
  return 0;
}

// The time of the server: that of this device, and what it differs by. All times are in ms.
export class Clock {
  constructor(offset = 0) {
    this.offset = offset;
    this.samples = [];
  }

  // Take the time that an answer names. The quickest of the last five answers decides, until the clock has been set.
  add(sent, received, serverTime) {
    const trip = received - sent, offset = serverTime - (sent + received) / 2;
    if (Math.abs(offset - this.offset) > trip / 2 + 2000) this.samples = [];
    this.samples = [...this.samples.slice(-4), {trip, offset}];
    this.offset = this.samples.reduce((best, one) => one.trip < best.trip ? one : best).offset;
  }

  now(device = Date.now()) { return device + this.offset; }
}

export const utc = time => new Date(time).toISOString().slice(0, 19) + "Z";

// The codes that were read a moment ago. One that stays before the camera is nothing new, one that the camera loses for
// less than HELD_UP neither, and one that a scanner types twice.
export class Held {
  constructor() { this.codes = new Map(); }

  // Return whether a code that is read at `now` is a new scan. `now` is in ms, of a clock that is never set.
  isNew(code, now) {
    for (const [one, at] of this.codes) if (now - at >= HELD_UP) this.codes.delete(one);
    const isNew = !this.codes.has(code);
    this.codes.set(code, now);
    return isNew;
  }
}

// What to show: {tone, word, …}. The tone is green, amber or red; `word` names a text of words/*.json.

const SECOND = ["just_here", "scanned_here", "left_here", "just_scanned", "already_inside", "already_left"];

// Return whether a verdict is about a badge that was read before: two people may use it.
export const isSecond = ({word}) => SECOND.includes(word);

// Return how strict a verdict is: a badge that was read before is more than any other amber.
const strictness = verdict => isSecond(verdict) ? 2 : {green: 0, amber: 1, red: 3}[verdict.tone];

// Return whether a verdict is stricter than the one that was shown before.
export const isStricter = (verdict, before) => strictness(verdict) > strictness(before);

// Return whether a verdict that comes late stops the person.
export const stops = verdict => strictness(verdict) > 1;

// Return what this device knows by itself. `found` is its entry in the roster, `seen` the last scan of the badge on this
// device today as {action, at, device, tone, word}, or null each. `device` is the time of the device's clock, `listed`
// that of the roster by the server's.
export function ownVerdict(action, found, seen, device, listed) {
  const about = {role: found?.role, colour: found?.colour};
  if (found?.status === "replaced") return {tone: "red", word: "replaced", ...about};
  if (found?.status === "cancelled" && action === "check_in") return {tone: "red", word: "cancelled", ...about};
  if (seen?.action === action && seen.tone === "red") {
    // Only a roster that is newer than the refusal can take it back. By its time alone, the one that the device had then
    // may seem to be newer: the clock of a device with a slow network may be seconds behind that of the server.
    const isNewer = listed > seen.at && !(listed <= seen.listed);
    if (found?.status !== "ok" || !isNewer) return {tone: "red", word: seen.word, ...about};
  } else if (seen?.action === action) return {...readAgain(action, seen, device), ...about};
  if (found === null) return {tone: "amber", word: "not_here", ...about};
  return {tone: "green", word: action === "check_in" ? "welcome" : "goodbye", ...about};
}

// Return what to show of a badge that this device has read before, and that was not refused.
function readAgain(action, seen, device) {
  const passed = device - seen.device, isJust = passed >= 0 && passed < JUST;
  // Both times by one clock: that of the server may have become known in between.
  const again = seen.at + passed, age = Math.floor(again / 1000) - Math.floor(seen.at / 1000);
  if (isJust) return {tone: "amber", word: "just_here", age, since: seen.at, again, first: seen.tone};
  return {tone: "amber", word: action === "check_in" ? "scanned_here" : "left_here", since: seen.at};
}

const REFUSED = {already_checked_in: ["amber", "already_inside"], not_checked_in: ["amber", "not_inside"],
                 participant_cancelled: ["red", "cancelled"], badge_replaced: ["red", "replaced"],
                 wrong_event: ["red", "wrong_event"], unknown_badge: ["red", "unknown"]};

// Return what the server says about a scan that was made at `at`.
export function serverVerdict(action, result, at) {
  const {name, company, role, category, station} = result;
  const since = result.since && Date.parse(result.since);
  const about = {name, company, role, category, station, since};
  if (result.status >= 300) {
    const [tone, word] = REFUSED[result.code] || ["red", "needs_person"];
    return {tone, word, ...about};
  }
  if (result.effect !== "repeated") return {tone: "green", word: action === "check_in" ? "welcome" : "goodbye", ...about};
  // The server knows seconds. The other scan may have been made later than this one, if this one has waited.
  const passed = Math.floor(at / 1000) * 1000 - since;
  if (Math.abs(passed) < JUST) return {tone: "amber", word: "just_scanned", age: passed / 1000, ...about};
  return {tone: "amber", word: action === "check_in" ? "already_inside" : "already_left", ...about};
}

// Return the verdict of the server. If both say that the badge was read before, and this device knows a scan that is not
// older than that of the server, its words are the more exact ones.
export function agreed(own, verdict) {
  const isOwn = own.tone === "amber" && isSecond(own) && verdict.tone === "amber" && !(verdict.since > own.since + CLOCKS);
  const {word, age, since, again, first} = own;
  return isOwn ? {...verdict, station: null, word, age, since, again, first} : verdict;
}

// Return what becomes of a scan with this result: "done" (it leaves the device), "clock" (its time is corrected and it is
// sent once more), or "person" (somebody has to look at it).
export function fateOf(entry, result, offset) {
  if (result.status < 300 || REFUSED[result.code]) return "done";
  const isOfClock = result.status === 422 && result.pointer === "/scanned_at" && !entry.is_corrected;
  return isOfClock && Math.abs(entry.offset - offset) > 2000 ? "clock" : "person";
}
