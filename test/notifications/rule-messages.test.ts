/**
 * A rule's message to the persons whom it is for, with its picture: from photographs of a car and an owner's rule to
 * the push service of a phone, which fetches the picture with its own session. Hub, recogniser and receivers are real.
 */
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import t, { type Test } from "tap";
import { mayHear } from "../../src/core/api/fact-rights.ts";
import { scopesOf } from "../../src/features/access/roles.ts";
import { send } from "../support/api-client.ts";
import { type ConsoleHub, cookieOf, startConsoleHub } from "../support/console-hub.ts";
import { anotherFrame, photographs, withoutModels } from "../support/photographs.ts";
import { startNtfy, startPushService, testCertificate, until } from "../support/receivers.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(120_000);

const certificate = await testCertificate(testFolder(t));
setDefaultCACertificates([...getCACertificates("default"), certificate.authority]);

type Call = ConsoleHub["call"];

/** Calls with a session; the console's own are checked against its document. */
function callWith({ api, port }: Pick<ConsoleHub, "api" | "port">, cookie: string): Call {
  return (method, path, body) => {
    const options = { headers: { Cookie: cookie }, ...(body === undefined ? {} : { json: body }) };
    return path.startsWith("/v1/") ? send(port, method, path, options) : api.call(method, path, options);
  };
}

/** A member who has joined, with calls of their own. */
async function member(home: ConsoleHub, name: string): Promise<{ readonly id: number; readonly call: Call }> {
  const { access } = home.hub;
  const householdId = access.accounts.owner()?.id ?? 0;
  const { code } = await access.persons.invite(
    householdId,
    { name, role: "member" },
    { accountId: householdId, actor: "cli" },
  );
  const json = { code, name, email: `${name.toLowerCase()}@example.org`, password: "a quiet sentence about rain" };
  const cookie = cookieOf(await home.api.post("/api/join", { json }));
  return {
    id: access.accounts.byEmail(json.email)?.id ?? 0,
    call: callWith(home, cookie),
  };
}

async function house(t: Test) {
  // a busy machine may take its time
  const hub = await startConsoleHub(t, {
    env: { GATEHOUSE_RECOGNITION: "true", GATEHOUSE_RECOGNITION_BUDGET_MS: "60000" },
  });
  const home = { ...hub, call: callWith(hub, hub.cookie) };
  const service = await startPushService(t, certificate);
  const channel = { enabled: true, contact: "owner@example.org", hosts: ["127.0.0.1"], pictures: true };
  const set = await home.call("PUT", "/api/notifications/channels/push", channel);
  const phoneOf = async (call: Call) => {
    const browser = service.subscribe(set.body.channels.push.publicKey);
    const { endpoint, p256dh, auth } = browser;
    const answer = await call("POST", "/api/notifications/subscriptions", { endpoint, p256dh, auth, label: "Phone" });
    t.equal(answer.status, 201);
    return browser;
  };
  await home.call("POST", "/api/devices", { id: "camera", name: "Entry", type: "camera" });
  await home.call("POST", "/api/devices", { id: "bell", name: "Bell", type: "sensor" });
  /** A car passes the camera, in as many pictures as a burst has. */
  const pass = (jpeg: Buffer) =>
    home.hub.cameras.cameras.push("camera", [anotherFrame(jpeg), anotherFrame(jpeg), anotherFrame(jpeg)], {
      direction: "in",
    });
  const rule = (action: object, trigger: object = { type: "plate", decision: "allow" }) =>
    home.call("POST", "/v1/automations", { name: "Tell", trigger, action: { type: "notify", body: "", ...action } });
  return { ...home, phoneOf, pass, rule };
}

t.test("an allowed car: the person whom the rule names has the car's picture", { skip: withoutModels }, async (t) => {
  const home = await house(t);
  const [car] = await photographs();
  const ravi = await member(home, "Ravi");
  const phones = { olga: await home.phoneOf(home.call), ravi: await home.phoneOf(ravi.call) };
  await home.call("POST", "/v1/plate-rules", { plate: car.plate, label: "Family" });
  const made = await home.rule({ title: "{plate} is here", to: [`person:${ravi.id}`], picture: { type: "read" } });
  t.hasStrict(made.body.automation?.action, { to: [`person:${ravi.id}`], picture: { type: "read" } });
  await home.pass(car.jpeg);
  await until(() => phones.ravi.messages.length > 0);
  const [read] = (await home.call("GET", "/v1/plates")).body.plates;
  t.match(phones.ravi.messages[0], {
    payload: {
      title: `${car.plate} is here`,
      path: `/gate/reads/${read.id}`,
      picture: `/v1/plates/${read.id}/image`,
    },
  });
  const picture = await ravi.call("GET", String(phones.ravi.messages[0]?.payload.picture));
  t.equal(picture.status, 200);
  t.equal(picture.headers["content-type"], "image/jpeg");

  const shown = async (call: Call) =>
    (await call("GET", "/api/notifications")).body.notifications.map(({ title }: { title: string }) => title);
  t.same(await shown(ravi.call), [`${car.plate} is here`]);
  t.same(await shown(home.call), [], "it is not for the owner");
  const { events } = (await home.call("GET", "/v1/events")).body;
  t.ok(
    events.some(({ title }: { title: string }) => title === `${car.plate} is here`),
    "an owner finds it in the feed",
  );
  t.equal(phones.olga.messages.length, 0);
});

