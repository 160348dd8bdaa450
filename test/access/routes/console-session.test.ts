import t from "tap";
import { localAddresses } from "../../../src/core/platform/network.ts";
import { totpCode, totpStep } from "../../../src/features/access/totp.ts";
import { GOOD_PASSWORD } from "../../support/access.ts";
import { send } from "../../support/api-client.ts";
import { cookieOf, startConsoleHub } from "../../support/console-hub.ts";

const EMAIL = "owner@example.org";
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function decoded(secret: string): Buffer {
  const bits = [...secret].map((character) => BASE32.indexOf(character).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

t.test("console routes answer nobody before the hub is claimed, and the claim opens a session", async (t) => {
  const { api, hub, port } = await startConsoleHub(t, { claim: false });
  const standing = (await api.get("/api/claim")).body;
  t.same(standing, {
    claimed: false,
    elsewhere: null,
    name: null,
    httpPort: standing.httpPort,
    httpsPort: null,
    plainHttp: "open",
  });
  t.equal((await send(port, "GET", "/v1/devices", { headers: { Authorization: "Bearer x" } })).status >= 400, true);
  t.equal((await api.get("/api/site")).status, 401);
  const json = { code: hub.access.claim.code(), name: "Olga", email: EMAIL, password: GOOD_PASSWORD };
  for (const [wrong, status, code] of [
    [{ ...json, code: "AAAAA-AAAAA" }, 400, "invalid_code"],
    [{ ...json, password: "short" }, 400, "weak_password"],
    [{ ...json, email: "nonsense" }, 400, "invalid_body"],
    [{ ...json, extra: 1 }, 400, "invalid_body"],
  ] as const) {
    const answer = await api.post("/api/claim", { json: wrong });
    t.same([answer.status, answer.body.error.code], [status, code]);
  }
  const claimed = await api.post("/api/claim", { json });
  t.equal(claimed.status, 201);
  t.hasStrict(claimed.body, { account: { email: EMAIL, name: "Olga" } });
  t.match(
    claimed.headers["set-cookie"]?.[0],
    /^gatehouse_session=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Strict$/,
  );
  t.equal((await api.get("/api/site", { headers: { Cookie: cookieOf(claimed) } })).status, 200);
  t.equal((await send(port, "GET", "/v1/me", { headers: { Cookie: cookieOf(claimed) } })).body.auth.method, "session");
  t.equal((await api.post("/api/claim", { json })).status, 409);
});

t.test("the claim's page knows beforehand that no code is taken from an address outside", async (t) => {
  const outside = { "X-Forwarded-For": "203.0.113.9" };
  const json = { code: "AAAAA-AAAAA", name: "Olga", email: EMAIL, password: GOOD_PASSWORD };
  for (const [anywhere, elsewhere, refusal] of [
    ["false", "203.0.113.9", "forbidden"],
    ["true", null, "invalid_code"],
  ] as const)
    await t.test(`from anywhere: ${anywhere}`, async (t) => {
      const env = { GATEHOUSE_HTTP_TRUST_PROXY: "true", GATEHOUSE_CLAIM_FROM_ANYWHERE: anywhere };
      const { api } = await startConsoleHub(t, { claim: false, env });
      t.equal((await api.get("/api/claim", { headers: outside })).body.elsewhere, elsewhere);
      t.equal((await api.get("/api/claim")).body.elsewhere, null);
      for (const own of localAddresses())
        t.equal(
          (await api.get("/api/claim", { headers: { "X-Forwarded-For": own } })).body.elsewhere,
          null,
          "the host's own address, which the terminal names, is the host",
        );
      t.equal((await api.post("/api/claim", { json, headers: outside })).body.error.code, refusal);
    });
});

t.test("signing in and out", async (t) => {
  const { api, call } = await startConsoleHub(t);
  const wrong = await api.post("/api/session", { json: { email: EMAIL, password: "wrong" } });
  t.same([wrong.status, wrong.body.error.code], [401, "invalid_login"]);
  const signedIn = await api.post("/api/session", { json: { email: EMAIL, password: GOOD_PASSWORD } });
  t.equal(signedIn.status, 200);
  const headers = { Cookie: cookieOf(signedIn) };
  const { sessions } = (await api.get("/api/sessions", { headers })).body;
  t.same(
    sessions.map((session: { current: boolean }) => session.current),
    [true, false],
  );
  const out = await api.delete("/api/session", { headers });
  t.match(out.headers["set-cookie"]?.[0], /^gatehouse_session=; Path=\/; Max-Age=0;/);
  t.equal((await api.get("/api/sessions", { headers })).status, 401);
  t.equal((await call("DELETE", "/api/sessions/999")).status, 404);
  t.equal((await call("DELETE", "/api/sessions/x")).status, 404);
  const own = (await call("GET", "/api/sessions")).body.sessions[0].id;
  t.equal((await call("DELETE", `/api/sessions/${own}`)).status, 200);
  t.equal((await call("GET", "/api/sessions")).status, 401);
});

t.test("pages of other sites and API keys are refused", async (t) => {
  const { api, call, port } = await startConsoleHub(t);
  const signIn = { json: { email: EMAIL, password: GOOD_PASSWORD } };
  const foreign = await api.post("/api/session", { ...signIn, headers: { Origin: "http://evil.example" } });
  t.same([foreign.status, foreign.body.error.code], [403, "origin_not_allowed"]);
  t.equal((await api.post("/api/session", { ...signIn, headers: { Origin: `http://127.0.0.1:${port}` } })).status, 200);
  const { secret } = (await call("POST", "/api/keys", { name: "App", env: "live", scopes: ["devices:read"] })).body;
  const byKey = await api.get("/api/keys", { key: secret });
  t.same([byKey.status, byKey.body.error.code], [403, "forbidden"]);
});

t.test("password, second factor and recovery", async (t) => {
  const { api, call } = await startConsoleHub(t);
  t.match((await call("GET", "/api/me")).body, { account: { email: EMAIL, totp: false, recoveryCodesLeft: 0 } });
  t.hasStrict((await call("PATCH", "/api/me", { name: " Olga Petrova " })).body, { account: { name: "Olga Petrova" } });
  t.equal((await call("PATCH", "/api/me", {})).status, 400);
  const next = "seven kettles under moss";
  t.equal((await call("POST", "/api/me/password", { password: "short" })).status, 400);
  t.equal((await call("POST", "/api/me/password", { password: next })).status, 200);
  t.equal((await call("GET", "/api/me")).status, 200, "the session in use stays open");

  t.equal((await call("POST", "/api/me/totp/confirm", { code: "123456" })).status, 409);
  const { secret } = (await call("POST", "/api/me/totp", {})).body;
  t.equal((await call("POST", "/api/me/totp/confirm", { code: "nonsense" })).status, 400);
  const { recoveryCodes } = (
    await call("POST", "/api/me/totp/confirm", { code: totpCode(decoded(secret), totpStep(Date.now())) })
  ).body;
  t.equal(recoveryCodes.length, 10);
  const without = await api.post("/api/session", { json: { email: EMAIL, password: next } });
  t.same([without.status, without.body.error.code], [401, "totp_required"]);
  t.equal(
    (await api.post("/api/session", { json: { email: EMAIL, password: next, totp: recoveryCodes[0] } })).status,
    200,
  );

  const renewed = (await call("POST", "/api/me/recovery-codes", {})).body.recoveryCodes;
  const last = "umbrellas eat purple soup";
  t.equal(
    (await api.post("/api/session/recover", { json: { email: EMAIL, code: recoveryCodes[1], password: last } })).status,
    401,
  );
  t.equal(
    (await api.post("/api/session/recover", { json: { email: EMAIL, code: renewed[0], password: last } })).status,
    200,
  );
  t.equal((await call("GET", "/api/me")).status, 401, "all sessions have ended");
  t.equal(
    (await api.post("/api/session", { json: { email: EMAIL, password: last } })).status,
    200,
    "the second factor is off",
  );
});

t.test("a second factor can be switched off", async (t) => {
  const { call } = await startConsoleHub(t);
  const { secret } = (await call("POST", "/api/me/totp", {})).body;
  await call("POST", "/api/me/totp/confirm", { code: totpCode(decoded(secret), totpStep(Date.now())) });
  t.equal((await call("GET", "/api/me")).body.account.totp, true);
  t.equal((await call("POST", "/api/me/totp/disable", {})).status, 200);
  t.equal((await call("GET", "/api/me")).body.account.totp, false);
});
