/** Who may call what: every route of the hub, called by an owner, a gatekeeper, a member and an unauthenticated client. */
import { type IncomingMessage, request } from "node:http";
import t, { type Test } from "tap";
import { isAtLeast, type Role } from "../../../src/core/api/roles.ts";
import type { RouteSpec } from "../../../src/core/api/route.ts";
import { send } from "../../support/api-client.ts";
import { type ConsoleHub, startConsoleHub } from "../../support/console-hub.ts";
import { type Who as Asker, GATEKEEPER_ROUTES, MEMBER_ROUTES, ROUTE_RIGHTS } from "../../support/route-rights.ts";

/** Guarded by a secret that only an owner gets: an upload's unguessable name, the claim code. */
const GUARDED_OTHERWISE = [
  "PUT /api/uploads/{id}",
  "GET /api/uploads/{id}",
  "POST /api/claim/uploads",
  "POST /api/claim/restore",
];

t.setTimeout(300_000); // a request or two for every route

type Who = "owner" | "gatekeeper" | "member" | "stranger";

async function household(t: Test): Promise<ConsoleHub & { cookieOf: (who: Who) => Promise<string> }> {
  const made = await startConsoleHub(t);
  const { access } = made.hub;
  const { database } = made.hub.base;
  const ownerId = access.accounts.owner()?.id ?? 0;
  const from = { address: "192.168.1.20", userAgent: "test" };
  const join = async (name: string, role: "gatekeeper" | "member"): Promise<number> => {
    const { code } = await access.persons.invite(ownerId, { name, role }, { accountId: ownerId, actor: "cli" });
    const who = { code, name, email: `${name}@example.org`, password: "a quiet sentence about rain" };
    return (await access.persons.join(who, from)).account.id;
  };
  const ids = { owner: ownerId, gatekeeper: await join("Gopal", "gatekeeper"), member: await join("Ravi", "member") };
  const open = new Map<Who, string>();
  const cookieOf = async (who: Who): Promise<string> => {
    if (who === "stranger") return "";
    const known = open.get(who);
    // some calls end their session
    if (known !== undefined && access.sessions.match(known).kind === "active") return known;
    const cookie = `gatehouse_session=${(await database.write(() => access.sessions.open(ids[who], from))).token}`;
    open.set(who, cookie);
    return cookie;
  };
  return { ...made, cookieOf };
}

/** A response that continues until the client or the test ends it. */
const isStream = (spec: RouteSpec): boolean => spec.responses[200]?.contentType === "text/event-stream";
const nameOf = (spec: RouteSpec): string => `${spec.method} ${spec.path}`;

async function asked(
  house: Awaited<ReturnType<typeof household>>,
  spec: RouteSpec,
  who: Who,
): Promise<{ status: number; code: string }> {
  const path = spec.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    /id$/i.test(name) && !/devices|cameras|uploads/.test(spec.path) ? "999999" : "nobody-here",
  );
  const cookie = await house.cookieOf(who);
  const body =
    spec.body === undefined ? {} : { headers: { "Content-Type": spec.bodyType?.split(",")[0] ?? "application/json" } };
  const answer = await send(house.port, spec.method, path, {
    headers: { ...(cookie === "" ? {} : { Cookie: cookie }), ...("headers" in body ? body.headers : {}) },
  });
  return { status: answer.status, code: answer.body?.error?.code ?? "" };
}

