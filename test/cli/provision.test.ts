import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { provisionCommand } from "../../src/cli/provision-command.ts";
import { ProvisionDocument } from "../../src/features/provision/resources/provision.ts";
import { GOOD_PASSWORD } from "../support/access.ts";
import { send } from "../support/api-client.ts";
import { gatehouse } from "../support/cli.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { testFolder } from "../support/test-folder.ts";

const DOCUMENT = {
  account: { email: "owner@example.org", name: "Olga", password: GOOD_PASSWORD },
  site: { name: "Green House", timeZone: "Asia/Kolkata", latitude: 18.5, longitude: 73.8, capacity: 12 },
  rooms: [
    { name: "Kitchen", icon: "kitchen" },
    { name: "Gate", icon: "gate" },
  ],
  devices: [
    { id: "plug-1", name: "Kettle", type: "smart-plug", room: "Kitchen", password: "secret-123" },
    { id: "gate-1", name: "Gate", type: "gate", room: "Gate" },
    { id: "cam-1", name: "Gate camera", type: "camera", room: "Gate", password: "cam-secret" },
  ],
  scenes: [{ name: "Good night", actions: [{ deviceId: "plug-1", command: { power: false } }] }],
  keys: [
    { name: "App", env: "live", scopes: ["devices:read", "devices:control"], origins: ["https://app.example.org"] },
    { name: "All", env: "test", scopes: "*" },
  ],
  webhooks: [{ url: "http://192.168.1.20:9000/hook", events: ["device.state", "device.online"], env: "live" }],
  cameras: [
    {
      deviceId: "cam-1",
      direction: "in",
      source: { kind: "native" },
      gate: { deviceId: "gate-1", command: { open: true } },
    },
  ],
  gateChoices: {
    defaults: [{ earns: "confirm", deviceId: "cam-1", windows: [], away: false }],
    away: null,
    confirmedBy: [
      { kind: "state", cameraId: null, deviceId: "plug-1", field: "on", value: true },
      { kind: "pin", cameraId: null, deviceId: "plug-1", field: "code", pin: "4711" },
    ],
    whenInside: "ask",
    elsewhere: { withinSeconds: 60, follows: "refuse" },
    asksNearMisses: true,
    followed: [{ gateId: "gate-1", loop: null }],
  },
  plateRules: [
    { plate: "mh-12 ab 1234", kind: "allow", label: "Olga", earns: "ask" },
    { plate: "KA01MM1111", kind: "deny", deviceId: "cam-1", validTo: "2027-01-01T00:00:00Z" },
  ],
};

const parse = (text: string) => JSON.parse(text);

t.test("a new hub is set up from one document without being started, and again without change", async (t) => {
  const folder = testFolder(t);
  const first = await gatehouse(folder, ["provision", "-"], { input: JSON.stringify(DOCUMENT) });
  t.equal(first.code, 0, first.err);
  const made = parse(first.out);
  t.match(made, {
    account: { email: "owner@example.org", name: /^Olga$/ },
    site: DOCUMENT.site,
    rooms: [{ id: Number, name: /^Kitchen$/ }, { name: /^Gate$/ }],
    devices: [
      { id: /^plug-1$/, room: "Kitchen", password: "secret-123" },
      { password: /^[0-9A-Za-z]{32}$/ },
      { password: "cam-secret" },
    ],
    scenes: [{ id: Number, name: /^Good night$/ }],
    keys: [
      { secret: /^gth_live_/, origins: ["https://app.example.org"] },
      { secret: /^gth_test_/, scopes: ["devices:read"] },
    ],
    webhooks: [{ id: Number, secret: /^whsec_/ }],
    cameras: [{ deviceId: /^cam-1$/, direction: /^in$/, gate: { deviceId: /^gate-1$/ } }],
    gateChoices: { change: /^changed$/ },
    plateRules: [
      { plate: /^MH12AB1234$/, kind: /^allow$/, earns: /^ask$/ },
      { plate: /^KA01MM1111$/, deviceId: /^cam-1$/, validTo: "2027-01-01T00:00:00.000Z" },
    ],
  });
  const second = await gatehouse(folder, ["provision", "-"], { input: JSON.stringify(DOCUMENT) });
  t.equal(second.code, 0, second.err);
  const again = parse(second.out);
  for (const part of ["rooms", "scenes", "keys", "webhooks", "plateRules"]) {
    const ids = (result: Record<string, { id: number }[]>): number[] => (result[part] ?? []).map((entry) => entry.id);
    t.same(ids(again), ids(made), part);
  }
  t.equal(again.keys[0].secret, null, "a key's text is shown once");
  t.equal(again.webhooks[0].secret, made.webhooks[0].secret);
});

