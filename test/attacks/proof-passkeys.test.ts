/**
 * Attacks on passkeys: answers that are replayed, made elsewhere, made for another person, or signed by a copy of the
 * key.
 */
import t from "tap";
import { totpCode, totpStep } from "../../src/features/access/totp.ts";
import { type HubProcess, startHubProcess } from "../support/hub-process.ts";
import { type Lies, SoftPasskey } from "../support/soft-passkey.ts";
import { testFolder } from "../support/test-folder.ts";
import { type TlsAnswer, TlsPerson } from "../support/tls-person.ts";

const NAME = "gatehouse.local";
const REFUSED = { status: 400, body: { error: { code: "passkey_refused" } } };
const STALE = { status: 403, body: { error: { code: "fresh_proof_required" } } };

t.setTimeout(180_000);

async function add(person: TlsPerson, passkey: SoftPasskey, lies: Lies = {}): Promise<TlsAnswer> {
  const { body } = await person.call("POST", "/api/me/passkeys/options", {});
  return person.call("POST", "/api/me/passkeys", { name: "Phone", response: passkey.create(body.options, lies) });
}

/** The current code of an authenticator app. */
function codeOf(secret: string): string {
  const bits = [...secret]
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return totpCode(
    Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))),
    totpStep(Date.now()),
  );
}

async function signInOptions(person: TlsPerson): Promise<{ challenge: string; rpId: string }> {
  return (await person.call("POST", "/api/session/passkey/options", {})).body.options;
}

async function signIn(person: TlsPerson, passkey: SoftPasskey, lies: Lies = {}): Promise<TlsAnswer> {
  return person.call("POST", "/api/session/passkey", { response: passkey.get(await signInOptions(person), lies) });
}

async function proofOptions(person: TlsPerson): Promise<{ challenge: string; rpId: string }> {
  return (await person.call("POST", "/api/session/proof/passkey/options", {})).body.options;
}

