// What the device keeps, in IndexedDB: the scans that wait for the server, the roster, and what was scanned today.
// It never keeps a name.

const NAME = "eventapi-door", VERSION = 1;

const result = request => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

const committed = transaction => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve();
  transaction.onabort = () => reject(transaction.error || new Error("the browser refused to store it"));
});

// scans: {n, ref, event, client_ref, badge_number, action, station, device_time, offset, scanned_at, state}
//        state: wait or person; with `code` once the server has refused it
// kept:  device, link, roster, clock and the settings, by name
// seen:  hash of a badge -> {action, at, device, tone, word, listed}: when it was first scanned here in this direction, by
//        the time of the server and of this device, what was shown, and the time of the roster with a later verdict
export async function open() {
  const request = indexedDB.open(NAME, VERSION);
  request.onupgradeneeded = () => {
    const scans = request.result.createObjectStore("scans", {keyPath: "n", autoIncrement: true});
    scans.createIndex("by_state", ["ref", "state"]);
    request.result.createObjectStore("kept");
    request.result.createObjectStore("seen");
  };
  const store = new Store(await result(request));
  store.db.onversionchange = () => store.db.close();
  return store;
}

class Store {
  constructor(db) { this.db = db; }

  get(name) { return result(this.db.transaction("kept").objectStore("kept").get(name)); }

  async set(name, value) {
    const transaction = this.db.transaction("kept", "readwrite");
    transaction.objectStore("kept").put(value, name);
    await committed(transaction);
  }

  // Return the last scan of a badge on this device, if it was made at or after `since`.
  async lastSeen(hash, since) {
    const found = await result(this.db.transaction("seen").objectStore("seen").get(hash));
    return found && found.at >= since ? found : null;
  }

  // Keep what was shown of a badge, unless it has been scanned again in the other direction since.
  async see(hash, seen) {
    const transaction = this.db.transaction("seen", "readwrite"), store = transaction.objectStore("seen");
    store.get(hash).onsuccess = ({target}) => {
      if (!target.result || target.result.at <= seen.at) store.put(seen, hash);
    };
    await committed(transaction);
  }

  // Store a scan, and return it once it is on the disk. Only then may the page show it as accepted. Its reference is the
  // id of the device and a number that is counted in the same transaction, so that no number is used twice.
  // `seen`, if given, is stored with it under the hash of its badge.
  async add(scan, hash, seen) {
    const transaction = this.db.transaction(["scans", "kept", "seen"], "readwrite", {durability: "strict"});
    const stored = committed(transaction), kept = transaction.objectStore("kept");
    let entry = null;
    kept.get("device").onsuccess = ({target}) => {
      const device = target.result || {id: newId(), count: 0};
      device.count += 1;
      kept.put(device, "device");
      entry = {...scan, client_ref: `${device.id}-${String(device.count).padStart(6, "0")}`, state: "wait"};
      transaction.objectStore("scans").add(entry);
      if (hash && seen) transaction.objectStore("seen").put(seen, hash);
    };
    await stored;
    return entry;
  }

  // Return the oldest scans of a link that wait, at most `most`.
  waiting(ref, most) { return result(this._by("scans").index("by_state").getAll(this._of(ref, "wait"), most)); }

  // Return the scans of a link that somebody has to look at.
  withPerson(ref) { return result(this._by("scans").index("by_state").getAll(this._of(ref, "person"))); }

  // Return all scans that have not been accepted or refused by the server, of every link.
  all() { return result(this._by("scans").getAll()); }

  count(ref, state) { return result(this._by("scans").index("by_state").count(this._of(ref, state))); }

  // Return the links with which the scans that are here were made.
  async links() { return [...new Set((await this.all()).map(entry => entry.ref))]; }

  total() { return result(this._by("scans").count()); }

  // Return the titles of the events of which scans of other links are here.
  async events(ref) {
    return [...new Set((await this.all()).filter(entry => entry.ref !== ref).map(entry => entry.event.title))];
  }

  // Remove the scans in `done`, and store the changed ones in `changed`.
  async settle(done, changed) {
    const transaction = this.db.transaction("scans", "readwrite"), scans = transaction.objectStore("scans");
    for (const entry of done) scans.delete(entry.n);
    for (const entry of changed) scans.put(entry);
    await committed(transaction);
  }

  // Forget the event: roster, link and what was seen. The scans stay.
  async wipe() {
    const transaction = this.db.transaction(["kept", "seen"], "readwrite", {durability: "strict"});
    for (const name of ["roster", "link"]) transaction.objectStore("kept").delete(name);
    transaction.objectStore("seen").clear();
    await committed(transaction);
  }

  _by(name) { return this.db.transaction(name).objectStore(name); }

  _of(ref, state) { return IDBKeyRange.only([ref, state]); }
}

export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, "0")).join("");
}
