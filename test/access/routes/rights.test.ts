/**
 * Every route, called with every kind of credential: one table gives the outcome. Routes not in it are for owners only.
 */
import t from "tap";
import type { RouteSpec } from "../../../src/core/api/route.ts";
import { ALL_SCOPES, type Scope } from "../../../src/core/api/scopes.ts";
import { send } from "../../support/api-client.ts";
import { startConsoleHub } from "../../support/console-hub.ts";
import { GATEKEEPER_SCOPES, MEMBER_SCOPES, ROUTE_RIGHTS, type Who } from "../../support/route-rights.ts";

t.setTimeout(120_000); // some requests for every route
const {
  hub,
  port,
  cookie: owner,
} = await startConsoleHub(t, { env: { GATEHOUSE_RATE_FAILED_CREDENTIALS_PER_MINUTE: "0" } });
const { access, devices, scenes } = hub;
const { database } = hub.base;
const householdId = access.accounts.owner()?.id ?? 0;
const by = { accountId: householdId, actor: "cli" };
const from = { address: "192.168.1.20", userAgent: "test" };
const siteId = access.accounts.siteIdOf(householdId, "live");
await devices.registry.create(siteId, { id: "front-gate", name: "Front gate", type: "gate" });
const scene = await scenes.scenes.create(siteId, {
  name: "Real evening",
  actions: [{ deviceId: "front-gate", command: { open: true } }],
});
const rule = await hub.automations.automations.create(siteId, {
  name: "Real rule",
  trigger: { type: "time", at: "07:00" },
  action: { type: "notify", title: "t", body: "" },
});
const plateRule = await hub.gate.rules.create(siteId, { plate: "MH12AB1234" }, "cli");
const join = async (name: string, role: "gatekeeper" | "member") => {
  const { code } = await access.persons.invite(householdId, { name, role }, by);
  const who = { code, name, email: `${name}@example.org`, password: "a quiet sentence about rain" };
  return (await access.persons.join(who, from)).account;
};
const ravi = await join("Ravi", "member");
const guard = await join("Gopal", "gatekeeper");

const rightOf = new Map<string, Who>(
  ROUTE_RIGHTS.flatMap(([who, names]) => names.map((name): [string, Who] => [name, who])),
);
const nameOf = (spec: RouteSpec): string => `${spec.method} ${spec.path}`;
// they do not end; test/attacks/rights-streams.test.ts and test/attacks/stream-readers.test.ts cover them
const specs = hub.web.routes.map(({ spec }) => spec).filter(({ path }) => !/\/(stream|listen)$/.test(path));

const cookies = new Map<number, string>();
/** A person's session; some calls end it. */
async function cookieOf(accountId: number): Promise<string> {
  const known = cookies.get(accountId) ?? "";
  if (access.sessions.match(known).kind === "active") return known;
  const next = await sessionOf(accountId);
  cookies.set(accountId, next);
  return next;
}

async function sessionOf(accountId: number): Promise<string> {
  return `gatehouse_session=${(await database.write(() => access.sessions.open(accountId, from))).token}`;
}

const made = new Map<string, string>();
async function keyWith(scopes: readonly Scope[], env: "live" | "test" = "live"): Promise<string> {
  const name = `${env} ${scopes.join()}`;
  const known =
    made.get(name) ??
    (await access.keys.create(householdId, { name: "k", env, scopes, origins: [], expiresAt: null }, by)).secret;
  made.set(name, known);
  return known;
}

type Asker = { readonly key?: string; readonly cookie?: string };

/** Objects of the real household, where it has some. */
function idFor(path: string): string {
  if (/devices|cameras/.test(path)) return "front-gate";
  if (path.includes("/v1/scenes")) return String(scene.id);
  if (path.includes("/v1/automations")) return String(rule.id);
  if (path.includes("/v1/plate-rules")) return String(plateRule.id);
  return /plate\}|uploads|files/.test(path) ? "nobody-here" : "999999";
}

async function ask(spec: RouteSpec, { key, cookie }: Asker): Promise<{ status: number; code: string; text: string }> {
  const path = spec.path.replace(/\{(\w+)\}/g, () => idFor(spec.path));
  const headers = {
    ...(cookie === undefined ? {} : { Cookie: cookie }),
    ...(spec.body === undefined ? {} : { "Content-Type": spec.bodyType?.split(",")[0] ?? "application/json" }),
  };
  const answer = await send(port, spec.method, path, { headers, ...(key === undefined ? {} : { key }) });
  return { status: answer.status, code: answer.body?.error?.code ?? "", text: answer.bytes.toString("utf8") };
}