t.test("what gatekeepers, members and unauthenticated clients may do", async (t) => {
  const house = await household(t);
  const specs = house.hub.web.routes
    .map(({ spec }) => spec)
    .filter((spec) => spec.access.kind !== "box" && !isStream(spec));
  t.ok(specs.length > 120, `${specs.length} routes`);
  for (const spec of specs) {
    const name = nameOf(spec);
    if (GUARDED_OTHERWISE.includes(name)) continue;
    for (const [who, open] of [
      ["member", MEMBER_ROUTES],
      ["gatekeeper", GATEKEEPER_ROUTES],
    ] as const) {
      const person = await asked(house, spec, who);
      if (open.has(name)) t.not(person.status, 403, `${name}: allowed for a ${who}`);
      else
        t.match(person, { status: 403, code: /^(forbidden|insufficient_scope)$/ }, `${name}: forbidden for a ${who}`);
    }
    const anonymous = await asked(house, spec, "stranger");
    if (spec.access.kind === "public") t.not(anonymous.code, "missing_credential", `${name}: allowed for anyone`);
    else t.hasStrict(anonymous, { status: 401, code: "missing_credential" }, `${name}: forbidden without a credential`);
  }
});

t.test("an owner may do everything", async (t) => {
  const house = await household(t);
  // Only reads: the owner's other calls are covered by the tests of each route.
  const specs = house.hub.web.routes
    .map(({ spec }) => spec)
    .filter((spec) => spec.method === "GET" && spec.access.kind !== "box" && !isStream(spec));
  for (const spec of specs) {
    const { status, code } = await asked(house, spec, "owner");
    t.ok(
      status < 400 || status === 404 || status === 400 || code === "unavailable",
      `${nameOf(spec)}: ${status} ${code}`,
    );
  }
});

t.test(
  "the lists of what members and gatekeepers may do name existing routes, and all that the definitions open",
  async (t) => {
    const { hub } = await startConsoleHub(t);
    const names = hub.web.routes.map(({ spec }) => nameOf(spec));
    t.strictSame(
      // those only with TLS
      [...GATEKEEPER_ROUTES].filter((name) => !names.includes(name) && !/^GET \/ca(\.crt)?$/.test(name)),
      [],
    );
    const declared = (role: Role): string[] =>
      hub.web.routes
        .map(({ spec }) => spec)
        .filter(({ access }) => access.kind === "session" && isAtLeast(role, access.least ?? "owner"))
        .map(nameOf)
        .sort();
    const listed = (...kinds: Asker[]): string[] =>
      ROUTE_RIGHTS.flatMap(([who, routes]) => (kinds.includes(who) ? routes : [])).sort();
    t.strictSame(declared("member"), listed("person"), "session routes that are open to members");
    t.strictSame(declared("gatekeeper"), listed("person", "gatekeeper"), "and to gatekeepers");
  },
);

t.test("a member reads the household's news, and nothing about keys and sign-ins", async (t) => {
  const house = await household(t);
  const { hub, port } = house;
  const siteId = hub.access.accounts.siteIdOf(1, "live");
  const Cookie = await house.cookieOf("member");
  let text = "";
  const response = await new Promise<IncomingMessage>((resolve) =>
    request({ port, path: "/api/stream", headers: { Cookie } }, resolve).end(),
  );
  response.on("data", (chunk) => (text += String(chunk)));
  while (!text.includes("retry:")) await new Promise((resolve) => setTimeout(resolve, 5));
  for (const kind of ["key.created", "security.login_failed", "device.added"] as const)
    await hub.base.database.write(() =>
      hub.feed.feed.record({ siteId, kind, deviceId: null, title: kind, body: "", at: Date.now() }),
    );
  const kinds = async (who: Who): Promise<string[]> => {
    const { body } = await send(port, "GET", "/v1/events", { headers: { Cookie: await house.cookieOf(who) } });
    return (body as { events: { kind: string }[] }).events.map(({ kind }) => kind); // its contract
  };
  t.ok((await kinds("owner")).includes("key.created"));
  const seen = await kinds("member");
  t.ok(seen.includes("device.added"));
  t.notOk(seen.some((kind) => /^(key|security|webhook)\./.test(kind)));
  while (!text.includes("device.added")) await new Promise((resolve) => setTimeout(resolve, 5));
  response.destroy();
  t.notMatch(text, /key\.created|login_failed/, "nor over the stream");
});