t.test(
  "what a camera shows goes along, for owners only, while it is about the moment",
  { skip: withoutModels },
  async (t) => {
    const home = await house(t);
    const [car] = await photographs();
    const ravi = await member(home, "Ravi");
    const ntfy = await startNtfy(t);
    await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: true });
    await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga" });
    await ravi.call("PUT", "/api/notifications/ntfy-topic", { topic: "ravi" });
    await home.rule(
      { title: "Somebody rings", to: ["owners"], picture: { type: "camera", deviceId: "camera" } },
      { type: "event", deviceId: "bell", kind: "ring" },
    );
    const ring = () =>
      home.hub.base.bus.announce("device.event", {
        siteId: home.hub.access.accounts.siteIdOf(home.hub.access.accounts.owner()?.id ?? 0, "live"),
        deviceId: "bell",
        kind: "ring",
        title: "Ring",
        body: "",
        at: home.hub.base.clock.now(),
      });
    ring();
    await until(() => ntfy.messages.length === 1);
    t.hasStrict(ntfy.messages[0], { topic: "olga", title: "Somebody rings", attachment: null }, "no picture yet");
    await home.pass(car.jpeg);
    ring();
    const rings = () => ntfy.messages.filter(({ title }) => title === "Somebody rings");
    await until(() => rings().length === 2);
    t.same([...new Set(rings().map(({ topic }) => topic))], ["olga"]);
    const picture = rings()[1];
    t.match(picture, { click: /\/devices\/camera$/ });
    t.ok((picture?.attachment?.bytes.length ?? 0) > 1_000);
  },
);

t.test("what a rule says to chosen persons is seen by them and by owners, by nobody else and by no key", async (t) => {
  const home = await house(t);
  const [ravi, meera] = [await member(home, "Ravi"), await member(home, "Meera")];
  const made = await home.rule({ title: "Olga has left", to: [`person:${ravi.id}`] });
  const heard = new Map<string, string[]>();
  for (const [name, { id, role }] of Object.entries({
    ravi: { id: ravi.id, role: "member" as const },
    meera: { id: meera.id, role: "member" as const },
  })) {
    const { accounts } = home.hub.access;
    const siteId = accounts.siteIdOf(accounts.owner()?.id ?? 0, "live");
    const hearer = {
      ...{ method: "session" as const, role, scopes: scopesOf(role) },
      accountId: id,
      siteId,
      actor: "x",
    };
    home.hub.base.bus.on("feed.added", name, (fact) => {
      if (mayHear(hearer, "feed.added", fact)) heard.set(name, [...(heard.get(name) ?? []), fact.title]);
    });
  }
  await home.call("POST", `/api/automations/${made.body.automation.id}/run`);
  const titles = async (call: Call) => {
    const { events } = (await call("GET", "/v1/events")).body;
    const { activity } = (await call("GET", "/api/activity?of=automation")).body;
    const { notifications } = (await call("GET", "/api/notifications")).body;
    return JSON.stringify([events, activity, notifications]);
  };
  await until(async () => (await titles(home.call)).includes("automation.fired"));
  t.match(await titles(home.call), /Olga has left/, "an owner writes the rules");
  t.match(await titles(ravi.call), /Olga has left/);
  t.notMatch(await titles(meera.call), /Olga has left/);
  t.same(heard.get("ravi")?.includes("Olga has left"), true);
  t.same(heard.get("meera")?.includes("Olga has left"), false);
});

t.test("who left is told no more; nobody from elsewhere, and no device that is not there, can be named", async (t) => {
  const home = await house(t);
  const ravi = await member(home, "Ravi");
  const made = await home.rule({ title: "Hello", to: [`person:${ravi.id}`] });
  const { id } = made.body.automation;
  const refused = async (more: object) => (await home.rule({ title: "Hello", ...more })).body.error;
  t.hasStrict(await refused({ to: ["person:99999"] }), {
    code: "invalid_body",
    details: [{ field: "/action/to/0", code: "unknown_person" }],
  });
  t.hasStrict(await refused({ to: ["olga"] }), { details: [{ field: "/action/to/0", code: "bad_format" }] });
  t.hasStrict(await refused({ to: [] }), { details: [{ field: "/action/to", code: "too_few" }] });
  t.hasStrict(await refused({ picture: { type: "camera", deviceId: "nowhere" } }), { code: "device_not_owned" });
  t.equal((await home.call("DELETE", `/api/persons/${ravi.id}`)).status, 200);
  await home.call("POST", `/api/automations/${id}/run`);
  const steps = async () => (await home.call("GET", `/api/automations/${id}/traces`)).body.traces[0]?.steps;
  const deadline = Date.now() + 5_000;
  while ((await steps()) === undefined && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50));
  t.hasStrict(await steps(), [{ type: "notify", result: "failed", words: { code: "step.nobody" } }]);
});
