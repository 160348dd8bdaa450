/**
 * Notifications to persons, from an item of the feed to real receivers: an ntfy server, a mail server, a push service
 * that checks and decrypts.
 */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import t, { type Test } from "tap";
import type { NewFeedItem } from "../../src/core/api/feed-kinds.ts";
import { PlateImageFiles } from "../../src/features/gate/images.ts";
import { isQuiet } from "../../src/features/notifications/preferences.ts";
import { type ConsoleHub, cookieOf, startConsoleHub } from "../support/console-hub.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { passOf } from "../support/played-pass.ts";
import { startMail, startNtfy, startPushService, testCertificate, until } from "../support/receivers.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(120_000);

const certificate = await testCertificate(testFolder(t));
setDefaultCACertificates([...getCACertificates("default"), certificate.authority]);

type Put = {
  readonly kind: NewFeedItem["kind"];
  readonly by?: number;
  readonly becauseOf?: string;
  readonly says?: string;
  readonly deviceId?: string;
  readonly plates?: readonly string[];
  readonly at?: number;
} & (
  | { readonly text: Extract<NewFeedItem, { text: unknown }>["text"] }
  | { readonly title: string; readonly body: string }
);

interface House extends ConsoleHub {
  readonly siteId: number;
  record(item: Put): Promise<number>;
  /** A member who has joined; resolves with their cookie. */
  join(name: string): Promise<{ id: number; call: ConsoleHub["call"] }>;
}

async function house(t: Test, options: Parameters<typeof startConsoleHub>[1] = {}): Promise<House> {
  const hub = await startConsoleHub(t, options);
  const { access, feed } = hub.hub;
  const { database } = hub.hub.base;
  const owner = access.accounts.owner();
  const siteId = access.accounts.siteIdOf(owner?.id ?? 0, "live");
  const record = (item: Put): Promise<number> =>
    database.write(() => feed.feed.record({ deviceId: null, at: hub.hub.base.clock.now(), ...item, siteId }) ?? 0);
  const join = async (name: string): Promise<{ id: number; call: ConsoleHub["call"] }> => {
    const { code } = await access.persons.invite(
      owner?.id ?? 0,
      { name, role: "member" },
      { accountId: owner?.id ?? 0, actor: "cli" },
    );
    const json = { code, name, email: `${name.toLowerCase()}@example.org`, password: "a quiet sentence about rain" };
    const cookie = cookieOf(await hub.api.post("/api/join", { json }));
    const id = access.accounts.byEmail(json.email)?.id ?? 0;
    return {
      id,
      call: (method, path, body) =>
        hub.api.call(method, path, { headers: { Cookie: cookie }, ...(body === undefined ? {} : { json: body }) }),
    };
  };
  return { ...hub, siteId, record, join };
}

const denied = (plate: string): Put => ({
  kind: "plate.denied",
  deviceId: "camera",
  text: { code: "plate.denied", way: "in", plate, labelled: "no", label: "", camera: "Gate camera" },
});

