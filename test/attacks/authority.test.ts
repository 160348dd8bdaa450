/**
 * Rights that outlive the person who gave them: what a removed or demoted owner handed out, or anyone before a password
 * change, reused ids, names that look like somebody else's.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { HouseholdProcess, type MadeKey } from "../support/household-process.ts";
import { eventually, Person } from "../support/hub-process.ts";

t.setTimeout(90_000); // a hub that starts
const delivered: string[] = [];
const receiver = createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => (text += String(chunk)));
  request.on("end", () => {
    delivered.push(text);
    response.writeHead(204).end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
t.teardown(() => receiver.close());
const house = await HouseholdProcess.start(t, {
  GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true",
  GATEHOUSE_RATE_FAILED_CREDENTIALS_PER_MINUTE: "0",
});
const { owner } = house;
const gatePassword = await house.device("gate");
const cameraPassword = await house.device("porch", "camera");
const switchPassword = await house.device("switch", "switch");
const gate = await house.connect(t, "gate", gatePassword);
const heard: string[] = [];
gate.on("message", (_topic, payload) => heard.push(String(payload)));
await gate.subscribeAsync("gatehouse/gate/command", { qos: 1 });
const wall = await house.connect(t, "switch", switchPassword);
const PASSWORD = "a quiet sentence about rain";
let nth = 0;

interface Code {
  readonly code: string;
  readonly invitation: { readonly id: number };
}
const invite = async (by: Person, role: "owner" | "member"): Promise<string> =>
  (await by.call<Code>("POST", "/api/persons/invitations", { name: "Somebody", role })).body.code;
const join = async (code: string, name?: string) => {
  nth += 1;
  const person = new Person(house.hub.url);
  const { status, body } = await person.call<{ account: { id: number; role: string } }>("POST", "/api/join", {
    code,
    name: name ?? `Guest ${nth}`,
    email: `guest${nth}@example.org`,
    password: PASSWORD,
  });
  return { status, person, id: body.account?.id ?? 0, role: body.account?.role };
};
const makeKey = async (by: Person, scopes: readonly string[]): Promise<MadeKey> => {
  const { body } = await by.call<{ key: { id: number }; secret: string }>("POST", "/api/keys", {
    name: "app",
    env: "live",
    scopes,
  });
  return { id: body.key.id, secret: body.secret };
};
/** Pairs an app as a member does. */
const pair = async (by: Person, scopes: readonly string[]): Promise<MadeKey> => {
  const app = new Person(house.hub.url);
  const { body } = await app.call<{ user_code: string; device_code: string }>("POST", "/v1/pairing", {
    client_name: "Panel",
    scope: scopes.join(" "),
  });
  await by.call("POST", "/api/pairing/approve", { userCode: body.user_code, name: "Panel", scopes });
  const fetched = await app.call<{ access_token: string }>("POST", "/v1/pairing/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: body.device_code,
  });
  return { id: 0, secret: fetched.body.access_token };
};
const open = (key: MadeKey, who: string) => house.ask(key, "POST", "/v1/devices/gate/commands", { open: who });
const kindsOf = async (by: Person, id: number): Promise<Record<string, number>> => {
  const { body } = await by.call<{ grants: { kind: string; count: number }[] }>("GET", `/api/persons/${id}/grants`);
  return Object.fromEntries((body.grants ?? []).map(({ kind, count }) => [kind, count]));
};
const feedKinds = async (): Promise<string[]> =>
  (await owner.call<{ events: { kind: string }[] }>("GET", "/v1/events?limit=100")).body.events.map(({ kind }) => kind);

