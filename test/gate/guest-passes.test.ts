/** Guest passes by their API: what an owner gives, what a link can do and what it cannot, and how a pass ends. */
import t from "tap";
import { send } from "../support/api-client.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { FakeClock } from "../support/fake-clock.ts";

const HOUR_MS = 3_600_000;

t.test("a pass lets its plate in until it ends; its link shows it, and opens nothing", async (t) => {
  const clock = new FakeClock();
  const { call, cookie, hub, port } = await startConsoleHub(t, { clock });
  const rules = async () => (await send(port, "GET", "/v1/plate-rules", { headers: { Cookie: cookie } })).body;
  const until = new Date(clock.now() + HOUR_MS).toISOString();
  const guest = (path: string, json: object) => send(port, "POST", path, { json });
  const made = await call("POST", "/api/passes", { label: "Ravi", plate: "mh 12 ab 1234", validTo: until });
  t.match(made, {
    status: 201,
    body: {
      pass: { label: "Ravi", formatted: "MH 12 AB 1234", triesLeft: 0, ended: false, openedAt: null },
      token: /^[\w-]{43}$/,
    },
  });
  const { token, pass } = made.body as { token: string; pass: { id: number; ruleId: number } }; // its contract
  t.hasStrict(await rules(), {
    rules: [{ id: pass.ruleId, plate: "MH12AB1234", kind: "allow", label: "Ravi", validTo: until }],
  });
  const looked = await guest("/api/guest/look", { token });
  t.equal(looked.status, 200);
  t.strictSame(Object.keys((looked.body as { pass: object }).pass).sort(), [
    "formatted",
    "gates",
    "holdsNow",
    "household",
    "label",
    "timeZone",
    "triesLeft",
    "validFrom",
    "validTo",
    "windows",
  ]);
  t.match(looked.body, { pass: { holdsNow: true, gates: [] } });
  t.equal(looked.headers["cache-control"], "no-store");
  t.match((await call("GET", "/api/passes")).body, { passes: [{ openedAt: /Z$/, cameAt: null }] });
  const wasSeen = (at: number) =>
    hub.base.database.write(() =>
      hub.base.database.raw
        .prepare(
          `REPLACE INTO vehicle (site_id, plate, formatted, passes, entries, exits, visits, closed_visits, total_stay_seconds, inside, first_seen, last_seen, cameras)
             SELECT site_id, 'MH12AB1234', 'MH 12 AB 1234', 1, 1, 0, 1, 0, 0, 1, $at, $at, '[]' FROM guest_pass`,
        )
        .run({ at }),
    );
  await wasSeen(clock.now() - HOUR_MS);
  t.match((await call("GET", "/api/passes")).body, { passes: [{ cameAt: null }] }, "it was here before the pass");
  await wasSeen(clock.now());
  t.match((await call("GET", "/api/passes")).body, { passes: [{ cameAt: new Date(clock.now()).toISOString() }] });
  t.hasStrict(
    await guest("/api/guest/plate", { token, plate: "KA01MJ1212" }),
    { status: 409, body: { error: { code: "conflict" } } },
    "nobody said that the guest may",
  );
  const stored = hub.base.database.raw.prepare("SELECT * FROM guest_pass").get() as object;
  t.notMatch(JSON.stringify(stored), token, "the link is nowhere in the database");
  clock.advance(HOUR_MS);
  t.match(await guest("/api/guest/look", { token }), { status: 404 }, "it ends with the pass");
  t.match((await call("GET", "/api/passes")).body, { passes: [{ ended: true }] });
  await hub.base.database.write(() =>
    hub.base.database.raw
      .prepare("UPDATE guest_pass SET valid_to = valid_to - ?, valid_from = NULL")
      .run(8 * 24 * HOUR_MS),
  );
  await hub.gate.passes.sweep();
  t.same(
    [(await call("GET", "/api/passes")).body, await rules()],
    [{ passes: [] }, { rules: [] }],
    "and goes with its rule",
  );
});

t.test(
  "a guest tells the plate within bounds: three times, refused ones too, and never one that stands on a list",
  async (t) => {
    const clock = new FakeClock();
    const { call, cookie, port } = await startConsoleHub(t, { clock });
    const v1 = async (method: string, path: string, json?: object) =>
      (
        await send(port, method, path, {
          headers: { Cookie: cookie, "Sec-Fetch-Site": "same-origin" },
          ...(json === undefined ? {} : { json }),
        })
      ).body;
    const rules = () => v1("GET", "/v1/plate-rules");
    const validTo = new Date(clock.now() + HOUR_MS).toISOString();
    const windows = [{ days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "00:00" }];
    await v1("POST", "/v1/plate-rules", { plate: "MH12AB1234", label: "Family" });
    const { token } = (await call("POST", "/api/passes", { label: "Ravi", validTo, windows })).body as {
      token: string;
    }; // its contract
    const tell = (plate: string) => send(port, "POST", "/api/guest/plate", { json: { token, plate } });
    t.hasStrict(
      await tell("no plate"),
      { status: 400, body: { error: { code: "invalid_plate" } } },
      "what is no plate costs no try",
    );
    t.match(await tell("KA 01 MJ 1212"), {
      status: 200,
      body: { pass: { formatted: "KA 01 MJ 1212", triesLeft: 2, holdsNow: true } },
    });
    const refused = await tell("MH12AB1234");
    t.match(refused, { status: 409 });
    t.notMatch(JSON.stringify(refused.body), /Family|listed|ruleId/, "a guest is not told what stands on the lists");
    t.match(await tell("KA05MK7777"), { status: 200, body: { pass: { formatted: "KA 05 MK 7777", triesLeft: 0 } } });
    t.match(await tell("DL08CAF5031"), { status: 409 });
    t.match(await rules(), {
      rules: [{ plate: /^MH12AB1234$/ }, { plate: /^KA05MK7777$/, label: "Ravi", windows, validTo }],
    });
    const { events } = (await v1("GET", "/v1/events")) as { events: { kind: string; title: string }[] }; // its contract
    t.same(
      events.filter(({ kind }) => kind === "guest.plate").map(({ title }) => title),
      ["Ravi comes with KA 05 MK 7777", "Ravi could not use the plate MH 12 AB 1234", "Ravi comes with KA 01 MJ 1212"],
    );
    t.match((await call("GET", "/api/audit")).body, {
      audit: [{ action: /^guest_pass\.plate_told$/, actor: /^guest_pass:/, target: "Ravi" }],
    });
  },
);

