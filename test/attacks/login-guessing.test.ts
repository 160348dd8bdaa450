import t from "tap";
import { totpCode, totpStep } from "../../src/features/access/totp.ts";
import { ask, type Reply } from "../support/attacker.ts";
import { Person, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const EMAIL = "asha@example.org";
const PASSWORD = "correct horse battery staple";

const hub = await startHubProcess(testFolder(t), { GATEHOUSE_RECOGNITION: "false" }, { dearPasswords: true });
t.teardown(() => hub.kill());
const port = Number(new URL(hub.url).port);

const login = (
  from: string,
  password: string,
  more: { email?: string; totp?: string; cookie?: string } = {},
): Promise<Reply> => {
  const { email = EMAIL, totp, cookie } = more;
  const json = { email, password, ...(totp === undefined ? {} : { totp }) };
  return ask(port, "/api/session", { from, json, headers: cookie === undefined ? {} : { Cookie: cookie } });
};
const statuses = (replies: readonly Reply[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
/** Everything by which a caller could distinguish two responses. */
const shape = ({ status, headers, body }: Reply): object => ({
  status,
  headers: Object.keys(headers).sort(),
  body: body.replace(/"requestId":"[^"]*"/, "").replace(/\d+/g, "0"),
});
const devices = new Map<string, string>();
const deviceCookie = (reply: Reply): string => {
  const cookie = [reply.headers["set-cookie"] ?? []].flat().find((one) => one.startsWith("gatehouse_device="));
  return cookie?.split(";")[0] ?? "";
};

t.test("claim codes cannot be guessed: ten tries per address; the right code still works from another", async (t) => {
  const claim = (from: string, code: string) =>
    ask(port, "/api/claim", { from, json: { code, name: "Asha", email: EMAIL, password: PASSWORD } });
  const guesses = await Promise.all(
    Array.from({ length: 30 }, (_, at) => claim("127.0.31.1", `AAAA${at}-AAAAA`.slice(0, 11))),
  );
  t.same(statuses(guesses), { 400: 10, 429: 20 });
  const owner = await claim("127.0.31.2", hub.claimCode ?? "");
  t.equal(owner.status, 201);
  devices.set("owner", deviceCookie(owner));
  t.match(devices.get("owner"), /^gatehouse_device=1\./);
  t.equal((await claim("127.0.31.2", hub.claimCode ?? "")).status, 409, "once");
});

t.test("known and unknown e-mail addresses get the same answer on every way in", async (t) => {
  const ways: Record<string, (email: string, from: string) => Promise<Reply>> = {
    "sign-in": (email, from) => login(from, "a wrong password", { email }),
    recover: (email, from) =>
      ask(port, "/api/session/recover", { from, json: { email, code: "AAAAA-AAAAA", password: "short" } }),
    invitation: (email, from) =>
      ask(port, "/api/join", { from, json: { email, code: "AAAA-AAAA-AAAA", name: "X", password: "short" } }),
  };
  for (const [what, way] of Object.entries(ways)) {
    const known = await way(EMAIL, "127.0.32.1");
    const unknown = await way("nobody@example.org", "127.0.32.2");
    t.same(shape(known), shape(unknown), `${what}: ${known.status}`);
    t.notMatch(known.body, /weak_password/, what);
  }
});

t.test(
  "simultaneous guesses are counted before they are checked, and a member's sign-in resets only the member's own",
  async (t) => {
    const eight = await Promise.all(
      Array.from({ length: 8 }, () => login("127.0.34.1", "a wrong password", { email: "mika@example.org" })),
    );
    t.same(statuses(eight), { 401: 5, 429: 3 });

    const owner = new Person(hub.url);
    t.equal((await owner.call("POST", "/api/session", { email: EMAIL, password: PASSWORD })).status, 200);
    const { body } = await owner.call<{ code: string }>("POST", "/api/persons/invitations", {
      name: "Mika",
      role: "member",
    });
    const joined = await ask(port, "/api/join", {
      from: "127.0.35.2",
      json: { code: body.code, name: "Mika", email: "mika2@example.org", password: "marble tulip sails north 9" },
    });
    t.equal(joined.status, 201);
    const guess = (cookie?: string) =>
      login("127.0.35.1", "a wrong password", {
        email: "mika2@example.org",
        ...(cookie === undefined ? {} : { cookie }),
      });
    for (let at = 0; at < 4; at++) t.equal((await guess()).status, 401);
    t.equal((await login("127.0.35.1", PASSWORD)).status, 200);
    const more = await Promise.all([
      guess(),
      guess(),
      guess(),
      guess(devices.get("owner")),
      guess(devices.get("owner")),
    ]);
    t.same(
      statuses(more),
      { 401: 1, 429: 4 },
      "only the fifth is checked; a device cookie is worthless for another account",
    );
  },
);

t.test("clients at many addresses do not keep the owner out of a browser that was used before", async (t) => {
  for (let round = 0; round < 3; round++)
    await Promise.all(
      Array.from({ length: 8 }, (_, at) => login(`127.0.36.${round * 8 + at + 1}`, "a wrong password")),
    );
  t.equal((await login("127.0.37.1", PASSWORD)).status, 429, "a new browser waits");
  t.equal(
    (await login("127.0.37.1", PASSWORD, { cookie: "gatehouse_device=1.invented.invented" })).status,
    429,
    "with an invented cookie too",
  );
  t.equal((await login("127.0.37.1", PASSWORD, { cookie: devices.get("owner") ?? "" })).status, 200);
});

t.test("a second factor's code works once, even for two simultaneous tries, and few guesses are allowed", async (t) => {
  const cookie = devices.get("owner") ?? "";
  const session = await login("127.0.0.1", PASSWORD, { cookie });
  const headers = {
    Cookie: [session.headers["set-cookie"] ?? []]
      .flat()
      .map((one) => one.split(";")[0])
      .join("; "),
  };
  const begun = await ask(port, "/api/me/totp", { json: {}, headers });
  t.equal(begun.status, 200, begun.body);
  const { secret } = JSON.parse(begun.body) as { secret: string };
  const bits = [...secret]
    .map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0"))
    .join("");
  const bytes = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  const code = (step: number): string => totpCode(bytes, totpStep(Date.now()) + step);
  const confirmed = await ask(port, "/api/me/totp/confirm", { json: { code: code(-1) }, headers });
  t.equal(confirmed.status, 200, confirmed.body);
  const next = code(1);
  const two = await Promise.all([
    login("127.0.0.1", PASSWORD, { cookie, totp: next }),
    login("127.0.0.1", PASSWORD, { cookie, totp: next }),
  ]);
  t.same(statuses(two), { 200: 1, 401: 1 }, "of two simultaneous ones, one");
  t.equal((await login("127.0.0.1", PASSWORD, { cookie, totp: next })).status, 401, "never again");
  const wrong = String((Number(next) + 500_000) % 1_000_000).padStart(6, "0");
  const guesses = await Promise.all(
    Array.from({ length: 12 }, (_, at) => login(`127.0.38.${at + 1}`, PASSWORD, { totp: wrong })),
  );
  t.ok((statuses(guesses)[401] ?? 0) <= 5, JSON.stringify(statuses(guesses)));
  t.notOk(statuses(guesses)[200]);
});
