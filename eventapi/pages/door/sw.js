// Keeps the files of the page, so that it opens without network. The server puts the lines VERSION and FILES before this.
// A new version waits until the page says "go", which it does once its queue is empty.

const here = new URL("./", self.location).href;

self.addEventListener("install", event => event.waitUntil(
  caches.open(VERSION).then(cache => cache.addAll(FILES.map(file => new Request(file, {cache: "reload"}))))));

self.addEventListener("activate", event => event.waitUntil(
  caches.keys().then(names => Promise.all(
    names.filter(name => name.startsWith("door-") && name !== VERSION).map(name => caches.delete(name))))
    .then(() => self.clients.claim())));

self.addEventListener("message", event => { if (event.data === "go") self.skipWaiting(); });

self.addEventListener("fetch", event => {
  const {request} = event, isPage = request.mode === "navigate" && request.url.split(/[?#]/)[0] === here;
  if (request.method !== "GET" || !(isPage || FILES.some(file => new URL(file, here).href === request.url))) return;
  event.respondWith(caches.open(VERSION).then(cache => cache.match(isPage ? here : request))
    .then(found => found || fetch(request)));
});