/** Everything an owner can hand out in the console, with proof that it works. */
async function handOut(thief: Person) {
  const key = await makeKey(thief, ["devices:read", "devices:control", "events:read"]);
  const code = await invite(thief, "owner");
  const { address, port } = receiver.address() as AddressInfo; // listening on TCP
  const hook = await thief.call<{ webhook: { id: number } }>("POST", "/api/webhooks", {
    url: `http://${address}:${port}/`,
    events: ["device.event"],
  });
  const client = await thief.call<{ client: { id: number }; username: string; password: string }>(
    "POST",
    "/api/bridge/clients",
    { name: "A relay", family: "tasmota" },
  );
  const pass = await thief.call<{ token: string; pass: { id: number } }>("POST", "/api/passes", {
    label: "A guest",
    plate: null,
    deviceId: null,
    validTo: new Date(Date.now() + 86_400_000).toISOString(),
    guestMayTellPlate: true,
  });
  const plate = await thief.call("POST", "/v1/plate-rules", { plate: "MH12AB1234", kind: "allow" });
  const rule = await thief.call<{ automation: { id: number } }>("POST", "/v1/automations", {
    name: "thief's",
    trigger: { type: "state", deviceId: "switch", field: "on", op: "changed" },
    action: { type: "command", deviceId: "gate", command: { open: "rule" } },
  });
  for (const [what, { status }] of Object.entries({ hook, client, pass, plate, rule })) t.equal(status, 201, what);
  return { key, code, client: client.body, token: pass.body.token, hookId: hook.body.webhook.id };
}
const look = async (token: string): Promise<number> =>
  (await new Person(house.hub.url).call("POST", "/api/guest/look", { token })).status;
let isOn = false;
const press = async (): Promise<void> => {
  isOn = !isOn;
  await wall.publishAsync("gatehouse/switch/state", JSON.stringify({ on: isOn }), { qos: 1 });
};

for (const fate of ["removed", "demoted"] as const)
  t.test(`what an owner handed out ends when the owner is ${fate}`, async (t) => {
    const { person: thief, id } = await join(await invite(owner, "owner"));
    await press();
    const given = await handOut(thief);
    t.equal((await open(given.key, "key")).status, 202, "the key opens the gate");
    const stream = await house.connect(t, given.client.username, given.client.password);
    await press();
    await eventually(() => heard.some((text) => text.includes("rule")) || undefined);
    const asked = await kindsOf(owner, id);
    for (const kind of ["api_key", "invitation", "webhook", "bridge_client", "guest_pass", "plate_rule", "automation"])
      t.equal(asked[kind], 1, `the household is asked about: ${kind}`);
    const cut = new Promise<void>((resolve) => stream.once("close", () => resolve()));
    const settled =
      fate === "removed"
        ? await owner.call("DELETE", `/api/persons/${id}`)
        : await owner.call("PATCH", `/api/persons/${id}`, { role: "member" });
    t.equal(settled.status, 200);
    t.equal((await open(given.key, "key")).status, 401, "the key no longer opens anything");
    t.equal((await join(given.code)).status, 400, "the invitation makes no owner");
    t.equal(await look(given.token), 404, "the guest's link has ended");
    await cut;
    await t.rejects(house.connect(t, given.client.username, given.client.password), "the client is refused");
    const before = heard.length;
    await press();
    await new Promise((resolve) => setTimeout(resolve, 500));
    t.equal(heard.length, before, "the rule opens nothing");
    const hooks = await owner.call<{ webhooks: { id: number; active: boolean }[] }>("GET", "/api/webhooks");
    t.equal(hooks.body.webhooks.find((hook) => hook.id === given.hookId)?.active, false, "the webhook is off");
    t.ok((await feedKinds()).includes("security.grants_ended"), "the household is notified");
    const { body } = await owner.call<{ audit: { action: string }[] }>("GET", "/api/audit?limit=200");
    t.ok(body.audit.filter(({ action }) => action === "grant.ended").length >= 7, "each has an audit line");
    if (fate === "demoted") await owner.call("DELETE", `/api/persons/${id}`);
    const { body: rules } = await owner.call<{ rules: { id: number; plate: string }[] }>("GET", "/v1/plate-rules");
    for (const rule of rules.rules) await owner.call("DELETE", `/v1/plate-rules/${rule.id}`);
  });