t.test("a running hub takes the document over its control socket and serves it at once", async (t) => {
  const { dataFolder, port } = await startConsoleHub(t, { claim: false });
  const file = join(dataFolder, "setup.json");
  writeFileSync(file, JSON.stringify(DOCUMENT));
  const { code, out, err } = await gatehouse(dataFolder, ["provision", file]);
  t.equal(code, 0, err);
  const key = parse(out).keys[0].secret;
  const { devices } = (await send(port, "GET", "/v1/devices", { key })).body;
  t.same(
    devices.map((device: { id: string; room: string }) => [device.id, device.room]),
    [
      ["gate-1", "Gate"],
      ["cam-1", "Gate"],
      ["plug-1", "Kitchen"],
    ],
  );
  const signIn = await send(port, "POST", "/api/session", {
    json: { email: "owner@example.org", password: GOOD_PASSWORD },
  });
  t.equal(signIn.status, 200);
  const keys = await gatehouse(dataFolder, ["keys", "list", "--json"]);
  t.equal(parse(keys.out).keys.length, 2);
  t.equal(
    (
      await send(port, "GET", "/v1/devices", {
        key: parse((await gatehouse(dataFolder, ["keys", "create", "--name", "CLI", "--scopes", "all", "--json"])).out)
          .secret,
      })
    ).status,
    200,
  );
});

t.test("the time to apply a document again does not grow with the square of its rules", async (t) => {
  const { dataFolder, hub } = await startConsoleHub(t, { claim: false });
  const plateRules = [1001, 1002, 1003].map((number) => ({ plate: `MH12AB${number}`, kind: "allow" }));
  const input = JSON.stringify({ ...DOCUMENT, plateRules });
  t.equal((await gatehouse(dataFolder, ["provision", "-"], { input })).code, 0);
  const { rules } = hub.gate;
  const list = rules.list.bind(rules);
  let lists = 0;
  rules.list = (siteId) => {
    lists += 1;
    return list(siteId);
  };
  const again = await gatehouse(dataFolder, ["provision", "-"], { input });
  t.same(
    parse(again.out).plateRules.map(({ change }: { change: string }) => change),
    ["none", "none", "none"],
  );
  t.equal(lists, 0, "no rule is found by scanning all");
});

t.test("what a document names is overwritten, what it leaves out stays", async (t) => {
  const folder = testFolder(t);
  await gatehouse(folder, ["provision", "-"], { input: JSON.stringify(DOCUMENT) });
  const change = {
    account: { email: "OWNER@example.org", password: "another good password 7" },
    devices: [{ id: "plug-1", name: "Big kettle", password: "secret-456" }],
    scenes: [{ name: "Good night", actions: [] }],
    keys: [{ name: "App", scopes: ["rooms:read"] }],
    plateRules: [{ plate: "MH12AB1234", kind: "watch" }],
  };
  const { code, out, err } = await gatehouse(folder, ["provision", "-"], { input: JSON.stringify(change) });
  t.equal(code, 0, err);
  t.hasStrict(parse(out), {
    devices: [{ id: "plug-1", name: "Big kettle", type: "smart-plug", room: "Kitchen", password: "secret-456" }],
    scenes: [{ actions: [] }],
    keys: [{ scopes: ["rooms:read"], origins: ["https://app.example.org"] }],
    plateRules: [{ kind: "watch", label: "Olga" }],
    account: { passwordReset: false },
  });
  const { devices } = parse((await gatehouse(folder, ["devices", "list", "--json"])).out);
  t.equal(devices.length, 3);
});

t.test("names are equal in whatever way they are typed", async (t) => {
  const folder = testFolder(t);
  const provision = async (cafe: string, scene: string) => {
    const document = {
      account: DOCUMENT.account,
      rooms: [{ name: cafe }],
      scenes: [{ name: scene, actions: [] }],
      automations: [
        { name: "Night", trigger: { type: "time", at: "23:00" }, action: { type: "scene", scene: `${scene} ` } },
      ],
    };
    const { code, out, err } = await gatehouse(folder, ["provision", "-"], { input: JSON.stringify(document) });
    t.equal(code, 0, err);
    return parse(out).counts;
  };
  t.match(await provision("Caf\u00e9", " Good night"), { made: 4 });
  t.match(await provision("cafe\u0301", "Good night"), { made: 0 });
});

