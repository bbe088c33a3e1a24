// Keeps the files of the page, so that it opens without a network. What was stored by another version goes when this one is
// there as a whole.

declare const FILES: string[];
declare const VERSION: string;

const scope = self as unknown as ServiceWorkerGlobalScope;
const cacheName = `gpulint-${VERSION}`;

scope.addEventListener("install", (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })))));
  void scope.skipWaiting();
});

scope.addEventListener("activate", (event) => {
  const clean = async (): Promise<void> => {
    for (const name of await caches.keys()) if (name.startsWith("gpulint-") && name !== cacheName) await caches.delete(name);
    await scope.clients.claim();
  };
  event.waitUntil(clean());
});

scope.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== scope.location.origin) return;
  const answer = async (): Promise<Response> =>
    (await (await caches.open(cacheName)).match(event.request, { ignoreSearch: true })) ?? fetch(event.request);
  event.respondWith(answer());
});