t.test("passkeys", async (t) => {
  const folder = testFolder(t);
  const env = {
    GATEHOUSE_TLS: "own",
    GATEHOUSE_PLAIN_HTTP: "open",
    GATEHOUSE_HTTPS_PORT: "0",
    GATEHOUSE_MQTTS_PORT: "0",
  };
  let hub: HubProcess = await startHubProcess(folder, env);
  t.teardown(() => hub.kill());
  let asha = await TlsPerson.at(hub);
  const claim = {
    code: hub.claimCode,
    name: "Asha",
    email: "asha@example.org",
    password: "correct horse battery staple",
  };
  t.equal((await asha.call("POST", "/api/claim", claim)).status, 201);
  let passkey = new SoftPasskey(asha.origin(NAME));

  await t.test("are created only on a page under the hub's own name over TLS", async (t) => {
    const plain = await fetch(`${hub.url}/api/session/passkey/options`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    t.not(plain.status, 200, "without TLS");
    for (const [name, place] of [
      ["127.0.0.1", "address"],
      ["evil.local", "name"],
      ["gatehouse", "name"],
      [NAME, "here"],
      ["localhost", "here"],
    ] as const) {
      t.match((await asha.call("GET", "/api/me/passkeys", undefined, { name })).body, { place }, name);
      const { status } = await asha.call("POST", "/api/me/passkeys/options", {}, { name });
      t.equal(status, place === "here" ? 200 : 409, name);
    }
    t.equal((await asha.call("POST", "/api/session/passkey/options", {}, { name: "www.example.org" })).status, 421);
  });

  await t.test("are refused when anything about them is wrong", async (t) => {
    for (const lies of [
      { origin: "https://evil.local" },
      { origin: `http://${NAME}` },
      { origin: `https://${NAME}` }, // another port of the same host is another page
      { rpId: "evil.local" },
      { userVerified: false },
      { challenge: "AAAA" },
    ])
      t.hasStrict(await add(asha, new SoftPasskey(asha.origin(NAME)), lies), REFUSED, JSON.stringify(lies));
    const { options } = (await asha.call("POST", "/api/me/passkeys/options", {})).body;
    const other = asha.other();
    t.equal((await other.call("POST", "/api/session", { email: claim.email, password: claim.password })).status, 200);
    t.match(
      await other.call("POST", "/api/me/passkeys", { name: "Phone", response: passkey.create(options) }),
      REFUSED,
      "the challenge of another session",
    );
    const signInChallenge = { ...options, challenge: (await signInOptions(asha)).challenge };
    t.match(
      await asha.call("POST", "/api/me/passkeys", { name: "Phone", response: passkey.create(signInChallenge) }),
      REFUSED,
      "one of a sign-in",
    );
    t.same((await asha.call("GET", "/api/me/passkeys")).body.passkeys, []);
    t.hasStrict(await add(asha, passkey), {
      status: 201,
      body: { passkey: { name: "Phone", host: NAME, lastUsedAt: null } },
    });
    t.match(await add(asha, passkey), { status: 409 }, "one passkey is one row");
  });

  await t.test("sign in once per challenge", async (t) => {
    t.match((await asha.other().call("GET", "/api/standing")).body, { passkeys: true, account: null });
    const response = passkey.get(await signInOptions(asha));
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => asha.other().call("POST", "/api/session/passkey", { response })),
    );
    t.equal(answers.filter(({ status }) => status === 200).length, 1, "of eight simultaneous ones, one");
    t.equal(answers.filter(({ status }) => status === 400).length, 7);
    t.hasStrict(await asha.other().call("POST", "/api/session/passkey", { response }), REFUSED, "and none later");
  });

  await t.test("sign no one in when anything is wrong", async (t) => {
    const thief = asha.other();
    for (const lies of [
      { origin: "https://evil.local" },
      { rpId: "evil.local" },
      { userVerified: false },
      { challenge: "AAAA" },
    ])
      t.hasStrict(await signIn(thief, passkey, lies), REFUSED, JSON.stringify(lies));
    t.hasStrict(await signIn(thief, new SoftPasskey(asha.origin(NAME))), REFUSED, "an unknown passkey");
    const forged = passkey.get(await signInOptions(thief)) as { response: { signature: string } };
    const signature = new SoftPasskey(asha.origin(NAME)).get(await signInOptions(thief)) as {
      response: { signature: string };
    };
    t.match(
      await thief.call("POST", "/api/session/passkey", {
        response: { ...forged, response: { ...forged.response, signature: signature.response.signature } },
      }),
      REFUSED,
      "another key's signature",
    );
    const elsewhere = await thief.call(
      "POST",
      "/api/session/passkey",
      { response: passkey.get(await signInOptions(thief)) },
      { name: "localhost" },
    );
    t.hasStrict(elsewhere, REFUSED, "on a page under another of the hub's names");
    t.equal(thief.cookie, "");
    t.equal((await signIn(thief, passkey)).status, 200, "and there it works");
    const again = passkey.counter - 1;
    t.hasStrict(await signIn(thief, passkey, { counter: again }), REFUSED, "a copy, whose counter is behind");
    const { audit } = (await asha.call("GET", "/api/audit")).body as { audit: { action: string; target: string }[] };
    t.match(
      audit.find(({ action }) => action === "passkey.copied"),
      { target: "Phone" },
    );
  });

  await t.test("a restarted hub asks for a proof, and accepts a passkey as one", async (t) => {
    const { cookie } = asha;
    await hub.stop();
    hub = await startHubProcess(folder, { ...env, GATEHOUSE_HTTP_PORT: "0" });
    asha = await TlsPerson.at(hub);
    asha.cookie = cookie;
    passkey = Object.assign(new SoftPasskey(asha.origin(NAME)), { counter: 0 });
    t.hasStrict(await asha.call("POST", "/api/me/passkeys/options", {}), STALE, "a stolen cookie cannot add a passkey");
    t.match(await asha.call("GET", "/api/session/proof"), {
      status: 403,
      body: { error: { passkey: true, secondFactor: false } },
    });
    t.equal((await asha.call("POST", "/api/session/proof", { password: claim.password })).status, 200);
    t.equal((await add(asha, passkey)).status, 201);
  });

  await t.test("a proof is for the session and the person that asked", async (t) => {
    const { code } = (await asha.call("POST", "/api/persons/invitations", { name: "Ravi", role: "member" })).body;
    const ravi = asha.other();
    const join = { code, name: "Ravi", email: "ravi@example.org", password: "a quiet sentence about rain" };
    t.equal((await ravi.call("POST", "/api/join", join)).status, 201);
    const options = await proofOptions(asha);
    t.match(
      await ravi.call("POST", "/api/session/proof/passkey", { response: passkey.get(options) }),
      REFUSED,
      "another person's passkey",
    );
    t.match(
      await ravi.call("POST", "/api/session/proof/passkey", { response: passkey.get(await proofOptions(ravi)) }),
      REFUSED,
    );
    t.match(
      await asha.call("POST", "/api/session/proof/passkey", { response: passkey.get(await signInOptions(asha)) }),
      REFUSED,
      "a sign-in's challenge",
    );
    t.match(
      await asha.call("POST", "/api/session/passkey", { response: passkey.get(options) }),
      REFUSED,
      "a proof's challenge",
    );
    const response = passkey.get(await proofOptions(asha));
    const statuses = await Promise.all(
      Array.from(
        { length: 6 },
        async () => (await asha.call("POST", "/api/session/proof/passkey", { response })).status,
      ),
    );
    t.strictSame(statuses.sort(), [200, 400, 400, 400, 400, 400]);

    await t.test("and does not outlive a change of role", async (t) => {
      t.match(await ravi.call("GET", "/api/session/proof"), { status: 200 }, "a member who has just joined");
      const { persons } = (await asha.call("GET", "/api/persons")).body as { persons: { id: number; name: string }[] };
      const id = persons.find(({ name }) => name === "Ravi")?.id;
      t.equal((await asha.call("PATCH", `/api/persons/${id}`, { role: "owner" })).status, 200);
      t.hasStrict(await ravi.call("POST", "/api/persons/invitations", { name: "Thief", role: "owner" }), STALE);
      const raviKey = new SoftPasskey(asha.origin(NAME));
      t.equal((await ravi.call("POST", "/api/session/proof", { password: join.password })).status, 200);
      t.equal((await add(ravi, raviKey)).status, 201);
      t.equal((await asha.call("DELETE", `/api/persons/${id}`)).status, 200);
      t.hasStrict(await signIn(asha.other(), raviKey), REFUSED, "a removed person has no passkey left");
    });
  });

  await t.test("a removed passkey is refused, even by a page that asked before", async (t) => {
    const options = await signInOptions(asha);
    const { passkeys } = (await asha.call("GET", "/api/me/passkeys")).body as { passkeys: { id: number }[] };
    for (const { id } of passkeys) t.equal((await asha.call("DELETE", `/api/me/passkeys/${id}`)).status, 200);
    t.hasStrict(await asha.other().call("POST", "/api/session/passkey", { response: passkey.get(options) }), REFUSED);
    t.match((await asha.call("GET", "/api/standing")).body, { passkeys: false });
  });

  await t.test("a passkey that an intruder made with the password ends when its owner resets it", async (t) => {
    const thief = asha.other();
    t.equal((await thief.call("POST", "/api/session", { email: claim.email, password: claim.password })).status, 200);
    const lasting = new SoftPasskey(asha.origin(NAME));
    t.equal((await add(thief, lasting)).status, 201);
    const anew = { password: claim.password, endGrants: true };
    t.equal((await asha.call("POST", "/api/me/password", anew)).status, 200);
    t.match(await signIn(asha.other(), lasting), REFUSED);
  });

  await t.test("a stolen cookie and a stolen password are not enough with a second factor", async (t) => {
    const thief = asha.other();
    t.equal((await thief.call("POST", "/api/session", { email: claim.email, password: claim.password })).status, 200);
    t.equal((await thief.call("GET", "/api/session/proof")).status, 200, "signing in is a proof");
    const { secret } = (await asha.call("POST", "/api/me/totp", {})).body as { secret: string };
    const used = codeOf(secret);
    const { recoveryCodes } = (await asha.call("POST", "/api/me/totp/confirm", { code: used })).body as {
      recoveryCodes: string[];
    };
    t.equal((await asha.call("GET", "/api/session/proof")).status, 200);
    t.match(
      await thief.call("GET", "/api/session/proof"),
      { ...STALE, body: { error: { secondFactor: true } } },
      "until there is a second factor",
    );
    const prove = (totp?: string) =>
      thief.call("POST", "/api/session/proof", { password: claim.password, ...(totp === undefined ? {} : { totp }) });
    t.hasStrict(await prove(), { status: 401, body: { error: { code: "totp_required" } } });
    t.hasStrict(await prove("000000"), { status: 401, body: { error: { code: "invalid_login" } } });
    t.match(await prove(used), { status: 401 }, "nor with a used code");
    t.hasStrict(await thief.call("POST", "/api/me/totp/disable", {}), STALE);
    const [code] = recoveryCodes;
    const statuses = await Promise.all(
      [prove(code), prove(code), prove(code)].map(async (answer) => (await answer).status),
    );
    t.strictSame(statuses.sort(), [200, 401, 401], "a code counts once, even for several simultaneous tries");
  });
});
