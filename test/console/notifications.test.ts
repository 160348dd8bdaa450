/**
 * Notifications and the installed app as a person meets them: a real browser with its service worker, a real hub, real
 * receivers.
 */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import t from "tap";
import { startHubProcess } from "../support/hub-process.ts";
import { startMail, startNtfy, startPushService, testCertificate, until } from "../support/receivers.ts";
import { testFolder } from "../support/test-folder.ts";
import { cannotBrowse, connectDevice, holds, SIZES, startOwnedStage, violations, visit } from "./stage.ts";

t.setTimeout(600_000); // it ends a hang: on a busy machine a hub, a browser and all these pages take minutes
/** Chromium with windows: only it shows notifications. */
const WINDOWED = "/usr/bin/chromium";
const PASSWORD = "correct horse battery staple";
const HARD_NAME = "0x00158d0001a2b3c4_living_room_ceiling_light_with_a_name_that_nobody_would_give_but_a_bridge_does_"
  .repeat(2)
  .slice(0, 120);

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const card = (page: Page, title: string) =>
  page.locator(".card", { has: page.getByRole("heading", { level: 2, name: title, exact: true }) });

t.test("a person is notified", { skip: cannotBrowse }, async (t) => {
  const folder = testFolder(t);
  const certificate = await testCertificate(join(folder, "receivers"));
  const authority = join(folder, "authority.pem");
  await writeFile(authority, certificate.authority);
  const stage = await startOwnedStage(join(folder, "data"), {
    env: { NODE_EXTRA_CA_CERTS: authority, GATEHOUSE_ALLOWED_HOSTS: "hub.example" },
    switches: ["--host-resolver-rules=MAP hub.example 127.0.0.1"],
    worker: true,
  });
  t.teardown(stage.stop);
  const ntfy = await startNtfy(t);
  const service = await startPushService(t, certificate);
  const { desktop, phone } = stage.pages;
  const made = (await (
    await desktop.request.post("/v1/automations", {
      data: {
        name: "Water",

        trigger: { type: "time", at: "07:00" },
        action: { type: "notify", title: "The tank is nearly empty", body: HARD_NAME },
      },
    })
  ).json()) as { automation: { id: number } }; // its contract
  const tell = async (): Promise<void> =>
    void (await desktop.request.post(`/api/automations/${made.automation.id}/run`, { data: {} }));

  await t.test("an owner sets ntfy up; a test shows the server's real answer", async (t) => {
    ntfy.token = "tk_right";
    await desktop.goto("/notifications/settings");
    const mine = card(desktop, "How messages reach you");
    const dialog = desktop.getByRole("dialog");
    await mine.getByRole("button", { name: "Set up ntfy" }).click();
    await dialog.getByLabel("Address of the ntfy server").pressSequentially(ntfy.url);
    await dialog.getByLabel("Access token").pressSequentially("tk_wrong");
    await dialog.getByRole("button", { name: "Save" }).click();
    await mine.getByRole("button", { name: "Change your topic" }).click();
    await dialog.getByRole("button", { name: "Suggest one" }).click();
    const topic = await dialog.getByLabel("Your topic").inputValue();
    t.match(topic, /^gatehouse-\w{16}$/);
    await dialog.getByRole("button", { name: "Save" }).click();
    await mine.getByRole("button", { name: "Send a test by ntfy" }).click();
    await mine.getByText("answered 401: the token is wrong, or may not write to this topic").first().waitFor();
    await mine.getByRole("button", { name: "Change ntfy" }).click();
    await dialog.getByText("Stored. Leave empty to keep it.").waitFor();
    await dialog.getByLabel("Access token").pressSequentially("tk_right");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await mine.getByRole("button", { name: "Send a test by ntfy" }).click();
    await mine.getByText("The ntfy server took it.").waitFor();
    t.hasStrict(ntfy.messages, [{ topic, title: "Gatehouse can reach you" }]);
    const mail = await startMail(t, { certificate, password: "s3cret" });
    const server = {
      enabled: true,
      host: "127.0.0.1",
      port: mail.port,
      security: "starttls",
      user: "hub",
      from: "gate@example.org",
      pictures: true,
    };
    await desktop.request.put("/api/notifications/channels/email", { data: { ...server, password: "s3cret" } });
    await desktop.reload();
    await mine.getByLabel("Send to asha@example.org").check();
    await mine.getByRole("button", { name: "Send a test by e-mail" }).click();
    await mine.getByText("The mail server took it.").waitFor();
    t.match(mail.mails, [{ to: ["asha@example.org"], encrypted: true, user: "hub" }]);
    await mine.getByLabel("Send to asha@example.org").uncheck();
  });

  await t.test("new items are counted in the navigation until read, and also arrive by ntfy", async (t) => {
    const { notifications } = (await (await phone.request.get("/api/notifications")).json()) as {
      notifications: { id: number }[];
    }; // its contract
    // the sign-ins of this test
    await phone.request.post("/api/notifications/read", { data: { upToId: notifications[0]?.id } });
    await phone.goto("/");
    await tell();
    await phone.getByRole("link", { name: "Notifications 1 new" }).click();
    await phone.getByText("The tank is nearly empty").first().waitFor();
    await until(() => ntfy.messages.length === 2);
    t.match(ntfy.messages[1], { message: HARD_NAME });
    await phone.reload();
    await phone.getByRole("link", { name: "Notifications 1 new" }).waitFor(); // looking is not reading
    await button(phone, "More actions").click();
    await button(phone, "Mark all as read").click();
    await phone.getByRole("link", { name: "Notifications", exact: true }).waitFor();
    await phone.reload();
    await phone.getByText("The tank is nearly empty").first().waitFor();
    await button(phone, "More actions").click();
    await button(phone, "Mute for 1 hour").waitFor();
    t.equal(await button(phone, "Mark all as read").count(), 0, "nothing is left to read");
  });

  await t.test("each topic by its own channels, and quiet hours", async (t) => {
    await visit(phone, "/notifications/settings");
    const group = phone.locator("summary", { hasText: "Devices and automations" });
    await group.click();
    const messages = phone.getByRole("group", { name: "Messages of automations" });
    await messages.getByRole("button", { name: "ntfy" }).click();
    await messages.getByRole("button", { name: "List" }).press("Enter");
    await phone.getByLabel("Only urgent messages at certain hours").check();
    await phone.getByLabel("From", { exact: true }).fill("21:30");
    const chosen = async () =>
      (
        (await (await phone.request.get("/api/notifications/preferences")).json()) as {
          preferences: { quiet: { from: string } | null };
        }
      ).preferences; // its contract
    await until(async () => (await chosen()).quiet?.from === "21:30"); // a time is saved once it is typed
    await phone.reload();
    await group.click();
    await messages.getByRole("button", { name: "ntfy", pressed: false }).waitFor();
    t.equal(await messages.getByRole("button", { name: "List" }).getAttribute("aria-pressed"), "false");
    t.equal(await phone.getByLabel("From", { exact: true }).inputValue(), "21:30");
    t.match(await chosen(), {
      quiet: { from: "21:30", to: "06:30" },
      topics: { message: { channels: ["push", "email"], urgent: false } },
    });
    await phone.getByLabel("Only urgent messages at certain hours").uncheck();
    await until(async () => (await chosen()).quiet === null);
    await messages.getByRole("button", { name: "List" }).click();
    await phone.locator("summary", { hasText: "At the gate" }).click();
    await phone.getByText("8 of 9").waitFor();
    const all = phone.getByRole("group", { name: "All of these" }).first();
    await all.getByRole("button", { name: "List" }).click();
    await phone.getByText("9 of 9").waitFor();
    const watched = phone.getByRole("group", { name: "A watched vehicle" });
    await watched.getByRole("button", { name: "ntfy", pressed: true }).waitFor(); // the other ways stay
    await phone.locator("summary", { hasText: "The hub" }).click();
    const signIns = phone.getByRole("group", { name: "Sign-ins and keys" });
    await signIns.getByRole("button", { name: "Urgent", pressed: true }).waitFor();
  });

  await t.test("the ways stand below each other, and a danger that nothing is sent of says so", async (t) => {
    await phone.setViewportSize({ width: 360, height: 800 });
    for (const [page, language, name] of [
      [phone, "hi", "अलार्म और रिसाव"],
      [phone, "en", "Alarms and leaks"],
      [desktop, "en", "Alarms and leaks"],
    ] as const) {
      await page.evaluate(`localStorage.setItem("gatehouse.language", "${language}")`);
      await visit(page, "/notifications/settings");
      await page.getByText(name).first().waitFor();
      for (const summary of await page.locator("details.group > summary").all())
        if ((await summary.locator("..").getAttribute("open")) === null) await summary.click();
      const places = await page
        .locator(".topic-ways")
        .evaluateAll((rows) =>
          rows.map((row) => [...row.children].map((chip) => Math.round(chip.getBoundingClientRect().left)).join()),
        );
      t.ok(places.length > 15);
      t.equal(new Set(places).size, 1, "each way is one column");
      const sizes = await page
        .locator(".topic-ways > button")
        .evaluateAll((chips) => chips.map((chip) => [chip.clientHeight, chip.scrollWidth - chip.clientWidth]));
      t.ok(sizes.length > 60);
      t.ok(
        sizes.every(([height = 0, over = 1]) => height >= 42 && over <= 0),
        "large enough, and no word is cut",
      );
    }
    await phone.setViewportSize(SIZES.phone);
    const danger = phone.getByRole("group", { name: "Alarms and leaks" });
    await danger.getByRole("button", { name: "ntfy", pressed: true }).click();
    await phone.getByText("Nothing of this is sent to you").waitFor();
    await danger.getByRole("button", { name: "List", pressed: true }).click();
    await phone.getByText("You are told nothing of this.").waitFor();
    for (const name of ["List", "ntfy"]) await danger.getByRole("button", { name, pressed: false }).click();
    await phone.getByText("You are told nothing of this.").waitFor({ state: "detached" });
  });

  await t.test("a leak is one line with its room: what a rule did, since when, and where to look", async (t) => {
    const sensor = (await (
      await desktop.request.post("/api/devices", {
        data: { id: "sink", name: "Under the sink", type: "sensor", room: "Kitchen" },
      })
    ).json()) as { password: string }; // its contract
    const { client } = await connectDevice(stage, "sink", sensor.password);
    const rule = {
      name: "Water off",
      trigger: { type: "state", deviceId: "sink", field: "leak", op: "truthy" },
      action: {
        type: "sequence",
        actions: [
          { type: "notify", title: "There is water", body: "" },
          { type: "command", deviceId: "sink", command: { valve: false } },
        ],
      },
    };
    await desktop.request.post("/v1/automations", { data: rule });
    for (const leak of [false, true])
      await client.publishAsync("gatehouse/sink/state", JSON.stringify({ leak }), { qos: 1 });
    await visit(phone, "/notifications");
    const line = phone.locator(".feed > li", { hasText: "Water: Under the sink, Kitchen" });
    await line.getByText("There is water", { exact: true }).waitFor();
    await line.getByText(/^Water off · Done:/).waitFor();
    await line.getByText(/^Since \d\d:\d\d · Close the water valve, then look\.$/).waitFor();
    t.equal(await line.getAttribute("data-danger"), "now", "it looks like nothing else in the list");
    t.equal(await line.getByRole("link", { name: "Show the device: Under the sink" }).count(), 1);
    await line.getByRole("button", { name: "More for Under the sink" }).click();
    await line.getByRole("link", { name: "Show the room" }).click();
    await phone.getByRole("heading", { level: 1, name: "Kitchen" }).waitFor();
    await client.endAsync();
  });

  await t.test("muted for an hour, and no more", async (t) => {
    await visit(phone, "/notifications");
    const begin = async (): Promise<void> => {
      await button(phone, "More actions").click();
      await button(phone, "Mute for 1 hour").click();
    };
    await begin();
    await phone.getByText(/^Until .* only what is urgent is sent to you\.$/).waitFor();
    await phone.reload();
    await button(phone, "End the mute").click();
    await phone.getByText("only what is urgent is sent").waitFor({ state: "detached" });
    await button(phone, "More actions").click();
    await button(phone, "Mute for 1 hour").waitFor();
    t.equal(await phone.getByText("only what is urgent is sent").count(), 0);
  });

  await t.test("Web Push: switched on in a browser, encrypted for it, and ended with its session", async (t) => {
    // Chromium without windows refuses notifications, and this machine reaches no browser maker's push service: these
    // two are simulated, all else is real.
    await desktop.addInitScript("Object.defineProperty(Notification, 'permission', { get: () => 'granted' })");
    await desktop.goto("/notifications/settings");
    await card(desktop, "How messages reach you").getByRole("button", { name: "Set up Push" }).click();
    await desktop.getByRole("dialog").getByLabel("Further push services").fill("127.0.0.1");
    await desktop.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    const mine = card(desktop, "How messages reach you");
    await mine.getByText("No phone or computer gets messages yet.").waitFor();
    const { preferences } = (await (await desktop.request.get("/api/notifications/preferences")).json()) as {
      preferences: { push: { publicKey: string } };
    }; // its contract
    const browser = service.subscribe(preferences.push.publicKey);
    await desktop.evaluate(`(() => {
      const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0)).buffer;
      const keys = { p256dh: bytes(${JSON.stringify(browser.p256dh)}), auth: bytes(${JSON.stringify(browser.auth)}) };
      PushManager.prototype.subscribe = async () => ({ endpoint: ${JSON.stringify(browser.endpoint)}, getKey: (name) => keys[name] });
      Notification.requestPermission = async () => "granted";
    })()`);
    await button(desktop, "Get messages on this computer").click();
    await desktop.getByText("A test message is on its way").waitFor();
    t.match(browser.messages, [{ payload: { title: "Gatehouse can reach you", path: "/notifications" } }]);
    await mine.getByText("this browser").waitFor();
    await mine.getByRole("button", { name: /^Send a test to Chrome/ }).click();
    await mine.getByText("The push service took it.").waitFor();
    t.equal(browser.messages.length, 2);
    t.same(service.refusals, []);
    await desktop.request.delete("/api/session");
    await desktop.request.post("/api/session", { data: { email: "asha@example.org", password: PASSWORD } });
    const after = (await (await desktop.request.get("/api/notifications/preferences")).json()) as {
      preferences: { push: object };
    }; // its contract
    t.match(after.preferences.push, { subscriptions: [] }, "it ended with the session");
  });

  await t.test(
    "the worker shows pushed notifications, and a tap opens their page",
    { skip: !existsSync(WINDOWED) && "needs the whole of Chromium" },
    async (t) => {
      const browser = await chromium.launch({
        executablePath: WINDOWED,
        args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
      });
      t.teardown(() => browser.close());
      const context = await browser.newContext({
        baseURL: stage.hub.url,
        storageState: await desktop.context().storageState(),
      });
      await context.grantPermissions(["notifications"], { origin: stage.hub.url });
      const page = await context.newPage();
      const tools = await context.newCDPSession(page);
      const registration = new Promise<string>((resolve) => {
        tools.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
          const active = versions.find(({ status }) => status === "activated");
          if (active !== undefined) resolve(active.registrationId);
        });
      });
      await tools.send("ServiceWorker.enable");
      await page.goto("/notifications");
      const data = JSON.stringify({
        title: "MH 12 AB 1234 denied",
        body: "at Gate camera",
        at: Date.now(),
        urgent: true,
        path: "/gate",
        picture: "/v1/plates/1/image",
      });
      await tools.send("ServiceWorker.deliverPushMessage", {
        origin: stage.hub.url,
        registrationId: await registration,
        data,
      });
      const shown = await page.evaluate(`new Promise((resolve) => {
      const look = async () => {
        const [first] = await (await navigator.serviceWorker.ready).getNotifications();
        if (first === undefined) setTimeout(look, 50);
        else resolve({ title: first.title, body: first.body, data: first.data, requireInteraction: first.requireInteraction });
      };
      void look();
    })`);
      t.same(shown, {
        title: "MH 12 AB 1234 denied",
        body: "at Gate camera",
        data: { path: "/gate", question: null },
        requireInteraction: true,
      });
      await page.evaluate(
        "navigator.serviceWorker.dispatchEvent(new MessageEvent('message', { data: { go: '/gate' } }))",
      ); // the worker's message after a tap
      await page.getByRole("heading", { level: 1, name: "Gate" }).waitFor();
    },
  );

  await t.test("nothing is too wide on a phone, and axe finds nothing in either theme", async (t) => {
    await phone.setViewportSize({ width: 360, height: 780 });
    for (const path of ["/notifications", "/notifications/settings"]) {
      await visit(phone, path);
      await phone.getByRole("heading", { level: 2 }).or(phone.getByText("Everything that happened")).first().waitFor();
      if (path.endsWith("settings"))
        for (const summary of await phone.locator("main summary").all()) await summary.click();
      const beyond = await phone.evaluate("document.documentElement.scrollWidth - innerWidth");
      t.ok(Number(beyond) <= 0, `${path} is ${String(beyond)} px too wide`);
      for (const scheme of ["light", "dark"] as const) {
        await phone.emulateMedia({ colorScheme: scheme });
        t.same(await violations(phone), [], `${path} ${scheme}`);
      }
    }
    await phone.emulateMedia({ colorScheme: null });
    await phone.setViewportSize(SIZES.phone);
  });

  await t.test("over plain http everything works without a worker, and the page says what is missing", async (t) => {
    const port = new URL(stage.hub.url).port;
    const context = await stage.browser.newContext({ locale: "en-GB" });
    const page = await context.newPage();
    await page.goto(`http://hub.example:${port}/notifications/settings`);
    await page.getByLabel("E-mail").fill("asha@example.org");
    await page.getByLabel("Password").fill(PASSWORD);
    await button(page, "Sign in").click();
    await page.getByText("You opened the console without encryption.").waitFor();
    await page.getByText("Push needs the encrypted connection").waitFor();
    t.equal(await page.evaluate("isSecureContext || 'serviceWorker' in navigator"), false);
    await context.close();
  });

  await t.test(
    "the worker keeps only the page, for an unreachable hub; the console recovers by itself at its own address",
    async (t) => {
      await phone.goto("/gate");
      await phone.evaluate("navigator.serviceWorker.ready.then(() => true)");
      await holds(phone, "navigator.serviceWorker.controller !== null");
      const kept = await phone.evaluate(
        `caches.keys().then((names) => Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname))))`,
      );
      const [files, ...others] = kept as string[][]; // the script above returns lists of paths
      t.same(others, []);
      for (const wanted of [/^\/assets\/offline-.*\.css$/, /^\/assets\/offline-.*\.js$/, /^\/offline\/offline\.html$/])
        t.equal(files?.filter((file) => wanted.test(file)).length, 1, String(wanted));
      t.equal(files?.length, 3);
      const worker = await phone.request.get("/sw.js");
      t.equal(worker.headers()["cache-control"], "no-cache", "an update is found at once");
      t.match(worker.headers()["content-security-policy"], /^default-src 'self'; script-src 'self'/);
      const { port } = new URL(stage.hub.url);
      const mqtt = String(stage.hub.mqttPort);
      await stage.hub.stop();
      await phone.goto("/devices/lamp-1");
      await phone.getByRole("heading", { level: 1, name: "The hub is away" }).waitFor();
      t.same(await violations(phone), []);
      const again = await startHubProcess(join(folder, "data"), {
        GATEHOUSE_HTTP_PORT: port,
        GATEHOUSE_MQTT_PORT: mqtt,
      });
      t.teardown(() => again.stop());
      await phone.getByRole("heading", { level: 1 }).filter({ hasNotText: "The hub is away" }).waitFor();
      t.equal(new URL(phone.url()).pathname, "/devices/lamp-1", "at the requested page");
      await phone.getByRole("link", { name: "Home", exact: true }).first().waitFor();
    },
  );
});