const REFUSALS = [
  "missing_credential",
  "invalid_credential",
  "expired_credential",
  "revoked_credential",
  "insufficient_scope",
  "forbidden",
];

t.test("the table names existing routes, each once", async (t) => {
  const names = specs.map(nameOf);
  const optional = /^GET \/ca(\.crt)?$|\/api\/stream$/; // only with TLS; not covered here
  for (const name of rightOf.keys()) t.ok(names.includes(name) || optional.test(name), name);
  t.equal(rightOf.size, ROUTE_RIGHTS.flatMap(([, list]) => list).length);
  t.ok(names.length > 120);
});

t.test("every route with every credential", async (t) => {
  const revoked = await access.keys.create(
    householdId,
    { name: "gone", env: "live", scopes: ALL_SCOPES, origins: [], expiresAt: null },
    by,
  );
  await access.keys.revoke(householdId, revoked.key.id, by);
  const ended = await sessionOf(ravi.id);
  await access.sessions.revoke(ravi.id, access.sessions.list(ravi.id)[0]?.id ?? 0, "cli");
  const everything = await keyWith(ALL_SCOPES);
  for (const spec of specs) {
    const name = nameOf(spec);
    const who = rightOf.get(name) ?? "owner";
    const refusal = async (asker: Asker): Promise<string> => {
      const { status, code } = await ask(spec, asker);
      return REFUSALS.includes(code)
        ? `${status} ${code}`
        : status === 404 && code === "route_not_found"
          ? "404"
          : "let in";
    };
    const wanted = (outcome: string): string => (who === "public" ? "let in" : who === "box" ? "404" : outcome);
    // guarded by a secret in the request: covered by their own tests
    if (who === "public" && /claim|join|pairing|session|uploads/.test(spec.path)) continue;
    t.equal(await refusal({}), wanted("401 missing_credential"), `${name}: no credential`);
    t.equal(
      await refusal({ key: "gth_live_nobodyhasthiskeyatall0000000000" }),
      wanted("401 invalid_credential"),
      `${name}: an invented key`,
    );
    t.equal(await refusal({ key: revoked.secret }), wanted("401 revoked_credential"), `${name}: a revoked key`);
    t.equal(await refusal({ cookie: ended }), wanted("401 invalid_credential"), `${name}: a session that has ended`);
    const isScope = (ALL_SCOPES as readonly string[]).includes(who);
    if (isScope) {
      const scope = who as Scope; // it has just been found among them
      const others = await keyWith(ALL_SCOPES.filter((one) => one !== scope));
      t.equal(await refusal({ key: others }), "403 insufficient_scope", `${name}: a key with every other scope`);
      const test = await ask(spec, { key: await keyWith([scope], "test") });
      if (spec.path.includes("{id}"))
        t.ok(test.status === 404 || test.status === 400, `${name}: the other household's object: ${test.status}`);
      t.notMatch(test.text, /front-gate|Real/, `${name}: nothing of the other household`);
      t.equal(await refusal({ key: await keyWith([scope]) }), "let in", `${name}: a key with this scope alone`);
    } else
      t.equal(
        await refusal({ key: everything }),
        wanted(who === "credential" ? "let in" : "403 forbidden"),
        `${name}: a key with every scope`,
      );
    for (const [person, scopes, sessions] of [
      [ravi, MEMBER_SCOPES, ["person", "credential"]],
      [guard, GATEKEEPER_SCOPES, ["person", "gatekeeper", "credential"]],
    ] as const) {
      const outcome = isScope
        ? scopes.includes(who)
          ? "let in"
          : "403 insufficient_scope"
        : sessions.some((one) => one === who)
          ? "let in"
          : wanted("403 forbidden");
      t.equal(await refusal({ cookie: await cookieOf(person.id) }), outcome, `${name}: a ${person.role}`);
    }
    const isHarmless = spec.method === "GET" || spec.body !== undefined; // no body is sent: routes that need one do nothing
    if (isHarmless) t.equal(await refusal({ cookie: owner }), wanted("let in"), `${name}: an owner`);
  }
});
