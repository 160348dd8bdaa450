/**
 * Rights that had ended before a restore: removed people, revoked keys and signed-out cookies do not come back with a
 * backup.
 */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { Role } from "../../src/core/api/roles.ts";
import { gatehouse } from "../support/cli.ts";
import { type HubProcess, Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(180_000); // several hubs that start
const PASSWORD = "a quiet sentence about rain";
const NEXT_PASSWORD = "lantern meadow cello fig";
const OWNER_PASSWORD = "correct horse battery staple";

const home = async (
  t: Test,
): Promise<{ folder: string; hub: HubProcess; owner: Person; end: () => Promise<unknown> }> => {
  const folder = testFolder(t);
  const { hub, owner } = await startOwnedHub(folder, { GATEHOUSE_RECOGNITION: "false" });
  t.teardown(() => hub.kill());
  return { folder, hub, owner, end: () => hub.stop() };
};
const again = async (t: Test, folder: string): Promise<HubProcess> => {
  const hub = await startHubProcess(folder, { GATEHOUSE_RECOGNITION: "false" });
  t.teardown(() => hub.kill());
  return hub;
};
/** The newest backup of a hub, as a file. */
const backUp = async (owner: Person, folder: string): Promise<string> => {
  const { status } = await owner.call("POST", "/api/backups", {});
  if (status !== 200 && status !== 201) throw new Error(`backup: ${status}`);
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const file = found.find((name) => /gatehouse-[^/]*\.db\.gz$/.test(name));
  if (file === undefined) throw new Error("no backup");
  return join(folder, file);
};
const restore = async (folder: string, file: string): Promise<void> => {
  const { code, err } = await gatehouse(folder, ["restore", file]);
  if (code !== 0) throw new Error(`restore: ${err}`);
};
const arrive = async (hub: HubProcess, owner: Person, name: string, role: Role) => {
  const { body } = await owner.call<{ code: string }>("POST", "/api/persons/invitations", { name, role });
  const person = new Person(hub.url);
  const email = `${name.toLowerCase()}@example.org`;
  const joined = await person.call<{ account: { id: number } }>("POST", "/api/join", {
    code: body.code,
    name,
    email,
    password: PASSWORD,
  });
  return { person, id: joined.body.account.id, email, cookie: person.cookie, code: body.code };
};
const key = async (owner: Person): Promise<{ id: number; secret: string }> => {
  const { body } = await owner.call<{ key: { id: number }; secret: string }>("POST", "/api/keys", {
    name: "app",
    env: "live",
    scopes: ["devices:read"],
  });
  return { id: body.key.id, secret: body.secret };
};
const withKey = async (hub: HubProcess, secret: string): Promise<number> =>
  (await fetch(`${hub.url}/v1/devices`, { headers: { authorization: `Bearer ${secret}` } })).status;
const login = async (hub: HubProcess, email: string, password: string): Promise<number> =>
  (await new Person(hub.url).call("POST", "/api/session", { email, password })).status;

for (const damaged of [false, true])
  t.test(
    `what was revoked stays revoked after a restore${damaged ? " on a hub whose database is lost" : ""}`,
    async (t) => {
      const { folder, hub, owner, end } = await home(t);
      const removed = await arrive(hub, owner, "Ravi", "owner");
      const demoted = await arrive(hub, owner, "Mina", "owner");
      const revoked = await key(owner);
      const kept = await key(owner);
      const { body: open } = await owner.call<{ invitation: { id: number }; code: string }>(
        "POST",
        "/api/persons/invitations",
        { name: "Late", role: "owner" },
      );
      const cookie = owner.cookie;
      const file = await backUp(owner, folder);
      await owner.call("DELETE", `/api/persons/${removed.id}`);
      await owner.call("PATCH", `/api/persons/${demoted.id}`, { role: "member" });
      await owner.call("DELETE", `/api/keys/${revoked.id}`);
      await owner.call("DELETE", `/api/persons/invitations/${open.invitation.id}`);
      const later = await key(owner);
      await demoted.person.call("POST", "/api/session/proof", { password: PASSWORD });
      t.equal((await demoted.person.call("POST", "/api/me/password", { password: NEXT_PASSWORD })).status, 200);
      await end();
      if (damaged)
        for (const name of ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm"])
          rmSync(join(folder, name), { force: true });
      await restore(folder, file);
      const next = await again(t, folder);
      t.equal((await new Person(next.url, cookie).call("GET", "/api/me")).status, 401, "the earlier cookie is dead");
      t.equal((await new Person(next.url, removed.cookie).call("GET", "/api/me")).status, 401);
      t.equal(await login(next, removed.email, PASSWORD), 401, "a removed owner has no account");
      t.equal(await withKey(next, revoked.secret), 401, "a revoked key stays revoked");
      t.equal(await withKey(next, kept.secret), 200, "one that was not revoked works");
      t.equal(await withKey(next, later.secret), 401, "one that is not in the backup is unknown");
      const joined = await new Person(next.url).call("POST", "/api/join", {
        code: open.code,
        name: "Late",
        email: "late@example.org",
        password: PASSWORD,
      });
      t.equal(joined.status, 400, "a withdrawn invitation stays withdrawn");
      if (!damaged) {
        t.equal(await login(next, demoted.email, PASSWORD), 401, "the earlier password no longer works");
        t.equal(await login(next, demoted.email, NEXT_PASSWORD), 200, "the one set since does");
      } else
        t.equal(await login(next, demoted.email, PASSWORD), 200, "without the database, only the backup's is known");
      const head = new Person(next.url);
      t.equal(
        (await head.call("POST", "/api/session", { email: "asha@example.org", password: OWNER_PASSWORD })).status,
        200,
      );
      const { body } = await head.call<{ persons: { name: string; role: string }[] }>("GET", "/api/persons");
      t.same(
        body.persons.map(({ name, role }) => [name, role]),
        [
          ["Asha Rao", "owner"],
          ["Mina", "member"],
        ],
        "a demoted owner is a member",
      );
      t.ok((await key(head)).id > later.id, "ids continue from the highest one issued");
      const { body: feed } = await head.call<{ events: { kind: string }[] }>("GET", "/v1/events?limit=50");
      t.ok(
        feed.events.some(({ kind }) => kind === "security.restored"),
        "the owner is notified",
      );
      const { body: list } = await head.call<{ lastRestore: { ended: object } | null }>("GET", "/api/backups");
      t.match(list.lastRestore, { ended: { api_key: 1, invitation: 1 } }, "and sees it beside the backups");
      t.notOk(existsSync(join(folder, "restored")));
    },
  );

for (const damaged of [false, true])
  t.test(
    `what was narrowed stays narrow after a restore${damaged ? " on a hub whose database is lost" : ""}`,
    async (t) => {
      const { folder, owner, end } = await home(t);
      const wide = async (name: string) => {
        const { body } = await owner.call<{ key: { id: number }; secret: string }>("POST", "/api/keys", {
          name,
          env: "live",
          scopes: ["devices:read", "events:read"],
        });
        return { id: body.key.id, secret: body.secret };
      };
      const [narrowed, back, rotated, twice] = [
        await wide("narrowed"),
        await wide("back"),
        await wide("rotated"),
        await wide("rotated before"),
      ];
      const rotate = async ({ id }: { readonly id: number }) =>
        (await owner.call<{ secret: string }>("POST", `/api/keys/${id}/rotate`, {})).body.secret;
      const newest = await rotate(twice);
      await owner.call("POST", "/api/devices", { id: "lamp", name: "Lamp", type: "light" });
      const rule = async (name: string) =>
        (
          await owner.call<{ automation: { id: number } }>("POST", "/v1/automations", {
            name,
            trigger: { type: "state", deviceId: "lamp", field: "on", op: "changed" },
            action: { type: "notify", title: "Lamp", body: "" },
          })
        ).body.automation.id;
      const [off, again1] = [await rule("off"), await rule("off and on")];
      const [held, heldNoMore] = [await rule("held"), await rule("held no more")];
      const until = new Date(Date.now() + 3_600_000).toISOString();
      const hook = async (label: string) =>
        (
          await owner.call<{ webhook: { id: number } }>("POST", "/api/webhooks", {
            url: "https://example.org/old",
            label,
            events: ["device.event", "plate.read"],
          })
        ).body.webhook.id;
      const [silent, moved, fewer] = [await hook("silent"), await hook("moved"), await hook("fewer")];
      const plate = await owner.call<{ rule: { id: number } }>("POST", "/v1/plate-rules", {
        plate: "MH12AB1234",
        kind: "allow",
      });
      const file = await backUp(owner, folder);
      const narrow = { scopes: ["devices:read"] };
      await owner.call("PATCH", `/api/keys/${narrowed.id}`, narrow);
      await owner.call("PATCH", `/api/keys/${back.id}`, narrow);
      await owner.call("PATCH", `/api/keys/${back.id}`, { scopes: ["devices:read", "events:read"] });
      const lost = await rotate(rotated);
      await owner.call("PATCH", `/v1/automations/${off}`, { enabled: false });
      await owner.call("PATCH", `/v1/automations/${again1}`, { enabled: false });
      await owner.call("PATCH", `/v1/automations/${again1}`, { enabled: true });
      for (const id of [held, heldNoMore]) await owner.call("POST", `/api/automations/${id}/pause`, { until });
      await owner.call("POST", `/api/automations/${heldNoMore}/pause`, { until: null });
      await owner.call("POST", `/api/webhooks/${silent}/disable`, {});
      await owner.call("PATCH", `/api/webhooks/${moved}`, { url: "https://example.org/new" });
      await owner.call("PATCH", `/api/webhooks/${fewer}`, { events: ["device.event"] });
      const turned = await owner.call("PATCH", `/api/plate-rules/${plate.body.rule.id}`, { enabled: false });
      t.equal(turned.status, 200);
      await end();
      if (damaged)
        for (const name of ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm"])
          rmSync(join(folder, name), { force: true });
      await restore(folder, file);
      const next = await again(t, folder);
      const events = async (secret: string) =>
        (await fetch(`${next.url}/v1/events`, { headers: { authorization: `Bearer ${secret}` } })).status;
      t.equal(await withKey(next, narrowed.secret), 200);
      t.equal(await events(narrowed.secret), 403, "a removed scope stays removed");
      t.equal(await events(back.secret), 200, "a scope that was given back still works");
      t.equal(await withKey(next, rotated.secret), 401, "a replaced secret is dead");
      t.equal(await withKey(next, lost), 401, "the backup does not contain its successor");
      t.equal(await withKey(next, twice.secret), 401);
      t.equal(await withKey(next, newest), 200, "if it does, the newer secret is the one that works");
      const head = new Person(next.url);
      await head.call("POST", "/api/session", { email: "asha@example.org", password: OWNER_PASSWORD });
      const rules = await head.call<{ automations: { id: number; enabled: boolean }[] }>("GET", "/v1/automations");
      const isOn = (id: number) => rules.body.automations.find((one) => one.id === id)?.enabled;
      t.strictSame([isOn(off), isOn(again1)], [false, true], "a rule that was switched off stays off");
      const turns = await head.call<{ paused: object[] }>("GET", "/api/automations/next");
      t.same(turns.body.paused, [{ id: held, until }], "a pause goes on, unless it was ended");
      const hooks = await head.call<{ webhooks: { id: number; active: boolean; events: string[] }[] }>(
        "GET",
        "/api/webhooks",
      );
      const seen = (id: number) => hooks.body.webhooks.find((one) => one.id === id);
      t.equal(seen(silent)?.active, false, "a disabled webhook stays disabled");
      t.equal(seen(moved)?.active, false, "none delivers to an abandoned address");
      t.strictSame([seen(fewer)?.active, seen(fewer)?.events], [true, ["device.event"]]);
      const plates = await head.call<{ rules: { enabled: boolean }[] }>("GET", "/v1/plate-rules");
      t.strictSame(
        plates.body.rules.map(({ enabled }) => enabled),
        [false],
        "a disabled plate opens nothing",
      );
      const { body } = await head.call<{ lastRestore: { list: { kind: string; name: string }[] } }>(
        "GET",
        "/api/backups",
      );
      t.same(
        body.lastRestore.list.map(({ kind, name }) => `${kind} ${name}`).sort(),
        [
          "api_key rotated",
          "api_key rotated before",
          "automation held",
          "automation off",
          "key_scope narrowed",
          "plate_rule MH 12 AB 1234",
          "webhook moved",
          "webhook silent",
          "webhook_event fewer",
        ],
        "the owner sees the list",
      );
    },
  );

for (const damaged of [false, true])
  t.test(`after a restore the lower role wins${damaged ? ", also where the database is lost" : ""}`, async (t) => {
    const { folder, hub, owner, end } = await home(t);
    const guard = await arrive(hub, owner, "Gopal", "gatekeeper");
    const former = await arrive(hub, owner, "Omar", "owner");
    const lowest = await arrive(hub, owner, "Lata", "owner");
    const stays = await arrive(hub, owner, "Sita", "gatekeeper");
    const boss = await arrive(hub, owner, "Adam", "owner");
    const friend = await arrive(hub, boss.person, "Uma", "owner");
    const give = (by: Person) =>
      by.call<{ token: string }>("POST", "/api/passes", {
        label: "A guest",
        plate: null,
        deviceId: null,
        validTo: new Date(Date.now() + 86_400_000).toISOString(),
        guestMayTellPlate: true,
      });
    const [guards, others] = [await give(guard.person), await give(stays.person)];
    const listed = await guard.person.call("POST", "/v1/plate-rules", { plate: "MH12AB1234", kind: "allow" });
    t.same([guards.status, others.status, listed.status], [201, 201, 201]);
    const file = await backUp(owner, folder);
    for (const [{ id }, role] of [
      [guard, "member"],
      [former, "gatekeeper"],
      [lowest, "gatekeeper"],
      [lowest, "member"],
      [friend, "gatekeeper"],
    ] as const)
      t.equal((await owner.call("PATCH", `/api/persons/${id}`, { role })).status, 200);
    await end();
    if (damaged)
      for (const name of ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm"])
        rmSync(join(folder, name), { force: true });
    await restore(folder, file);
    const next = await again(t, folder);
    const head = new Person(next.url);
    await head.call("POST", "/api/session", { email: "asha@example.org", password: OWNER_PASSWORD });
    const { body } = await head.call<{ persons: { name: string; role: string }[] }>("GET", "/api/persons");
    t.same(Object.fromEntries(body.persons.map(({ name, role }) => [name, role])), {
      "Asha Rao": "owner",
      Gopal: "member",
      Omar: "gatekeeper",
      Lata: "member",
      Sita: "gatekeeper",
      Adam: "owner",
      Uma: "gatekeeper",
    });
    if (damaged) {
      await head.call("DELETE", `/api/persons/${boss.id}`);
      const { body: now } = await head.call<{ persons: { name: string; role: string }[] }>("GET", "/api/persons");
      t.equal(now.persons.find(({ name }) => name === "Uma")?.role, "member", "who made her an owner answers for her");
    }
    const look = async (token: string) =>
      (await new Person(next.url).call("POST", "/api/guest/look", { token })).status;
    t.equal(await look(guards.body.token), 404, "a former gatekeeper's pass stays ended");
    t.equal(await look(others.body.token), 200, "one of a present gatekeeper is back");
    const { body: rules } = await head.call<{ rules: { enabled: boolean }[] }>("GET", "/v1/plate-rules");
    t.same(
      rules.rules.map(({ enabled }) => enabled),
      [false],
      "and the former one's plate stays off",
    );
  });

t.test("switching things off and on again does not make the database look old", async (t) => {
  const { folder, hub, owner, end } = await home(t);
  t.ok(hub.url);
  const { body } = await owner.call<{ key: { id: number }; secret: string }>("POST", "/api/keys", {
    name: "app",
    env: "live",
    scopes: ["devices:read", "events:read"],
  });
  await owner.call("PATCH", `/api/keys/${body.key.id}`, { scopes: ["devices:read"] });
  await owner.call("PATCH", `/api/keys/${body.key.id}`, { scopes: ["devices:read", "events:read"] });
  await end();
  const next = await again(t, folder);
  t.equal((await new Person(next.url, owner.cookie).call("GET", "/api/me")).status, 200, "no one is signed out");
  const answer = await fetch(`${next.url}/v1/events`, { headers: { authorization: `Bearer ${body.secret}` } });
  t.equal(answer.status, 200);
});

t.test("on another host the holder of the backup gets in with its passwords, but with no session", async (t) => {
  const { folder, hub, owner, end } = await home(t);
  const { email } = await arrive(hub, owner, "Ravi", "owner");
  const cookie = owner.cookie;
  const file = await backUp(owner, folder);
  await end();
  const elsewhere = join(folder, "elsewhere");
  await restore(elsewhere, file);
  const box = await again(t, elsewhere);
  t.equal((await new Person(box.url, cookie).call("GET", "/api/me")).status, 401);
  t.equal(await login(box, email, PASSWORD), 200);
  t.equal(await login(box, "asha@example.org", OWNER_PASSWORD), 200);
});

t.test("a database copied back by hand is recognized as an older one", async (t) => {
  const { folder, hub, owner, end } = await home(t);
  const { person, id } = await arrive(hub, owner, "Ravi", "owner");
  await end();
  const old = readFileSync(join(folder, "gatehouse.db"));
  const second = await again(t, folder);
  const head = new Person(second.url, owner.cookie);
  await head.call("POST", "/api/session/proof", { password: OWNER_PASSWORD });
  t.equal((await head.call("DELETE", `/api/persons/${id}`)).status, 200);
  await second.stop();
  for (const name of ["gatehouse.db-wal", "gatehouse.db-shm"]) rmSync(join(folder, name), { force: true });
  writeFileSync(join(folder, "gatehouse.db"), old);
  const third = await again(t, folder);
  t.equal((await new Person(third.url, person.cookie).call("GET", "/api/me")).status, 401);
  t.equal(await login(third, "ravi@example.org", PASSWORD), 401);
});

t.test("a garbled list of revocations is ignored: only the database counts", async (t) => {
  const { folder, end, owner } = await home(t);
  await end();
  for (const text of ["", "{", '{"hub":1}', "[]", '{"hub":"x","revoked":[["account","",0]],"marks":{}}']) {
    writeFileSync(join(folder, "revoked.json"), text);
    const hub = await again(t, folder);
    t.equal((await new Person(hub.url, owner.cookie).call("GET", "/api/me")).status, 200, text);
    await hub.stop();
  }
});