t.test("a pass that is taken back ends at once, and so does an old link; bounds are checked", async (t) => {
  const clock = new FakeClock();
  const { call, cookie, port } = await startConsoleHub(t, { clock });
  const v1 = async (method: string, path: string, json?: object) =>
    (
      await send(port, method, path, {
        headers: { Cookie: cookie, "Sec-Fetch-Site": "same-origin" },
        ...(json === undefined ? {} : { json }),
      })
    ).body;
  const rules = () => v1("GET", "/v1/plate-rules");
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  const look = async (token: string) => (await send(port, "POST", "/api/guest/look", { json: { token } })).status;
  const { token, pass } = (
    await call("POST", "/api/passes", { label: "Ravi", plate: "MH12AB1234", validTo: at(HOUR_MS) })
  ).body as {
    token: string;
    pass: { id: number; ruleId: number };
  }; // its contract
  t.match(await call("POST", "/api/passes", { label: "Two", plate: "MH12AB1234", validTo: at(HOUR_MS) }), {
    status: 409,
    body: { error: { ruleId: pass.ruleId } },
  });
  const { token: next } = (await call("POST", `/api/passes/${pass.id}/link`)).body as { token: string }; // its contract
  t.same([await look(token), await look(next)], [404, 200]);
  await call("PATCH", `/api/plate-rules/${pass.ruleId}`, { enabled: false });
  t.equal(await look(next), 404, "its rule is off");
  // an owner who edits the rule takes it from the pass for good: it used to come back, and to go with the pass
  await call("PATCH", `/api/plate-rules/${pass.ruleId}`, { enabled: true });
  t.equal(await look(next), 404);
  t.hasStrict((await call("GET", "/api/passes")).body, {
    passes: [{ id: pass.id, ruleId: null, plate: null, ended: true }],
  });
  t.match(await call("POST", `/api/passes/${pass.id}/link`), { status: 409 }, "no new link for it either");
  t.match(await call("DELETE", `/api/passes/${pass.id}`), { status: 200 });
  t.hasStrict(await rules(), { rules: [{ id: pass.ruleId }] }, "what the owner has made of the rule stays");
  await v1("DELETE", `/v1/plate-rules/${pass.ruleId}`);
  const { body } = await call("POST", "/api/passes", { label: "Ravi", plate: "MH12AB1234", validTo: at(HOUR_MS) });
  const untouched = body as { token: string; pass: { id: number; ruleId: number } }; // its contract
  await call("PATCH", `/api/plate-rules/${untouched.pass.ruleId}`, { label: "Ravi" });
  t.equal(await look(untouched.token), 200, "an edit that changes nothing takes it from nobody");
  t.match(await call("DELETE", `/api/passes/${untouched.pass.id}`), { status: 200 });
  t.equal(await look(untouched.token), 404);
  t.same(await rules(), { rules: [] }, "its own rule goes with it");
  const wrong = [
    { validTo: at(-1) },
    { validTo: at(400 * 24 * HOUR_MS) },
    { validTo: at(HOUR_MS), validFrom: at(2 * HOUR_MS) },
    { validTo: at(HOUR_MS), label: " " },
    { validTo: at(HOUR_MS), windows: [{ days: [], from: "07:00", to: "09:00" }] },
    { validTo: at(HOUR_MS), windows: [{ days: [1], from: "7:00", to: "09:00" }] },
    { validTo: at(HOUR_MS), windows: [{ days: [1], from: "07:00", to: "07:00" }] },
    { validTo: at(HOUR_MS), deviceId: "nowhere" },
    {},
  ];
  for (const body of wrong)
    t.equal(
      (await call("POST", "/api/passes", { label: "X", plate: "KA01MJ1212", ...body })).status,
      400,
      JSON.stringify(body),
    );
});

t.test("whoever tries links is slowed down, and a member gives no passes", async (t) => {
  const { port } = await startConsoleHub(t);
  const statuses: number[] = [];
  for (let i = 0; i < 20; i++)
    statuses.push((await send(port, "POST", "/api/guest/look", { json: { token: "x".repeat(43) } })).status);
  t.equal(statuses.filter((status) => status === 404).length, 15);
  t.ok(
    statuses.slice(15).every((status) => status === 429),
    statuses.join(),
  );
  t.equal((await send(port, "POST", "/api/guest/look", { json: { token: "short" } })).status, 400);
});