for (const fate of ["removed", "demoted"] as const)
  t.test(`what an owner makes just as the owner is ${fate} does not stay`, async (t) => {
    const { address, port } = receiver.address() as AddressInfo; // listening on TCP
    const { body: me } = await owner.call<{ account: { id: number } }>("GET", "/api/me");
    const secrets: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { person: thief, id } = await join(await invite(owner, "owner"));
      const acts = Array.from({ length: 6 }, (_, nth) => [
        thief
          .call<{ secret?: string }>("POST", "/api/keys", { name: "late", env: "live", scopes: ["devices:read"] })
          .then(({ body }) => body.secret !== undefined && secrets.push(body.secret)),
        thief.call("POST", "/api/webhooks", {
          url: `http://${address}:${port}/late`,
          events: ["device.event"],
        }),
        thief.call("POST", "/api/bridge/clients", { name: "late", family: "tasmota" }),
        thief.call("POST", "/v1/plate-rules", { plate: `MH12ZZ${round}${fate.length}0${nth}`, kind: "allow" }),
        thief.call("POST", "/v1/automations", {
          name: "late",
          trigger: { type: "state", deviceId: "switch", field: "on", op: "changed" },
          action: { type: "command", deviceId: "gate", command: { open: "late" } },
        }),
      ]).flat();
      await new Promise((resolve) => setTimeout(resolve, round * 4));
      const settled =
        fate === "removed"
          ? await owner.call("DELETE", `/api/persons/${id}`)
          : await owner.call("PATCH", `/api/persons/${id}`, { role: "member" });
      t.equal(settled.status, 200);
      await Promise.all(acts);
      if (fate === "demoted")
        t.strictSame(await kindsOf(owner, id), {}, "nothing is left that needs more than the remaining role");
    }
    for (const secret of secrets)
      t.equal((await house.ask({ id: 0, secret }, "GET", "/v1/devices")).status, 401, "no key is left");
    const hooks = await owner.call<{ webhooks: { id: number; url: string; active: boolean }[] }>(
      "GET",
      "/api/webhooks",
    );
    t.strictSame(
      hooks.body.webhooks.filter(({ url, active }) => url.endsWith("/late") && active),
      [],
      "no webhook is on",
    );
    for (const { id, url } of hooks.body.webhooks)
      if (url.endsWith("/late")) await owner.call("DELETE", `/api/webhooks/${id}`); // a household has twenty at most
    const clients = await owner.call<{ clients: { name: string; status: string }[] }>("GET", "/api/bridge/clients");
    t.strictSame(
      clients.body.clients.filter(({ name, status }) => name === "late" && status === "accepted"),
      [],
      "no client is accepted",
    );
    const { body } = await owner.call<{ rules: { plate: string; enabled: boolean }[] }>("GET", "/v1/plate-rules");
    t.strictSame(
      body.rules.filter(({ plate, enabled }) => plate.startsWith("MH12ZZ") && enabled),
      [],
      "no plate rule is on",
    );
    t.notOk((await kindsOf(owner, me.account.id)).automation, "no rule has been transferred to the head");
    const before = heard.length;
    await press();
    await new Promise((resolve) => setTimeout(resolve, 500));
    t.equal(heard.length, before, "no rule opens");
  });

