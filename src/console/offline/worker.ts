/**
 * The service worker, on encrypted pages only. It caches one page for when the hub is away and shows pushed messages;
 * everything else goes to the hub as it would without it. No API answer, no picture and no part of the console is ever
 * cached: what is shown is always the running hub's own, even after an update or a restore.
 */

/** What is cached, and the cache's name, which changes with its content. The build inserts both. */
declare const SHELL: { readonly version: string; readonly files: readonly string[] };

/** The part of a worker's scope that is used here; the console's other types are a page's. */
interface WorkerScope {
  readonly location: Location;
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: "window" }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<Kind extends keyof WorkerEvents>(kind: Kind, listener: (event: WorkerEvents[Kind]) => void): void;
}
interface WindowClient {
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}
interface Extendable {
  waitUntil(work: Promise<unknown>): void;
}
interface WorkerEvents {
  readonly install: Extendable;
  readonly activate: Extendable;
  readonly fetch: { readonly request: Request; respondWith(answer: Promise<Response>): void };
  readonly push: Extendable & { readonly data: { json(): unknown } | null };
  readonly notificationclick: Extendable & { readonly notification: Notification; readonly action: string };
  readonly pushsubscriptionchange: Extendable & {
    readonly oldSubscription: PushSubscription | null;
    readonly newSubscription: PushSubscription | null;
  };
}
declare const self: WorkerScope;

const CACHE = `gatehouse-away-${SHELL.version}`;
const PAGE = "/offline/offline.html";
/** A hub that takes longer to answer is shown as away; that page keeps asking. */
const TIMEOUT_MS = 8_000;
/** What the hub answers itself, such as a backup download. */
const NOT_PAGES = /^\/(v1|api|ca|healthz|readyz|metrics)\b/;
const PICTURE_MS = 3_000;
const LARGEST_PICTURE = 1_000_000;

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.mode === "navigate" && request.method === "GET" && !NOT_PAGES.test(pathname))
    event.respondWith(page(request));
  else if (origin === self.location.origin && SHELL.files.includes(pathname)) event.respondWith(part(request)); // their names change with their content
});
self.addEventListener("push", (event) => event.waitUntil(show(event.data?.json())));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(clicked(event.action, event.notification.data as Clicked)); // as show() made it
});
self.addEventListener("pushsubscriptionchange", (event) =>
  event.waitUntil(renew(event.newSubscription ?? event.oldSubscription)),
);

async function keep(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(SHELL.files.map((file) => new Request(file, { cache: "reload" })));
  await self.skipWaiting(); // the previous version needs no orderly end
}

async function takeOver(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** The hub's page, or if the hub does not answer, the page that reports that. */
async function page(request: Request): Promise<Response> {
  const waiting = new AbortController();
  const limit = setTimeout(() => waiting.abort(), TIMEOUT_MS);
  try {
    return await fetch(request, { signal: waiting.signal });
  } catch {
    return (await caches.match(PAGE)) ?? Response.error();
  } finally {
    clearTimeout(limit); // only for the start of the answer; the whole may take as long as it needs
  }
}

/** A part of that page. */
async function part(request: Request): Promise<Response> {
  return (await caches.match(request.url)) ?? fetch(request);
}

/** Shows a message, with the gate's picture if this device reaches the hub in time. */
async function show(data: unknown): Promise<void> {
  const { title, body, at, urgent, path, picture, question, tag } = (
    typeof data === "object" && data !== null ? data : {}
  ) as Record<string, unknown>; // the hub's message
  const image = typeof picture === "string" && "image" in Notification.prototype ? await pictureOf(picture, at) : null;
  const options = {
    body: typeof body === "string" ? body : "",
    icon: "/icon-192.png",
    badge: "/badge-96.png",
    timestamp: typeof at === "number" ? at : Date.now(),
    requireInteraction: urgent === true,
    data: { path: typeof path === "string" ? path : "/notifications", question: null } as Clicked,
    ...(image === null ? {} : { image }),
    ...(typeof tag === "string" ? { tag, renotify: true } : {}),
    ...buttonsOf(question, path),
  };
  await self.registration.showNotification(typeof title === "string" ? title : "Gatehouse", options);
}

/** What a tap on a message needs. */
interface Clicked {
  readonly path: string;
  /** Id of the question that it asks; null: it asks none. */
  readonly question: string | null;
}

/** The two buttons of a question. */
function buttonsOf(question: unknown, path: unknown): object {
  if (typeof question !== "object" || question === null) return {};
  const { id, open, keepShut } = question as Record<string, unknown>; // the hub's message
  if (typeof id !== "string") return {};
  return {
    tag: `question ${id}`,
    data: { path, question: id },
    actions: [
      { action: "open", title: String(open) },
      { action: "keep", title: String(keepShut) },
    ],
  };
}

/** Answers a question by its button; any other tap, and an answer that the hub refuses, opens the page. */
async function clicked(action: string, { path, question }: Clicked): Promise<void> {
  if (question === null || (action !== "open" && action !== "keep")) return open(path);
  const answer = await fetch(`/v1/gate-questions/${encodeURIComponent(question)}/answer`, {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ open: action === "open" }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => null);
  if (answer?.ok !== true) await open(path);
}

/** What a camera showed so long before or after a message is not about it. */
const SAME_MOMENT_MS = 120_000;

async function pictureOf(path: string, at: unknown): Promise<string | null> {
  try {
    const answer = await fetch(new URL(path, self.location.origin).pathname, {
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(PICTURE_MS),
    });
    const blob = await answer.blob();
    if (!answer.ok || answer.status === 204 || blob.size > LARGEST_PICTURE) return null;
    const taken = path.startsWith("/api/cameras/") ? Date.parse(answer.headers.get("Last-Modified") ?? "") : Number.NaN;
    if (typeof at === "number" && Math.abs(taken - at) > SAME_MOMENT_MS) return null; // the message was long on its way
    return await new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(typeof reader.result === "string" ? reader.result : null);
      reader.onerror = () => resolve(null);
      reader.readAsDataURL(blob);
    });
  } catch {
    return null; // away from home
  }
}

/** Shows a page of the console, in the window that is open where there is one. */
async function open(path: unknown): Promise<void> {
  const to = typeof path === "string" && /^\/(?!\/)/.test(path) ? path : "/notifications";
  const [window] = await self.clients.matchAll({ type: "window" });
  if (window === undefined) return void (await self.clients.openWindow(to));
  await window.focus();
  window.postMessage({ go: to });
}

/** The push service has given this browser another address: reports it to the hub. */
async function renew(before: PushSubscription | null): Promise<void> {
  const applicationServerKey = before?.options.applicationServerKey ?? null;
  if (applicationServerKey === null) return;
  const made = await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { p256dh = "", auth = "" } = made.toJSON().keys ?? {};
  const body = JSON.stringify({ endpoint: made.endpoint, p256dh, auth, label: "Gatehouse" });
  await fetch("/api/notifications/subscriptions", {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json" },
    body,
  });
}

export {}; // what is declared above is this file's alone