t.test(
  "ntfy: words in the person's language, the gate's picture, a token, and the true outcome of a test",
  async (t) => {
    const home = await house(t);
    const ntfy = await startNtfy(t);
    ntfy.token = "tk_right";
    const set = (token: string | undefined) =>
      home.call("PUT", "/api/notifications/channels/ntfy", {
        enabled: true,
        server: ntfy.url,
        pictures: true,
        ...(token === undefined ? {} : { token }),
      });
    t.equal((await set("tk_wrong")).status, 200);
    t.equal((await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga-7Q2" })).status, 200);
    const test = () => home.call("POST", "/api/notifications/test", { channel: "ntfy" });
    t.hasStrict((await test()).body, {
      delivered: false,
      text: "answered 401: the token is wrong, or may not write to this topic",
      words: { code: "notify.forbidden" },
    });
    t.match((await home.call("GET", "/api/notifications/preferences")).body.preferences.ways[1], {
      channel: "ntfy",
      open: true,
      trouble: { words: { status: 401 } },
    });
    await set("tk_right");
    t.match((await test()).body, { delivered: true });
    t.hasStrict(ntfy.messages[0], { topic: "olga-7Q2", title: "Gatehouse can reach you", priority: 3 });
    t.match(
      (await home.call("GET", "/api/notifications/preferences")).body.preferences.ways[1],
      { trouble: null },
      "it works again",
    );

    await home.call("PATCH", "/api/notifications/preferences", { language: "hi" });
    const at = home.hub.base.clock.now();
    const jpeg = Buffer.concat([
      Buffer.from("ffd8ffe000104a464946", "hex"),
      Buffer.alloc(20_000, 7),
      Buffer.from("ffd9", "hex"),
    ]);
    await readWithPicture(home, { at, jpeg });
    await home.record({ ...denied("MH 12 AB 1234"), at });
    await until(() => ntfy.messages.length === 2);
    const [, message] = ntfy.messages;
    t.hasStrict(message, { title: "MH 12 AB 1234 को मनाही", attachment: { name: "gate.jpg" } });
    t.ok(message?.attachment?.bytes.equals(jpeg), "the picture arrived whole");
    t.match(message?.click, /\/gate$/);
    t.match(message?.message, /Gate camera/);

    ntfy.takesAttachments = false;
    await until(() => home.hub.notifications.notifications.queue.receivers().length === 0);
    await home.record({ ...denied("MH 12 AB 1234"), at });
    await until(() => ntfy.messages.length === 3);
    t.match(
      ntfy.messages[2],
      { title: "MH 12 AB 1234 को मनाही", attachment: null },
      "a server without attachments gets the words",
    );
  },
);

/** A read as the gate stores it, with its picture. */
async function readWithPicture(
  { hub, siteId, dataFolder }: House,
  { at, jpeg }: { at: number; jpeg: Buffer },
): Promise<void> {
  const images = new PlateImageFiles(join(dataFolder, "plates"));
  await mkdir(join(dataFolder, "plates"), { recursive: true });
  await images.write(900, jpeg);
  await hub.base.database.write(() => {
    const { raw } = hub.base.database;
    raw
      .prepare(
        `INSERT INTO plate_read (id, site_id, device_id, capture_id, plate, formatted, seen_text, plate_kind, confidence, votes, samples, status, decision, direction, opens_visit, trigger, at, last_at, stored_at)
         VALUES (900, ?, 'camera', 1, 'MH12AB1234', 'MH 12 AB 1234', 'MH12AB1234', 'standard', 90, 3, 3, 'recognised', 'deny', 'in', 0, 'motion', ?, ?, ?)`,
      )
      .run(siteId, at, at, at);
    raw.prepare("INSERT INTO plate_image (read_id, bytes, at) VALUES (900, ?, ?)").run(jpeg.length, at);
  });
}

t.test(
  "e-mail: encrypted, signed in, with words and link; a wrong password and an untrusted server are reported",
  async (t) => {
    const home = await house(t);
    const mail = await startMail(t, { certificate, password: "s3cret" });
    const settings = {
      enabled: true,
      host: "127.0.0.1",
      port: mail.port,
      security: "starttls",
      user: "hub",
      from: "gate@example.org",
      pictures: true,
    };
    const put = (more: object) => home.call("PUT", "/api/notifications/channels/email", { ...settings, ...more });
    t.hasStrict(
      (await put({ security: "none", password: "s3cret" })).body.error,
      { details: [{ field: "/security" }] },
      "no unencrypted password",
    );
    t.hasStrict((await put({})).body.error, { details: [{ field: "/password" }] });
    t.equal((await put({ password: "wrong" })).status, 200);
    await home.call("PATCH", "/api/notifications/preferences", { email: true });
    const test = () => home.call("POST", "/api/notifications/test", { channel: "email" });
    t.match((await test()).body, {
      delivered: false,
      words: { code: /^notify\.mailLogin$/ },
      text: /refused the user name or the password/,
    });
    await put({ password: "s3cret" });
    t.match((await test()).body, { delivered: true });
    t.match(mail.mails[0], { to: ["owner@example.org"], from: "gate@example.org", user: "hub", encrypted: true });
    await home.record({
      kind: "automation.notify",
      title: "Water",
      body: "The tank is nearly empty.\r\nBcc: thief@example.org",
    });
    await until(() => mail.mails.length === 2);
    t.match(mail.mails[1]?.raw, /^Subject: Water$/m);
    t.match(mail.mails[1]?.raw, /^Auto-Submitted: auto-generated$/m);
    t.same(mail.mails[1]?.to, ["owner@example.org"], "a text cannot add receivers");
    t.hasStrict(
      (await put({ port: mail.port + 1 })).body.error,
      { details: [{ field: "/password" }] },
      "another server does not get the old one's password",
    );
    const dumb = await startMail(t);
    await put({ port: dumb.port, password: "s3cret" });
    t.hasStrict(
      (await test()).body,
      { delivered: false, words: { code: "notify.mailEncryption" } },
      "a server that offers no encryption gets nothing",
    );
    t.equal(dumb.mails.length, 0);
  },
);

t.test(
  "Web Push: signed (RFC 8292), encrypted (RFC 8291), only to push services, until the browser ends it",
  async (t) => {
    const home = await house(t);
    const service = await startPushService(t, certificate);
    const subscribe = (browser: { endpoint: string; p256dh: string; auth: string }) =>
      home.call("POST", "/api/notifications/subscriptions", {
        endpoint: browser.endpoint,
        p256dh: browser.p256dh,
        auth: browser.auth,
        label: "Phone",
      });
    const nowhere = { endpoint: "https://fcm.googleapis.com/fcm/send/x", p256dh: "BAAA", auth: "AAAA" };
    t.equal((await subscribe(nowhere)).status, 409, "off until an owner switches it on");
    const channel = { enabled: true, contact: "owner@example.org", hosts: ["127.0.0.1"], pictures: true };
    const { publicKey } = (await home.call("PUT", "/api/notifications/channels/push", channel)).body.channels.push as {
      publicKey: string;
    };
    t.equal(Buffer.from(publicKey, "base64url").length, 65);
    t.equal(
      (await home.call("PUT", "/api/notifications/channels/push", channel)).body.channels.push.publicKey,
      publicKey,
      "the key stays",
    );
    const browser = service.subscribe(publicKey);
    for (const endpoint of [
      "http://127.0.0.1/x",
      "https://192.168.1.1/x",
      "https://evil.example/x",
      "https://fcm.googleapis.com.evil.example/x",
      "https://u:p@fcm.googleapis.com/x",
      "https://fcm.googleapis.com:8443/x",
      "file:///etc/passwd",
    ])
      t.equal((await subscribe({ ...browser, endpoint })).status, 400, endpoint);
    t.equal((await subscribe({ ...browser, p256dh: "BAAA" })).status, 400, "no key of a browser");
    const { id } = (await subscribe(browser)).body as { id: number };
    t.match((await home.call("POST", "/api/notifications/test", { channel: "push", subscriptionId: id })).body, {
      delivered: true,
    });
    await home.record({ kind: "device.event", deviceId: "bell", title: "Doorbell", body: "Somebody rang." });
    await until(() => browser.messages.length === 2);
    t.same(service.refusals, []);
    t.match(browser.messages[1], {
      payload: { title: "Doorbell", body: "Somebody rang.", path: "/devices/bell", urgent: false },
      urgency: "normal",
      claims: { sub: "mailto:owner@example.org" },
    });
    t.ok((browser.messages[1]?.ttl ?? 0) <= 15 * 60, "it is not kept longer than useful");
    service.end(browser);
    t.match((await home.call("POST", "/api/notifications/test", { channel: "push", subscriptionId: id })).body, {
      delivered: false,
      text: /answered 410/,
    });
    await home.record({ kind: "device.event", deviceId: "bell", title: "Doorbell", body: "Somebody rang." });
    await until(
      () => home.hub.notifications.notifications.subscriptions(home.hub.access.accounts.owner()?.id ?? 0).length === 0,
    );
  },
);

t.test("a burst becomes one message, and each person gets what they chose and may see", async (t) => {
  const home = await house(t);
  const ntfy = await startNtfy(t);
  await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
  const ravi = await home.join("Ravi");
  await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
  t.equal((await ravi.call("PUT", "/api/notifications/ntfy-topic", { topic: "ravi" })).status, 200);
  t.equal((await ravi.call("GET", "/api/notifications/channels")).status, 403, "only an owner sets the channels");
  await ravi.call("PATCH", "/api/notifications/preferences", { topics: { event: { channels: [], urgent: false } } });
  const of = (topic: string) => ntfy.messages.filter((message) => message.topic === topic);
  await home.hub.base.database.write(() => {
    for (let i = 1; i <= 9; i++)
      home.hub.feed.feed.record({
        siteId: home.siteId,
        kind: "device.event",
        deviceId: `d${i}`,
        title: `Event ${i}`,
        body: "",
        at: home.hub.base.clock.now(),
      });
  });
  await until(() => of("olga").length === 1);
  t.match(of("olga")[0], {
    title: "9 things happened",
    message: "Event 1\nEvent 2\nEvent 3\nEvent 4\nEvent 5\nEvent 6\nand 3 more",
  });
  await home.record({
    kind: "security.login_failed",
    text: { code: "security.login_failed", address: "192.168.1.66", email: "x@example.org" },
  });
  await home.record({ kind: "automation.notify", title: "For all", body: "" });
  await until(() => of("ravi").length === 1);
  t.match(
    of("ravi")[0],
    { title: "For all" },
    "no sign-ins, which are for owners, and no events, which he does not want",
  );
});

t.test("a person whose access has ended gets nothing, also of what waits", async (t) => {
  const clock = new FakeClock(Date.parse("2026-03-01T06:30:00Z")); // noon in the household's zone
  const home = await house(t, { clock });
  const ntfy = await startNtfy(t);
  await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
  const ravi = await home.join("Ravi");
  await ravi.call("PUT", "/api/notifications/ntfy-topic", { topic: "ravi" });
  const until = new Date(clock.now() + 60_000).toISOString();
  t.equal((await home.call("PATCH", `/api/persons/${ravi.id}`, { until })).status, 200);
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 5_000) {
      clock.advance(5_000);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  };
  const { queue } = home.hub.notifications.notifications;
  const waitsFor = () => queue.receivers().filter(({ accountId }) => accountId === ravi.id).length;
  await home.record(denied("MH 12 AB 1111"));
  await pass(20_000);
  t.equal(ntfy.messages.length, 1, "before");
  ntfy.failWith = 503;
  await home.record(denied("MH 12 AB 2222"));
  await pass(20_000);
  t.equal(waitsFor(), 1, "kept while the server is away");
  await pass(30_000);
  ntfy.failWith = null;
  await pass(10 * 60_000);
  await home.record(denied("MH 12 AB 3333"));
  await pass(30_000);
  t.equal(ntfy.messages.length, 1, "after");
  t.equal(waitsFor(), 0);
});

t.test(
  "an outage: current messages arrive once, outdated ones do not, and a removed person gets nothing more",
  async (t) => {
    const clock = new FakeClock(Date.parse("2026-03-01T06:30:00Z")); // noon in the household's zone
    const home = await house(t, { clock });
    const ntfy = await startNtfy(t);
    await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
    const ravi = await home.join("Ravi");
    await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
    await ravi.call("PUT", "/api/notifications/ntfy-topic", { topic: "ravi" });
    const { queue } = home.hub.notifications.notifications;
    const pass = async (ms: number, each = 5_000): Promise<void> => {
      for (let left = ms; left > 0; left -= each) {
        clock.advance(Math.min(each, left));
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
    };
    ntfy.failWith = 503;
    await home.record(denied("MH 12 AB 1234"));
    await home.record({ kind: "system.storage", text: { code: "storage.damaged" } });
    await pass(60_000);
    t.ok(
      ntfy.requests >= 4 && ntfy.requests <= 8,
      `${ntfy.requests} attempts in a minute for two persons: the wait grows each time`,
    );
    t.ok(queue.receivers().length === 2, "kept meanwhile");
    t.equal((await home.call("DELETE", `/api/persons/${ravi.id}`)).status, 200);
    t.same(
      queue.receivers().map(({ accountId: id }) => id),
      [home.hub.access.accounts.owner()?.id],
      "nothing waits for a removed person",
    );
    await pass(2 * 3_600_000, 60_000);
    ntfy.failWith = null;
    await pass(15 * 60_000, 30_000);
    t.hasStrict(
      ntfy.messages,
      [{ topic: "olga", title: "The database is damaged", priority: 4 }],
      "the gate's message of two hours ago is not sent",
    );
    t.equal(ntfy.messages.length, 1);
    await pass(10_000);
    t.same(queue.receivers(), []);
  },
);

t.test("nobody is told of their own acts, nor by a rule of what they have just done", async (t) => {
  const home = await house(t);
  const ntfy = await startNtfy(t);
  await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
  await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
  const topics = { opened: { channels: ["console", "ntfy"], urgent: false } };
  await home.call("PATCH", "/api/notifications/preferences", { topics });
  const unread = async (): Promise<unknown> => (await home.call("GET", "/api/notifications/unread")).body;
  const before = await unread();
  const owner = home.hub.access.accounts.owner()?.id ?? 0;
  await home.record({ kind: "gate.opened", deviceId: "gate", title: "Olga opened the gate", body: "", by: owner });
  const rule = { kind: "automation.notify", title: "The gate is open", body: "" } as const;
  await home.record({ ...rule, becauseOf: "gate" });
  t.same(await unread(), before);
  const { notifications } = (await home.call("GET", "/api/notifications")).body as {
    notifications: { title: string }[];
  }; // its contract
  const titles = notifications.map(({ title }) => title);
  t.notOk(titles.includes("The gate is open") || titles.includes("Olga opened the gate"), "nor are they listed");
  await home.record({ ...rule, title: "The lamp is on", becauseOf: "lamp" });
  await until(() => ntfy.messages.length > 0);
  t.match(ntfy.messages[0], { title: "The lamp is on" }, "alone: nothing waited beside it");
  t.strictNotSame(await unread(), before, "what others did is news");
});

t.test("a sign-in with a new browser is sent and listed, and is nothing unread for the person themself", async (t) => {
  const home = await house(t);
  const ntfy = await startNtfy(t);
  await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
  await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
  const by = home.hub.access.accounts.owner()?.id ?? 0;
  const unread = async (): Promise<unknown> => (await home.call("GET", "/api/notifications/unread")).body;
  const before = await unread();
  const signedIn = { kind: "security.login", by } as const;
  const values = { name: "Olga", address: "10.0.0.9" };
  await home.record({ ...signedIn, text: { code: "security.login", ...values } });
  await home.record({ ...signedIn, text: { code: "security.loginNew", ...values } });
  await until(() => ntfy.messages.length > 0);
  t.match(ntfy.messages[0], { title: "Olga signed in with a new browser" }, "it may have been somebody else");
  t.same(await unread(), before);
  const { notifications } = (await home.call("GET", "/api/notifications")).body as {
    notifications: { kind: string; title: string; read: boolean }[];
  }; // its contract
  t.match(notifications[0], { title: "Olga signed in with a new browser", read: true });
  t.notOk(notifications.some(({ title }) => title === "Olga signed in"));
  await home.record({ ...signedIn, by: by + 1, text: { code: "security.login", ...values, name: "Ravi" } });
  t.strictNotSame(await unread(), before, "what others do is news");
});

t.test("batteries that are found weak within a minute are one message", async (t) => {
  const clock = new FakeClock(Date.parse("2026-03-01T06:30:00Z"));
  const home = await house(t, { clock });
  const ntfy = await startNtfy(t);
  await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
  await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
  await home.call("PATCH", "/api/notifications/preferences", {
    topics: { battery: { channels: ["console", "ntfy"], urgent: false } },
  });
  for (const place of ["Hall", "Attic", "Cellar", "Shed", "Porch"]) {
    const text = { code: "batteryLow", place } as const;
    await home.record({ kind: "device.battery_low", deviceId: place, text });
    clock.advance(5_000);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.equal(ntfy.messages.length, 0, "more may come");
  await until(() => {
    clock.advance(1_000);
    return ntfy.messages.length > 0;
  });
  t.match(ntfy.messages[0], { title: "5 batteries are nearly empty" });
  t.match(ntfy.messages[0]?.message, /Battery nearly empty: Hall\n/);
  await until(() => {
    clock.advance(1_000);
    return home.hub.notifications.notifications.queue.receivers().length === 0;
  });
  t.equal(ntfy.messages.length, 1, "nothing is left");
});

t.test("quiet by default: devices that come and go, and cars that are let in, tell nobody", async (t) => {
  const home = await house(t);
  const ntfy = await startNtfy(t);
  await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
  await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
  const shown = async (): Promise<readonly string[]> => {
    const { body } = await home.call("GET", "/api/notifications");
    return (body as { notifications: { kind: string }[] }).notifications.map(({ kind }) => kind); // its contract
  };
  const before = await shown();
  await home.record({ kind: "device.online", deviceId: "lamp", title: "Lamp is online", body: "" });
  await home.record({ kind: "device.offline", deviceId: "lamp", title: "Lamp is offline", body: "" });
  await home.record({
    kind: "plate.allowed",
    deviceId: "camera",
    text: {
      code: "plate.allowed",
      way: "in",
      plate: "MH 12 AB 1234",
      labelled: "no",
      label: "",
      camera: "Gate camera",
    },
  });
  await home.record(denied("MH 12 AB 9999"));
  await until(() => ntfy.messages.length > 0);
  t.equal(ntfy.messages.length, 1);
  t.match(ntfy.messages[0], { title: "MH 12 AB 9999 denied" }, "alone: nothing waited beside it");
  t.same(await shown(), ["plate.denied", ...before], "nor on the page");
  const topics = { offline: { channels: ["console", "ntfy"], urgent: false } };
  t.equal((await home.call("PATCH", "/api/notifications/preferences", { topics })).status, 200);
  await home.record({ kind: "device.offline", deviceId: "lamp", title: "Lamp is offline again", body: "" });
  await until(() => ntfy.messages.length > 1);
  t.match(ntfy.messages[1], { title: "Lamp is offline again" }, "who wants to know says so");
});

t.test("one message for one opening: who opened, not again that the gate is open", async (t) => {
  const clock = new FakeClock(Date.parse("2026-03-01T06:30:00Z"));
  const home = await house(t, { clock });
  const ntfy = await startNtfy(t);
  await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
  await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
  const topics = { opened: { channels: ["console", "ntfy"], urgent: false } };
  await home.call("PATCH", "/api/notifications/preferences", { topics });
  const { queue } = home.hub.notifications.notifications;
  const waiting = (): number => queue.receivers().length;
  const sent = async (n: number): Promise<void> => {
    await until(() => {
      clock.advance(1_000);
      return ntfy.messages.length === n && waiting() === 0;
    });
  };
  await home.record({ kind: "gate.opened", deviceId: "gate", title: "Olga opened the gate", body: "" });
  await home.record({ kind: "device.event", deviceId: "gate", title: "The gate is open", body: "", says: "opened" });
  await sent(1);
  t.match(ntfy.messages[0], { title: "Olga opened the gate" });
  await home.record({ kind: "device.event", deviceId: "door", title: "The door is open", body: "" });
  await sent(2);
  t.match(ntfy.messages[1], { title: "The door is open" }, "another device is another event");
  clock.advance(2 * 60_000);
  await home.record({ kind: "device.event", deviceId: "gate", title: "The gate is open", body: "", says: "opened" });
  await sent(3);
  t.match(ntfy.messages[2], { title: "The gate is open" }, "so is the same one later");
});

t.test(
  "a danger and a rule's message about it are one message, and one line that also says that it is over",
  async (t) => {
    const clock = new FakeClock(Date.parse("2026-03-01T06:30:00Z"));
    const home = await house(t, { clock });
    const ntfy = await startNtfy(t);
    await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
    await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
    const unread = async (): Promise<unknown> => (await home.call("GET", "/api/notifications/unread")).body;
    t.match(await unread(), { unread: 0 });
    const sent = async (n: number): Promise<void> => {
      await until(() => {
        clock.advance(1_000);
        return ntfy.messages.length === n && home.hub.notifications.notifications.queue.receivers().length === 0;
      });
    };
    const place = "Under the sink, Kitchen";
    await home.record({ kind: "device.danger", deviceId: "sink", text: { code: "danger.water", place } });
    const message = { kind: "automation.notify", title: "Water!", body: "" } as const;
    await home.record({ ...message, becauseOf: "sink" });
    await sent(1);
    t.match(ntfy.messages[0], {
      title: "Water: Under the sink, Kitchen",
      message: /^Close the water valve, then look\./,
      priority: 4,
    });
    t.match(await unread(), { unread: 1 });
    clock.advance(10 * 60_000);
    const at = new Date(clock.now()).toISOString();
    const over = { code: "dangerOver", kind: "water", place, at } as const;
    await home.record({ kind: "device.danger_over", deviceId: "sink", text: over });
    await sent(2);
    t.match(ntfy.messages[1], { title: "Dry again: Under the sink, Kitchen", priority: 3 }, "no phone rings for that");
    t.match(await unread(), { unread: 1 }, "still one line");
    await home.record({ ...message, title: "Still wet?", becauseOf: "sink" });
    await sent(3);
    t.match(ntfy.messages[2], { title: "Still wet?" }, "what a rule says later is said");
    t.match(await unread(), { unread: 2 });
  },
);

t.test("a mute holds back what is not urgent, for as long as was said or until it is taken back", async (t) => {
  const clock = new FakeClock(Date.parse("2026-03-01T06:30:00Z"));
  const home = await house(t, { clock });
  const ntfy = await startNtfy(t);
  await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
  await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
  const mute = async (muteMinutes: number): Promise<unknown> =>
    (await home.call("PATCH", "/api/notifications/preferences", { muteMinutes })).body.preferences.mutedUntil;
  const until7 = "2026-03-01T07:30:00.000Z";
  t.equal(await mute(60), until7);
  const { queue } = home.hub.notifications.notifications;
  const tell = (title: string): Promise<number> => home.record({ kind: "automation.notify", title, body: "" });
  await tell("Washing is done");
  t.same(queue.receivers(), []);
  const list = async () => (await home.call("GET", "/api/notifications")).body;
  t.match(await list(), { mutedUntil: until7, notifications: [{ title: "Washing is done" }] }, "the list has it");
  const place = "Hall";
  await home.record({ kind: "device.danger", deviceId: "hall", text: { code: "danger.smoke", place } });
  await until(() => {
    clock.advance(1_000);
    return ntfy.messages.length === 1;
  });
  t.match(ntfy.messages[0], { title: "Smoke: Hall" });
  t.equal(await mute(0), null);
  await tell("Two");
  t.equal(queue.receivers().length, 1);
  await mute(60);
  clock.advance(60 * 60_000);
  t.match(await list(), { mutedUntil: null });
  await tell("Three");
  t.equal(queue.receivers().length, 1);
});

t.test("the number at the bell is that of the lines: many devices at once are one", async (t) => {
  const home = await house(t);
  await home.call("PATCH", "/api/notifications/preferences", {
    topics: { offline: { channels: ["console"], urgent: false } },
  });
  for (let n = 0; n < 150; n++)
    await home.record({ kind: "device.offline", deviceId: `lamp${n}`, title: `Lamp ${n} is offline`, body: "" });
  await home.record({ kind: "device.event", deviceId: "bell", title: "Somebody rings", body: "" });
  t.match((await home.call("GET", "/api/notifications/unread")).body, { unread: 2 });
});

t.test("a flood of one kind hides nothing else", async (t) => {
  const home = await house(t);
  const ntfy = await startNtfy(t);
  await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
  await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
  const { feed } = home.hub;
  const { database, clock } = home.hub.base;
  await database.write(() => {
    const item = { siteId: home.siteId, deviceId: null, at: clock.now() };
    for (let i = 0; i < 500; i++) {
      const text = { code: "security.login_failed", address: `192.168.1.${i % 250}`, email: "x@example.org" } as const;
      feed.feed.record({ ...item, kind: "security.login_failed", text });
    }
    feed.feed.record({ ...item, ...denied("MH 12 AB 1234"), deviceId: "camera" });
  });
  await until(() => ntfy.messages.length === 1);
  t.match(ntfy.messages[0], { title: "21 things happened", priority: 4 });
  t.match(ntfy.messages[0]?.message, /^MH 12 AB 1234 denied\nSign-in refused\n/, "the vehicle comes first");
});

t.test(
  "quiet hours: the household's zone, over midnight; what a person marks as urgent comes all the same",
  async (t) => {
    const clock = new FakeClock(Date.parse("2026-03-01T17:00:00Z")); // 22:30 in Kolkata
    const home = await house(t, { clock });
    await home.call("PATCH", "/api/site", { timeZone: "Asia/Kolkata" });
    const ntfy = await startNtfy(t);
    await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
    await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
    await home.call("PATCH", "/api/notifications/preferences", { quiet: { from: "22:00", to: "06:30" } });
    const { queue } = home.hub.notifications.notifications;
    await home.record({ kind: "automation.notify", title: "Good night", body: "" });
    t.same(queue.receivers(), [], "nothing rings");
    t.match((await home.call("GET", "/api/notifications/unread")).body, { unread: 1 }, "the console has it");
    await home.call("PATCH", "/api/notifications/preferences", {
      topics: { message: { channels: ["ntfy"], urgent: true } },
    });
    await home.record({ kind: "automation.notify", title: "Smoke", body: "" });
    clock.advance(1);
    await until(() => ntfy.messages.length === 1);
    t.match(ntfy.messages[0], { title: "Smoke", priority: 4 });
    t.equal(isQuiet({ from: "22:00", to: "06:30" }, "Asia/Kolkata", Date.parse("2026-03-02T00:59:59Z")), true);
    t.equal(
      isQuiet({ from: "22:00", to: "06:30" }, "Asia/Kolkata", Date.parse("2026-03-02T01:00:00Z")),
      false,
      "06:30 is not quiet any more",
    );
    t.equal(isQuiet({ from: "13:00", to: "14:00" }, "Asia/Kolkata", Date.parse("2026-03-02T07:30:00Z")), true);
    t.equal(
      isQuiet({ from: "13:00", to: "13:00" }, "Asia/Kolkata", Date.parse("2026-03-02T07:30:00Z")),
      false,
      "no hours at all",
    );
  },
);

t.test("pending messages survive a restart, a deleted vehicle is not mentioned, and secrets are sealed", async (t) => {
  const home = await house(t);
  const ntfy = await startNtfy(t);
  ntfy.failWith = 500;
  await home.call("PUT", "/api/notifications/channels/ntfy", {
    enabled: true,
    server: ntfy.url,
    pictures: false,
    token: "tk_very_secret",
  });
  await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
  await home.record({ ...denied("MH 12 AB 1234"), plates: ["MH12AB1234"] });
  await home.record({ kind: "automation.notify", title: "Kept", body: "" });
  await until(() => ntfy.requests > 0);
  await home.hub.base.database.write(() => home.hub.feed.feed.forgetPlate(home.siteId, "MH12AB1234"));
  await home.hub.stop();
  t.equal((await readFile(join(home.dataFolder, "gatehouse.db"))).includes("tk_very_secret"), false);
  ntfy.failWith = null;
  const again = await startConsoleHub(t, { folder: home.dataFolder, claim: false });
  await until(() => again.hub.notifications.deliverer.figures.sent === 1); // it counts the answered ones
  t.match(ntfy.messages, [{ title: "Kept" }]);
  t.equal(ntfy.messages.length, 1);
});

t.test("Web Push: a question has two buttons in the reader's language, and waits behind nothing", async (t) => {
  const home = await house(t);
  const service = await startPushService(t, certificate);
  const channel = { enabled: true, contact: "owner@example.org", hosts: ["127.0.0.1"], pictures: true };
  const { publicKey } = (await home.call("PUT", "/api/notifications/channels/push", channel)).body.channels.push as {
    publicKey: string;
  };
  const browser = service.subscribe(publicKey);
  const { endpoint, p256dh, auth } = browser;
  await home.call("POST", "/api/notifications/subscriptions", { endpoint, p256dh, auth, label: "Phone" });
  await home.call("PATCH", "/api/notifications/preferences", { language: "hi" });
  await home.call("POST", "/api/devices", { id: "camera", name: "Entry", type: "camera" });
  await home.call("POST", "/api/devices", { id: "gate", name: "Gate", type: "gate" });
  await home.call("PATCH", "/api/cameras/camera", { gate: { deviceId: "gate", command: { open: true } } });
  await home.hub.gate.rules.create(home.siteId, { plate: "MH12AB1234", label: "Asha", earns: "confirm" }, "session:1");
  for (const title of ["One", "Two", "Three"]) await home.record({ kind: "device.event", title, body: "" });
  await until(() => browser.messages.length > 0);
  const begun = Date.now();
  await passOf(home.hub, "camera", "MH12AB1234", "in");
  const asked = () => browser.messages.find(({ payload }) => "question" in payload);
  await until(() => asked() !== undefined);
  t.ok(Date.now() - begun < 3_500, "without the rest that follows each message");
  const [question] = home.hub.gate.questions.list(home.siteId);
  t.match(asked(), {
    payload: {
      title: "क्या MH 12 AB 1234 को आने दें?",
      path: "/gate",
      urgent: true,
      picture: `/v1/gate-questions/${question?.id}/image`,
      question: { id: question?.id, readId: question?.readId, open: "खोलें", keepShut: "बंद रखें" },
    },
    urgency: "high",
  });
  t.ok((asked()?.ttl ?? 0) <= 60, "and nobody gets it later");
});