t.test("what a removed owner added to others' keys and webhooks ends, and the rest stays", async (t) => {
  const { address, port } = receiver.address() as AddressInfo; // listening on TCP
  const hook = async (path: string): Promise<number> =>
    (
      await owner.call<{ webhook: { id: number } }>("POST", "/api/webhooks", {
        url: `http://${address}:${port}/${path}`,
        events: ["device.event"],
      })
    ).body.webhook.id;
  const [widened, narrowed] = [await makeKey(owner, ["devices:read"]), await makeKey(owner, ["devices:read"])];
  const [turned, renamed, extended] = [await hook("heads"), await hook("renamed"), await hook("told")];
  const { person: second } = await join(await invite(owner, "owner"));
  const others = await makeKey(second, ["devices:read"]);
  const { person: thief, id } = await join(await invite(owner, "owner"));
  await thief.call("PATCH", `/api/keys/${widened.id}`, { scopes: ["devices:read", "devices:control"] });
  await thief.call("PATCH", `/api/keys/${others.id}`, { scopes: ["devices:read", "devices:control"] });
  await thief.call("PATCH", `/api/webhooks/${extended}`, { events: ["device.event", "plate.read"] });
  await thief.call("PATCH", `/api/keys/${narrowed.id}`, { name: "Another name", scopes: ["devices:read"] });
  await thief.call("PATCH", `/api/webhooks/${turned}`, { url: `http://${address}:${port}/thiefs` });
  await thief.call("PATCH", `/api/webhooks/${renamed}`, { label: "Another name" });
  t.equal((await open(widened, "widened")).status, 202);
  t.equal((await open(others, "others")).status, 202);
  t.strictSame(await kindsOf(owner, id), { key_scope: 2, webhook: 1, webhook_event: 1 }, "the household is asked");
  t.equal((await owner.call("DELETE", `/api/persons/${id}`)).status, 200);
  for (const key of [widened, others]) {
    t.equal((await open(key, "widened")).status, 403, "the additions are gone");
    t.equal((await house.ask(key, "GET", "/v1/devices")).status, 200, "and the rest stays");
  }
  t.equal((await house.ask(narrowed, "GET", "/v1/devices")).status, 200);
  const { body } = await owner.call<{ webhooks: { id: number; active: boolean; events: string[] }[] }>(
    "GET",
    "/api/webhooks",
  );
  const found = (id: number) => body.webhooks.find((one) => one.id === id);
  t.strictSame([found(turned)?.active, found(renamed)?.active], [false, true]);
  t.match(found(extended), { active: true, events: ["device.event"] }, "of a webhook, the added event");
  t.same(found(extended)?.events, ["device.event"]);
});

t.test(
  "owners made by a removed owner become members, and so on down the line; others whom they let in stay",
  async (t) => {
    const { person: thief, id } = await join(await invite(owner, "owner"));
    const second = await join(await invite(thief, "owner"));
    const third = await join(await invite(second.person, "owner"));
    const guest = await join(await invite(thief, "member"));
    const raised = await join(await invite(owner, "member"));
    t.equal((await second.person.call("PATCH", `/api/persons/${raised.id}`, { role: "owner" })).status, 200);
    const key = await makeKey(third.person, ["devices:read"]);
    t.strictSame(await kindsOf(owner, id), { member: 2, owner: 1 }, "the household is asked");
    t.match(await owner.call("POST", `/api/persons/${id}/grants`, { person: "remove" }), {
      status: 200,
      body: { ended: { owner: 1 }, kept: { member: 2 } },
    });
    const { body } = await owner.call<{ persons: { id: number; role: string }[] }>("GET", "/api/persons");
    const roleOf = (who: number) => body.persons.find((one) => one.id === who)?.role;
    t.strictSame([id, second.id, third.id, guest.id, raised.id].map(roleOf), [
      undefined,
      "member",
      "member",
      "member",
      "member",
    ]);
    t.equal((await third.person.call("GET", "/api/keys")).status, 403, "with the rights of a member at once");
    t.equal((await house.ask(key, "GET", "/v1/devices")).status, 401, "and without what they had handed out");
    for (const one of [second, third, guest, raised]) await owner.call("DELETE", `/api/persons/${one.id}`);
  },
);

t.test("the deciding owner may remove the people too, or keep the owners in their own name", async (t) => {
  const { person: thief, id } = await join(await invite(owner, "owner"));
  const made = await join(await invite(thief, "owner"));
  const guest = await join(await invite(thief, "member"));
  const { person: second, id: secondId } = await join(await invite(owner, "owner"));
  t.equal(
    (
      await second.call("POST", `/api/persons/${id}/grants`, {
        person: "remove",
        grants: { owner: "keep", member: "keep" },
      })
    ).status,
    200,
  );
  t.match(await made.person.call("GET", "/api/me"), { status: 200, body: { account: { role: "owner" } } });
  t.strictSame(await kindsOf(owner, secondId), { member: 2, owner: 1 }, "the owner who kept them answers for them");
  const { status } = await owner.call("POST", `/api/persons/${secondId}/grants`, {
    person: "remove",
    grants: { member: "end" },
  });
  t.equal(status, 200);
  for (const one of [made, guest]) t.equal((await one.person.call("GET", "/api/me")).status, 401);
});