t.test("a wrong document is refused with the location of the error", async (t) => {
  const folder = testFolder(t);
  const provision = (document: unknown) =>
    gatehouse(folder, ["provision", "-", "--json"], { input: JSON.stringify(document) });
  const account = DOCUMENT.account;
  for (const [document, field] of [
    [{ devices: [] }, "/account"],
    [{ account: { ...account, password: "short" } }, "/account/password"],
    [{ account, devices: [{ id: "a b" }] }, "/devices/0/id"],
    [{ account, surprises: [] }, "/surprises"],
    [{ account, rooms: [{ name: "A" }, { name: "a" }] }, "/rooms/1"],
    [{ account, rooms: [{ name: "Caf\u00e9" }, { name: "Cafe\u0301" }] }, "/rooms/1"],
    [{ account, rooms: [{ name: "A", sort: 1e308 }] }, "/rooms/0/sort"],
    [{ account, plateRules: [{ plate: "MH12AB1234" }, { plate: "mh 12 ab 1234", kind: "deny" }] }, "/plateRules/1"],
    [{ account, clients: [{ name: "Plugs", family: "toaster" }] }, "/clients/0/family"],
    [{ account, clients: [{ name: "Plugs", family: "tasmota", also: ["shelly1", "toaster"] }] }, "/clients/0/also/1"],
    [
      { account, automations: [{ name: "x", trigger: { type: "time", at: "25:00" }, action: {} }] },
      "/automations/0/trigger",
    ],
    [
      {
        account,
        automations: [{ name: "x", trigger: { type: "time", at: "05:00" }, action: { type: "scene", scene: "none" } }],
      },
      "/automations/0/action/scene",
    ],
    [{ account, settings: { "backups.time": "25:00" } }, "/settings/backups.time"],
    [{ account, settings: { "no.such": 1 } }, "/settings/no.such"],
    [{ account, backups: { passphrase: "short" } }, "/backups/passphrase"],
    [{ account, site: { timeZone: "Mars/Base" } }, "/site/timeZone"],
    [
      { account, scenes: [{ name: "x", actions: [{ deviceId: "nobody", command: {} }] }] },
      "/scenes/0/actions/0/deviceId",
    ],
    [{ account, plateRules: [{ plate: "?" }] }, "/plateRules/0/plate"],
    [{ account, keys: [{ name: "x", scopes: ["everything"] }] }, "/keys/0/scopes"],
    [{ account, webhooks: [{ url: "ftp://x", events: ["device.state"] }] }, "/webhooks/0/url"],
    [{ account: { ...account, email: "" } }, "/account/email"],
  ] as const) {
    const { code, err } = await provision(document);
    t.equal(code, 1, JSON.stringify(document));
    t.ok(
      parse(err).error.details.some((detail: { field: string }) => detail.field.startsWith(field)),
      `${field}: ${err}`,
    );
    t.match(
      await gatehouse(folder, ["keys", "list"]),
      { code: 1, err: /Nobody owns|There is no hub/ },
      "nothing of it was stored",
    );
  }
  t.equal((await provision({ account })).code, 0);
  t.match(await provision({ account: { ...account, email: "stranger@example.org" } }), {
    code: 1,
    err: /belongs to owner@example.org/,
  });
  t.match(await gatehouse(folder, ["provision", "-"], { input: "{nope" }), {
    code: 1,
    err: /Standard input is not valid JSON/,
  });
  t.match(await gatehouse(folder, ["provision", join(folder, "none.json")]), { code: 1, err: /ENOENT/ });
  t.equal((await gatehouse(folder, ["provision"])).code, 2);
});

t.test("the help names every part and member that a set-up document may have", async (t) => {
  const members = (schema: object): string[] => {
    const {
      properties = {},
      items,
      anyOf = [],
    } = schema as { properties?: Record<string, object>; items?: object; anyOf?: object[] }; // TypeBox objects are plain JSON Schema
    const inner = [...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf].flatMap(members);
    return [...Object.keys(properties), ...inner];
  };
  const known = new Set(members(ProvisionDocument));
  t.ok(known.size > 35, `${known.size} members`);
  for (const member of known) t.ok(provisionCommand.help.includes(`"${member}"`), member);
});
