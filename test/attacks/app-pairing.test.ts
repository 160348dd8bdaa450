/**
 * Attacks on app pairing: keys for other people, more rights than a member has, a crowd of requests, a key that
 * outlives its person.
 */
import t from "tap";
import { HouseholdProcess } from "../support/household-process.ts";
import type { Person } from "../support/hub-process.ts";

t.setTimeout(60_000);
const house = await HouseholdProcess.start(t);
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
type Answer = { status: number; body: any };
const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> => {
  const response = await fetch(house.hub.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};
const ask = (scope = "devices:read devices:control"): Promise<Answer> =>
  post("/v1/pairing", { client_name: "Panel", scope });
const fetchKey = (device_code: string): Promise<Answer> =>
  post("/v1/pairing/token", { grant_type: GRANT, device_code });
const answer = (person: Person, verb: string, body: object): Promise<Answer> =>
  person.call("POST", `/api/pairing/${verb}`, body);

t.test("an app asks, the owner approves, the app gets its key; errors have the hub's common shape", async (t) => {
  const { status, body } = await ask();
  t.equal(status, 200);
  t.equal(body.verification_uri_complete, `${house.hub.url}/pair#${body.user_code}`);
  const page = await fetch(body.verification_uri, { headers: { accept: "text/html" } });
  t.match({ status: page.status, type: page.headers.get("content-type") }, { status: 200, type: /html/ });
  t.match(await fetchKey(body.device_code), {
    status: 400,
    body: { error: { code: /^authorization_pending$/, message: /\w/, requestId: /\w/, details: [] } },
  });
  const seen = await answer(house.owner, "look", { userCode: body.user_code });
  t.match(seen, {
    status: 200,
    body: {
      pairing: { name: /^Panel$/, scopes: ["devices:read", "devices:control"], withheld: [], address: "127.0.0.1" },
    },
  });
  const approved = await answer(house.owner, "approve", {
    userCode: body.user_code,
    name: "Kitchen panel",
    scopes: ["devices:read"],
  });
  t.match(approved, { status: 200, body: { done: true } });
  t.notMatch(JSON.stringify(approved.body), /gth_/);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const given = await fetchKey(body.device_code);
  t.match(given, { status: 200, body: { access_token: /^gth_live_/, token_type: "Bearer", scope: /^devices:read$/ } });
  t.hasStrict(await fetchKey(body.device_code), { status: 400, body: { error: { code: "expired_token" } } }, "once");
  const key = { id: 0, secret: given.body.access_token };
  t.match((await house.ask(key, "GET", "/v1/me")).body, {
    auth: { keyName: "Kitchen panel", scopes: ["devices:read"] },
  });
  t.notMatch(
    house.hub.output(),
    new RegExp(`${given.body.access_token}|${body.device_code}`),
    "the log contains neither key nor code",
  );
  const { body: audit } = await house.owner.call<{ audit: { action: string; target: string }[] }>("GET", "/api/audit");
  t.ok(audit.audit.some(({ action, target }) => action === "app.approved" && target === "Kitchen panel"));
  t.ok(audit.audit.some(({ action, target }) => action === "key.created" && target === "Kitchen panel"));
});

t.test(
  "a member's app has no more rights than the member, the owner sees it, and it ends with the member",
  async (t) => {
    const { person, id } = await house.join("member");
    const { body } = await ask("devices:read automations:write");
    t.match((await answer(person, "look", { userCode: body.user_code })).body, {
      pairing: { scopes: ["devices:read"], withheld: ["automations:write"] },
    });
    const greedy = await answer(person, "approve", {
      userCode: body.user_code,
      name: "x",
      scopes: ["devices:read", "automations:write"],
    });
    t.hasStrict(greedy, { status: 403, body: { error: { code: "insufficient_scope" } } });
    t.equal(
      (await answer(person, "approve", { userCode: body.user_code, name: "Ravi's phone", scopes: ["devices:read"] }))
        .status,
      200,
    );
    const given = await fetchKey(body.device_code);
    const key = { id: 0, secret: given.body.access_token };
    t.equal((await house.ask(key, "GET", "/v1/devices")).status, 200);
    const { body: listed } = await house.owner.call<{ keys: { id: number; name: string; person: string | null }[] }>(
      "GET",
      "/api/keys",
    );
    const shown = listed.keys.find(({ name }) => name === "Ravi's phone");
    t.equal(shown?.person, "Ravi");
    t.match(
      await house.owner.call("PATCH", `/api/keys/${shown?.id}`, { scopes: ["devices:read", "automations:write"] }),
      { status: 400 },
    );
    t.equal((await house.owner.call("DELETE", `/api/persons/${id}`)).status, 200);
    t.equal((await house.ask(key, "GET", "/v1/devices")).status, 401, "gone at once");
  },
);

interface App {
  readonly id: number;
  readonly name: string;
  readonly person: string | null;
  readonly mine: boolean;
}

t.test("a member sees and ends only the apps they paired; an owner sees and ends everyone's", async (t) => {
  const paired = async (person: Person, name: string): Promise<{ id: number; secret: string }> => {
    const { body } = await ask("devices:read");
    t.equal(
      (await answer(person, "approve", { userCode: body.user_code, name, scopes: ["devices:read"] })).status,
      200,
      name,
    );
    return { id: 0, secret: (await fetchKey(body.device_code)).body.access_token };
  };
  const apps = async (person: Person): Promise<readonly App[]> =>
    (await person.call<{ apps: App[] }>("GET", "/api/apps")).body.apps;
  const { person: ravi } = await house.join("member");
  const { person: mina } = await house.join("member");
  const [panel, phone, watch] = [
    await paired(house.owner, "Hall panel"),
    await paired(ravi, "Ravi's tablet"),
    await paired(mina, "Mina's watch"),
  ];
  t.match(await apps(ravi), [{ name: /^Ravi's tablet$/, mine: true, person: "Ravi" }]);
  t.equal((await apps(ravi)).length, 1, "neither the household's keys nor another member's apps");
  const all = await apps(house.owner);
  t.match(
    ["Hall panel", "Ravi's tablet", "Mina's watch"].map((name) => all.find((app) => app.name === name)),
    [
      { mine: true, person: null },
      { mine: false, person: "Ravi" },
      { mine: false, person: "Ravi" },
    ],
  );
  t.notMatch(JSON.stringify(all), /gth_|secret|prefix/);
  const idOf = (name: string): number => all.find((app) => app.name === name)?.id ?? 0;
  for (const name of ["Hall panel", "Mina's watch"])
    t.equal((await ravi.call("DELETE", `/api/apps/${idOf(name)}`)).status, 404, name);
  for (const key of [panel, watch]) t.equal((await house.ask(key, "GET", "/v1/devices")).status, 200, "still there");
  t.equal((await house.ask(phone, "GET", "/api/apps")).status, 403, "an app cannot manage apps");
  t.equal((await fetch(`${house.hub.url}/api/apps`)).status, 401);

  t.equal((await ravi.call("DELETE", `/api/apps/${idOf("Ravi's tablet")}`)).status, 200);
  t.equal((await house.ask(phone, "GET", "/v1/devices")).status, 401, "ended at once");
  t.equal((await ravi.call("DELETE", `/api/apps/${idOf("Ravi's tablet")}`)).status, 404, "there are none left");
  t.same(await apps(ravi), []);
  t.equal(
    (await house.owner.call("DELETE", `/api/apps/${idOf("Mina's watch")}`)).status,
    200,
    "an owner ends a member's app",
  );
  t.equal((await house.ask(watch, "GET", "/v1/devices")).status, 401);
});

t.test(
  "an approval is worth no more than its session: if its person is removed before the fetch, no key is issued",
  async (t) => {
    const { person, id } = await house.join("member");
    const { body } = await ask();
    t.equal(
      (await answer(person, "approve", { userCode: body.user_code, name: "x", scopes: ["devices:read"] })).status,
      200,
    );
    await house.owner.call("DELETE", `/api/persons/${id}`);
    t.hasStrict(await fetchKey(body.device_code), { status: 400, body: { error: { code: "access_denied" } } });
  },
);

t.test("unauthenticated clients, keys and other sites' pages can neither approve nor request pairing", async (t) => {
  const key = await house.key(["devices:read"]);
  for (const path of ["look", "approve", "deny"]) {
    const request = { userCode: "BBBB-BBBB", ...(path === "approve" ? { name: "x", scopes: ["devices:read"] } : {}) };
    t.equal((await post(`/api/pairing/${path}`, request)).status, 401, path);
    t.equal((await post(`/api/pairing/${path}`, request, { authorization: `Bearer ${key.secret}` })).status, 403, path);
  }
  t.hasStrict(
    await post("/v1/pairing", { client_name: "x", scope: "devices:read" }, { origin: "https://evil.example" }),
    {
      body: { error: { code: "origin_not_allowed" } },
    },
  );
  t.hasStrict(await ask("devices:read all"), { status: 400, body: { error: { code: "invalid_body" } } });
  t.hasStrict(await post("/v1/pairing/token", { grant_type: "password", device_code: "x" }), {
    status: 400,
    body: { error: { code: "invalid_body" } },
  });
  t.hasStrict(await fetchKey("x".repeat(43)), { body: { error: { code: "expired_token" } } });
});

t.test(
  "a crowd of apps from one address has to wait while the hub keeps serving; so does a client guessing codes",
  async (t) => {
    const statuses = new Map<number, number>();
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask()));
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    t.ok((statuses.get(200) ?? 0) <= 5, JSON.stringify([...statuses]));
    t.equal((statuses.get(200) ?? 0) + (statuses.get(429) ?? 0), 500);
    const { person } = await house.join("member");
    const guesses = [];
    for (let n = 0; n < 12; n++)
      guesses.push((await answer(person, "look", { userCode: `ZZZZ-ZZZ${"BCDFGHJKLMNP"[n]}` })).status);
    t.same(guesses, [...Array(10).fill(400), 429, 429]);
  },
);