t.test("two owners who made each other still depend on the owner who let the first one in", async (t) => {
  const { person: thief, id } = await join(await invite(owner, "owner"));
  const one = await join(await invite(thief, "owner"));
  const other = await join(await invite(one.person, "owner"));
  await one.person.call("PATCH", `/api/persons/${one.id}`, { role: "owner" });
  await other.person.call("POST", `/api/persons/${one.id}/grants`, { person: "member", grants: {} });
  t.equal((await other.person.call("PATCH", `/api/persons/${one.id}`, { role: "owner" })).status, 200);
  t.equal((await owner.call("DELETE", `/api/persons/${id}`)).status, 200);
  for (const { person } of [one, other])
    t.match(await person.call("GET", "/api/me"), { status: 200, body: { account: { role: "member" } } });
  for (const { id: left } of [one, other]) await owner.call("DELETE", `/api/persons/${left}`);
});

t.test("a scene that a removed owner wrote or rewrote runs for no one until an owner saves it again", async (t) => {
  const scene = async (by: Person, name: string): Promise<number> =>
    (
      await by.call<{ scene: { id: number } }>("POST", "/api/scenes", {
        name,
        actions: [{ deviceId: "switch", command: { on: true } }],
      })
    ).body.scene.id;
  const { person: thief, id } = await join(await invite(owner, "owner"));
  const [own, rewritten, renamed] = [
    await scene(thief, "The thief's"),
    await scene(owner, "Good night"),
    await scene(owner, "Evening"),
  ];
  const opening = [{ deviceId: "gate", command: { open: "scene" } }];
  await thief.call("PATCH", `/api/scenes/${rewritten}`, { actions: opening });
  await thief.call("PATCH", `/api/scenes/${renamed}`, { name: "Dusk" });
  const key = await makeKey(owner, ["scenes:read", "scenes:run"]);
  const run = async (which: number) => (await house.ask(key, "POST", `/v1/scenes/${which}/activate`)).status;
  t.equal(await run(rewritten), 202);
  t.strictSame(await kindsOf(owner, id), { scene: 2 });
  t.equal((await owner.call("DELETE", `/api/persons/${id}`)).status, 200);
  t.strictSame([await run(own), await run(rewritten), await run(renamed)], [409, 409, 202]);
  t.match(await owner.call("POST", `/v1/scenes/${rewritten}/activate`), {
    status: 409,
    body: { error: { words: { code: "conflict.sceneOff", name: "Good night" } } },
  });
  const { body } = await owner.call<{ scenes: { id: number; enabled: boolean }[] }>("GET", "/v1/scenes");
  t.equal(body.scenes.find((one) => one.id === rewritten)?.enabled, false, "the console shows it");
  t.equal((await owner.call("PATCH", `/api/scenes/${rewritten}`, { actions: opening })).status, 200);
  t.equal(await run(rewritten), 202, "saved again, it belongs to the owner who saved it");
});

t.test("an owner who stops being one cannot keep what they handed out by their own decision", async (t) => {
  for (const what of ["member", "remove"]) {
    const { person, id } = await join(await invite(owner, "owner"));
    const key = await makeKey(person, ["devices:read"]);
    t.hasStrict(
      await person.call("POST", `/api/persons/${id}/grants`, { person: what, grants: { api_key: "keep" } }),
      { status: 409, body: { error: { words: { code: "conflict.keepsOwn" } } } },
      what,
    );
    t.equal((await person.call("POST", `/api/persons/${id}/grants`, { person: what })).status, 200);
    t.equal((await house.ask(key, "GET", "/v1/devices")).status, 401);
  }
});

t.test("grants that an owner confirms become that owner's; the rest belongs to the household", async (t) => {
  const { person: leaving, id } = await join(await invite(owner, "owner"));
  const { person: staying, id: stayingId } = await join(await invite(owner, "owner"));
  const key = await makeKey(leaving, ["devices:read", "devices:control"]);
  await leaving.call("POST", "/api/devices", { id: "lamp", name: "Lamp", type: "light" });
  const settled = await staying.call<{ ended: object; kept: object }>("POST", `/api/persons/${id}/grants`, {
    person: "remove",
    grants: { api_key: "keep" },
  });
  t.match(settled, { status: 200, body: { ended: {}, kept: { api_key: 1, device: 1 } } });
  t.equal((await open(key, "kept")).status, 202, "it continues");
  t.match(await kindsOf(owner, stayingId), { api_key: 1 });
  t.equal((await owner.call("DELETE", `/api/persons/${stayingId}`)).status, 200);
  t.equal((await open(key, "kept")).status, 401, "and ends with the owner who kept it");
});

t.test(
  "after a stolen password one step ends everything handed out; invitations end with the password change itself",
  async (t) => {
    const { person, id } = await join(await invite(owner, "owner"));
    const [key, code] = [await makeKey(person, ["devices:read", "devices:control"]), await invite(person, "owner")];
    t.equal((await person.call("POST", "/api/me/password", { password: "violin gravel otter kite" })).status, 200);
    t.equal((await join(code)).status, 400, "an intruder's invitation is void");
    t.equal((await open(key, "own")).status, 202, "an app continues unless its person decides otherwise");
    t.equal(
      (await person.call("POST", "/api/me/password", { password: "lantern meadow cello fig", endGrants: true })).status,
      200,
    );
    t.equal((await open(key, "own")).status, 401);
    const other = await makeKey(person, ["devices:read"]);
    t.match(await owner.call("POST", `/api/persons/${id}/grants`, { person: "stay" }), {
      status: 200,
      body: { ended: { api_key: 1 } },
    });
    t.equal((await house.ask(other, "GET", "/v1/devices")).status, 401, "an owner can do it for another");
    t.equal((await person.call("GET", "/api/me")).status, 200, "a person who stays");
  },
);

t.test("an intruder's recovery codes end with the password when its owner resets it", async (t) => {
  const { person } = await join(await invite(owner, "owner"));
  const email = `guest${nth}@example.org`;
  const intruder = new Person(house.hub.url);
  t.equal((await intruder.call("POST", "/api/session", { email, password: PASSWORD })).status, 200);
  const { body } = await intruder.call<{ recoveryCodes: string[] }>("POST", "/api/me/recovery-codes", {});
  const next = { password: "lantern meadow cello fig", endGrants: true };
  t.equal((await person.call("POST", "/api/me/password", next)).status, 200);
  t.match(await person.call("GET", "/api/me"), { body: { account: { recoveryCodesLeft: 0 } } });
  const back = { email, code: body.recoveryCodes[0], password: "the intruder is back again" };
  t.equal((await new Person(house.hub.url).call("POST", "/api/session/recover", back)).status, 401);
  t.equal((await person.call("GET", "/api/me")).status, 200, "the person is still signed in");
});

t.test("a member's app ends when the member asks for it", async (t) => {
  const { person } = await join(await invite(owner, "member"));
  const key = await pair(person, ["devices:read"]);
  t.equal((await house.ask(key, "GET", "/v1/devices")).status, 200);
  t.match(await person.call("POST", "/api/me/grants/end", {}), { status: 200, body: { ended: { api_key: 1 } } });
  t.equal((await house.ask(key, "GET", "/v1/devices")).status, 401);
});

t.test("an invitation gives no more than its issuer has when it is used", async (t) => {
  const { person, id } = await join(await invite(owner, "owner"));
  const code = await invite(person, "owner");
  await owner.call("POST", `/api/persons/${id}/grants`, { person: "member", grants: { invitation: "keep" } });
  t.hasStrict(await join(code), { status: 201, role: "owner" }, "kept: the owner who kept it is now the inviter");
  const { person: other, id: otherId } = await join(await invite(owner, "owner"));
  const second = await invite(other, "member");
  await owner.call("PATCH", `/api/persons/${otherId}`, { role: "member" });
  t.equal((await join(second)).status, 400, "not even a member, who may not invite");
});

t.test("ids are not reused: neither of a key nor of a person", async (t) => {
  const first = await makeKey(owner, ["devices:read", "devices:control"]);
  const sent = await house.ask(first, "POST", "/v1/devices/gate/commands", { open: "first" });
  t.equal(sent.status, 202);
  const { person, id } = await join(await invite(owner, "member"));
  const app = await pair(person, ["devices:read", "devices:control"]);
  const withKey = (key: MadeKey, body: object) =>
    fetch(`${house.hub.url}/v1/devices/gate/commands`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key.secret}`,
        "content-type": "application/json",
        "idempotency-key": "the-same-word",
      },
      body: JSON.stringify(body),
    });
  const answer = (await (await withKey(app, { open: "members" })).json()) as { commandId?: string };
  t.equal((await owner.call("DELETE", `/api/persons/${id}`)).status, 200);
  const next = await makeKey(owner, ["devices:read", "devices:control"]);
  const again = await withKey(next, { open: "members" });
  t.equal(again.headers.get("idempotent-replayed"), null, "another's stored response is not returned");
  t.not(((await again.json()) as { commandId?: string }).commandId, answer.commandId);
  t.equal((await join(await invite(owner, "member"))).id > id, true, "nor is an account's");
});

t.test("a browser used by a removed person is unknown to the next person", async (t) => {
  nth += 1;
  const joined = await fetch(`${house.hub.url}/api/join`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      code: await invite(owner, "member"),
      name: "Leaves soon",
      email: `guest${nth}@example.org`,
      password: PASSWORD,
    }),
  });
  const { account } = (await joined.json()) as { account: { id: number } };
  const named = /gatehouse_device=(\d+)\./.exec(joined.headers.getSetCookie().join(";"))?.[1];
  t.equal(named, String(account.id), "the cookie names the account");
  await owner.call("DELETE", `/api/persons/${account.id}`);
  const { id: nextId } = await join(await invite(owner, "member"));
  t.not(nextId, account.id);
});

t.test("a name used by another person of the household is refused, however it is written", async (t) => {
  t.equal((await owner.call("PATCH", "/api/me", { name: "Asha" })).status, 200);
  const { person } = await join(await invite(owner, "member"), "Meera");
  for (const name of ["Asha", "asha", " ASHA ", "Ａｓｈａ", "As\u200bha", "A\u00adsha"])
    t.hasStrict(
      await person.call("PATCH", "/api/me", { name }),
      { status: 409, body: { error: { words: { code: "conflict.nameTaken" } } } },
      JSON.stringify(name),
    );
  t.equal((await join(await invite(owner, "member"), "ASHA")).status, 409);
  t.equal((await person.call("PATCH", "/api/me", { name: "meera" })).status, 200, "one's own is free");
  const { body } = await owner.call<{ audit: { person: string | null; personId: number | null }[] }>(
    "GET",
    "/api/audit?limit=5",
  );
  t.ok(
    body.audit.every(({ person, personId }) => person === null || personId !== null),
    "the list names accounts",
  );
});

t.test("a camera password set by a removed owner authenticates nobody", async (t) => {
  const { person, id } = await join(await invite(owner, "owner"));
  const { body } = await person.call<{ password: string }>("POST", "/api/devices/porch/password");
  t.not(body.password, cameraPassword);
  await owner.call("PATCH", "/api/cameras/porch", { enabled: true });
  await house.connect(t, "porch", body.password);
  const kinds = await kindsOf(owner, id);
  await owner.call("DELETE", `/api/persons/${id}`);
  if (kinds.camera === 1) await t.rejects(house.connect(t, "porch", body.password));
  t.equal(kinds.camera, 1);
});
