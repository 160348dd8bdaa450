import t from "tap";
import { GateDay } from "../../src/features/gate/gate-day.ts";
import { removeAllDue } from "../support/aged.ts";
import { testFolder } from "../support/test-folder.ts";
import { Premises } from "./premises.ts";

const OPEN = JSON.stringify({ open: true });
const CLOSED = { gate: "closed" };

/** A household whose gate is commanded as the hub does it; the broker's outcomes are simulated. */
async function premises(folder: string, delivery: "sent" | "away" | "refused" = "sent") {
  const p = await Premises.open(folder);
  await p.openings.start();
  await p.cameras.edit(p.siteId, "camera-in", { gate: { deviceId: "gate", command: { open: true } } });
  await p.rules.create(p.siteId, { plate: "MH12AB1234", label: "Asha" }, "session:1");
  p.states.set("gate", CLOSED);
  let commandId = 0;
  const send = (actor: string, command = OPEN, how = delivery) => {
    commandId += 1;
    p.openings.sent({ siteId: p.siteId, deviceId: "gate", command, commandId, actor, delivery: how });
    return commandId;
  };
  p.gateAnswer = async () => send(`gate:${p.commands.at(-1)?.readId}`);
  const acknowledge = (id: number) =>
    p.bus.announce("command.changed", {
      siteId: p.siteId,
      deviceId: "gate",
      commandId: id,
      actor: "",
      status: "acknowledged",
      reason: null,
      at: p.clock.now(),
    });
  const moves = (
    state: Record<string, unknown>,
    previous: Record<string, unknown> = p.states.get("gate") ?? {},
    initial = false,
  ) => {
    p.states.set("gate", state);
    p.bus.announce("device.changed", {
      siteId: p.siteId,
      deviceId: "gate",
      state,
      previous,
      changed: ["gate"],
      source: "device",
      at: p.clock.now(),
      initial,
    });
  };
  /** Rows are written beside what is reported. */
  const settle = () => p.database.write(() => {});
  const read = (id = 1) => p.reads.get(p.siteId, id);
  const latest = async () => {
    await settle();
    return p.openings.list(p.siteId, { limit: 1 })[0];
  };
  return { p, send, acknowledge, moves, read, settle, latest };
}

t.test("a read says that the gate opened once its state shows it, and not before", async (t) => {
  const { p, acknowledge, moves, read, settle } = await premises(testFolder(t));
  await p.capture({ plates: ["MH12AB1234"] });
  await settle();
  t.match(read(), { label: "Asha", gate: { deviceId: /^gate$/, result: /^waiting$/, reason: null, settledAt: null } });
  acknowledge(1);
  await settle();
  t.hasStrict(read().gate, { result: "waiting" });
  p.clock.advance(3_000);
  moves({ gate: "opening" });
  await settle();
  t.match(read().gate, { result: /^opened$/, reason: null, settledAt: p.clock.now() });
  t.equal(
    p.feed.filter(({ kind }) => kind.startsWith("gate.")).length,
    0,
    "that an allowed plate opened the gate is said by the read's own item",
  );
  t.same(
    // announced by this kind
    p.facts.filter(({ kind }) => kind === "gate.opening").map(({ fact }) => (fact as { result: string }).result),
    ["waiting", "opened"],
  );
  await p.close();
});

t.test(
  "a gate that does not answer, one that does not move, one that is away; and what is known later corrects it",
  async (t) => {
    const { p, acknowledge, moves, read, settle } = await premises(testFolder(t));
    await p.capture({ plates: ["MH12AB1234"] });
    p.clock.advance(8_000);
    await settle();
    t.hasStrict(read().gate, { result: "not_opened", reason: "no_answer" });
    t.match(p.feed.at(-1), {
      kind: /^gate\.not_opened$/,
      title: "Gate did not open",
      body: "It did not answer. For MH 12 AB 1234.",
    });
    acknowledge(1);
    await settle();
    t.hasStrict(read().gate, { result: "not_opened", reason: "no_answer" }, "still nothing has opened");
    p.clock.advance(20_000);
    await settle();
    t.hasStrict(read().gate, { result: "not_opened", reason: "not_moved" });
    moves({ gate: "open" });
    await settle();
    t.hasStrict(read().gate, { result: "opened" });
    t.match(p.feed.at(-1), {
      kind: /^gate\.opened$/,
      title: "Gate opened for MH 12 AB 1234",
      body: "Later than expected: it did after all.",
    });
    await p.close();
  },
);

t.test("a gate that is away did not open; when it comes back in time, it did", async (t) => {
  const { p, acknowledge, moves, read, settle } = await premises(testFolder(t), "away");
  await p.capture({ plates: ["MH12AB1234"] });
  await settle();
  t.hasStrict(read().gate, { result: "not_opened", reason: "offline" });
  t.match(p.feed.at(-1), { body: "It is offline. For MH 12 AB 1234." });
  moves({ gate: "open" });
  await settle();
  t.hasStrict(
    read().gate,
    { result: "not_opened", reason: "offline" },
    "it has not got the order: whoever opened it, it was not this",
  );
  moves(CLOSED);
  acknowledge(1);
  moves({ gate: "opening" });
  await settle();
  t.hasStrict(read().gate, { result: "opened" });
  await p.close();
});

t.test("the read has the reason why no gate was commanded", async (t) => {
  const { p, read } = await premises(testFolder(t));
  await p.rules.create(p.siteId, { plate: "KA01MJ1212", kind: "deny" }, "session:1");
  await p.rules.create(
    p.siteId,
    { plate: "KA05MK7777", windows: [{ days: [8 - 1], from: "00:00", to: "00:01" }] },
    "session:1",
  );
  const [none] = await p.capture({ plates: ["DL08CAF5031"] });
  const [denied] = await p.capture({ plates: ["KA01MJ1212"] });
  const [hours] = await p.capture({ plates: ["KA05MK7777"] });
  const [blank] = await p.capture({});
  const [late] = await p.capture({ plates: ["MH12AB1234"] }, { isFresh: false });
  await p.rules.create(p.siteId, { plate: "KA01AB4321" }, "session:1");
  const [repeated] = await p.capture({ plates: ["KA01AB4321"] }, { isRepeated: true });
  t.same(
    [none, denied, hours, blank, late, repeated].map((id) => [read(id).gate?.result, read(id).gate?.reason]),
    [
      ["not_told", "no_rule"],
      ["not_told", "denied"],
      ["not_told", "outside_hours"],
      ["not_told", "not_recognised"],
      ["not_told", "late"],
      ["not_told", "repeated"],
    ],
  );
  await p.close();
});

t.test("who opened: a person by name, a button on the wall, and nobody for what only closes", async (t) => {
  const { p, send, acknowledge, moves, latest, settle } = await premises(testFolder(t));
  await p.database.write(() => {
    p.database.raw.prepare("UPDATE account SET name = 'Asha'").run();
    p.database.raw
      .prepare(
        "INSERT INTO session (id, account_id, token_hash, created_at, last_used_at, expires_at, address, user_agent) VALUES (3, 1, 'x', 0, 0, 1, '', '')",
      )
      .run();
  });
  acknowledge(send("session:3"));
  moves({ gate: "opening" });
  t.match(await latest(), { by: { kind: /^person$/, name: /^Asha$/ }, result: /^opened$/, readId: null });
  t.match(p.feed.at(-1), { kind: /^gate\.opened$/, title: "Asha opened Gate" });
  t.same(
    p.audits.filter((action) => action === "gate.open"),
    ["gate.open"],
  );
  moves({ gate: "open" });
  moves(CLOSED);
  moves({ gate: "opening" });
  t.match(await latest(), { by: { kind: /^device$/, name: null }, result: /^opened$/ });
  t.match(p.feed.at(-1), { title: "Gate was opened by hand or remote control" });
  moves({ gate: "open" });
  moves({ gate: "closing" });
  moves({ gate: "open" });
  await settle();
  const before = p.openings.list(p.siteId, { limit: 50 }).length;
  t.equal(before, 2, "one that turns back on its way is not opened anew");
  moves(CLOSED);
  send("session:3", JSON.stringify({ open: false }));
  acknowledge(send("session:3", JSON.stringify({ light: true })));
  p.clock.advance(30_000);
  await settle();
  t.equal(p.openings.list(p.siteId, { limit: 50 }).length, before, "its lamp is no opening");
  moves({ gate: "open" }, CLOSED, true);
  await settle();
  t.equal(p.openings.list(p.siteId, { limit: 50 }).length, before, "the first word after a start is no opening");
  await p.close();
});

t.test("a gate that is told to close and stays open is told, with who asked and why", async (t) => {
  const { p, send, acknowledge, moves, settle } = await premises(testFolder(t));
  await p.database.write(() => {
    p.database.raw.prepare("UPDATE account SET name = 'Asha'").run();
    p.database.raw
      .prepare(
        "INSERT INTO session (id, account_id, token_hash, created_at, last_used_at, expires_at, address, user_agent) VALUES (3, 1, 'x', 0, 0, 1, '', '')",
      )
      .run();
  });
  const close = (how?: "away" | "refused") => send("session:3", JSON.stringify({ open: false }), how);
  const told = () => p.feed.filter(({ kind }) => kind === "gate.not_closed").map(({ title, body }) => [title, body]);
  moves({ gate: "open" });
  acknowledge(close());
  p.clock.advance(19_000);
  await settle();
  t.same(told(), [], "it still has time");
  p.clock.advance(1_000);
  await settle();
  t.same(told(), [["Gate did not close", "It took the command and did not move. Asked by Asha."]]);
  close();
  p.clock.advance(8_000);
  await settle();
  t.same(told().at(-1), ["Gate did not close", "It did not answer. Asked by Asha."]);
  close("away");
  await settle();
  t.same(told().at(-1), ["Gate did not close", "It is offline. Asked by Asha."]);
  t.equal(told().length, 3);
  acknowledge(close());
  moves({ gate: "stopped" });
  p.clock.advance(20_000);
  await settle();
  t.equal(told().length, 4, "it stopped on its way");
  acknowledge(close());
  moves({ gate: "closing" });
  p.clock.advance(30_000);
  moves(CLOSED);
  acknowledge(close());
  p.clock.advance(30_000);
  close("away");
  await settle();
  t.equal(told().length, 4, "it is on its way, and then shut");
  moves({ gate: "open" });
  acknowledge(close());
  p.clock.advance(5_000);
  acknowledge(send("session:3"));
  p.clock.advance(60_000);
  acknowledge(close());
  acknowledge(send("session:3", JSON.stringify({ stop: true })));
  p.clock.advance(60_000);
  await settle();
  t.equal(told().length, 4, "it was told otherwise meanwhile");
  await p.close();
});

t.test("openings go by age, also in a house without cameras; what was noted by hand of visits goes too", async (t) => {
  const { p } = await premises(testFolder(t));
  const { raw } = p.database;
  const day = 86_400_000;
  const opened = (at: number): void => {
    raw
      .prepare(
        "INSERT INTO opening (site_id, device_id, by_kind, by_name, result, at) VALUES (?, 'gate', 'person', 'Asha', 'opened', ?)",
      )
      .run(p.siteId, at);
    raw
      .prepare("INSERT INTO visit_closure (site_id, plate, at, actor) VALUES (?, 'MH12AB1234', ?, 'session:1')")
      .run(p.siteId, at);
  };
  const left = (table: string): unknown => raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  await p.database.write(() => {
    for (let n = 0; n < 700; n++) opened(p.clock.now() - 366 * day - n);
    for (let n = 0; n < 3; n++) opened(p.clock.now() - 364 * day - n);
  });
  t.same([left("opening"), left("visit_closure")], [703, 703]);
  t.equal(await removeAllDue(p.retention.openings), 700);
  t.equal(await removeAllDue(p.retention.visits), 700);
  t.same([left("opening"), left("visit_closure")], [3, 3]);
  t.equal(await p.retention.openings.due(365), 0);
  await p.close();
});

t.test("forgetting a plate takes its openings along; a start ends what waited", async (t) => {
  const { p, settle } = await premises(testFolder(t));
  await p.capture({ plates: ["MH12AB1234"] });
  await settle();
  await p.openings.stop();
  await p.openings.start();
  t.hasStrict(p.reads.get(p.siteId, 1).gate, { result: "not_opened", reason: "no_answer" });
  await p.reads.forget(p.siteId, "MH12AB1234", "session:1");
  t.same(p.openings.list(p.siteId, { limit: 5 }), []);
  await p.close();
});

t.test(
  "a contact sensor says whether a gate opened that does not tell itself; without one the gate counts",
  async (t) => {
    const { p, send, acknowledge, moves, latest } = await premises(testFolder(t));
    await t.rejects(
      p.contacts.set(p.siteId, "camera-in", "gate", "session:1"),
      { code: /^conflict$/ },
      "a camera is no gate",
    );
    await t.rejects(p.contacts.set(p.siteId, "gate", "gate", "session:1"), { code: /^conflict$/ });
    await t.rejects(p.contacts.set(p.siteId, "gate", "nothing", "session:1"), { code: /^unknown_device$/ });
    await t.rejects(p.contacts.set(p.siteId + 1, "gate", "camera-in", "session:1"), { code: /^device_not_found$/ });
    await p.contacts.set(p.siteId, "gate", "camera-in", "session:1");
    const says = (contact: boolean) => {
      const previous = p.states.get("camera-in") ?? {};
      p.states.set("camera-in", { contact });
      p.bus.announce("device.changed", {
        siteId: p.siteId,
        deviceId: "camera-in",
        state: { contact },
        previous,
        changed: ["contact"],
        source: "device",
        at: p.clock.now(),
        initial: false,
      });
    };
    says(true);
    acknowledge(send("session:1"));
    moves({ gate: "open" });
    t.hasStrict(await latest(), { result: "waiting" }, "the gate's own word does not count");
    says(false);
    t.hasStrict(await latest(), { result: "opened" });
    says(true);
    moves({ gate: "closed" });
    acknowledge(send("session:1"));
    p.clock.advance(30_000);
    t.hasStrict(await latest(), { result: "not_opened", reason: "not_moved" }, "it answered, and nothing opened");
    await p.contacts.set(p.siteId, "gate", null, "session:1");
    acknowledge(send("session:1"));
    moves({ gate: "open" });
    t.hasStrict(await latest(), { result: "opened" });
  },
);

t.test("a read tells what happened afterwards: the gate stood open, or somebody opened it", async (t) => {
  const { p, send, acknowledge, moves, settle } = await premises(testFolder(t));
  const { tables, cameras, openings } = p;
  const registry = p.registry;
  const day = new GateDay(p.base, { tables, cameras, openings, registry, images: p.images });
  await p.rules.create(p.siteId, { plate: "DL8CAF5031", kind: "deny", label: "Turned away before" }, "session:1");
  const comes = async (plate: string) => {
    p.clock.advance(600_000);
    const [id = 0] = await p.capture({ plates: [plate] });
    await settle();
    return () => day.get(p.siteId, id);
  };
  const shut = await comes("DL8CAF5031");
  t.match(shut(), { gateWasOpen: false, gateWasShut: true, openedAfter: null });
  const openedAt = p.clock.now();
  moves({ gate: "open" });
  await settle();
  t.match(
    shut(),
    { openedAfter: { by: { kind: "device", name: null }, at: p.clock.now() } },
    "by hand, while it waited",
  );
  const beside = await comes("DL8CAF5031");
  t.match(beside(), {
    gateWasOpen: true,
    gateWasShut: false,
    gateOpenSince: openedAt,
    openedAfter: null,
    gate: { reason: "denied" },
  });
  t.match(
    p.feed.findLast(({ kind }) => kind === "plate.denied"),
    { body: /The gate was standing open\.$/ },
  );
  const [camera] = await p.capture({ plates: ["KA05MN3311"] });
  await settle();
  t.match(
    day.get(p.siteId, camera ?? 0),
    { gateWasOpen: true, gateOpenSince: openedAt },
    "as long as it stands open it is open since then",
  );
  moves({ gate: "closed" });
  const first = await comes("KA05MN3311");
  p.clock.advance(1_000);
  const [second = 0] = await p.capture({ plates: ["TN09CD3333"] });
  p.clock.advance(1_000);
  acknowledge(send("session:1"));
  moves({ gate: "opening" });
  await settle();
  t.match(first(), { gateWasOpen: false, openedAfter: null }, "another vehicle came before the gate was opened");
  t.match(day.get(p.siteId, second), { gateWasOpen: false, openedAfter: { by: { kind: "person" } } });
  p.clock.advance(3_600_000);
  moves({ gate: "closed" });
  const late = await comes("KA05MN3311");
  p.clock.advance(301_000);
  acknowledge(send("session:1"));
  moves({ gate: "opening" });
  await settle();
  t.match(late(), { openedAfter: null }, "it has long driven on");
  await p.cameras.update(p.siteId, "camera-in", { gate: null }, "session:1");
  const unlinked = await comes("GJ01XX0002");
  t.match(
    unlinked(),
    { opens: null, gateWasOpen: true, gateWasShut: false, gate: { reason: "no_rule" } },
    "a camera that opens nothing sees the house's only gate",
  );
  await p.close();
});

t.test("a pass that is decided otherwise by a later burst is told again", async (t) => {
  const { p, settle } = await premises(testFolder(t));
  const told = () => p.feed.flatMap(({ kind }) => (kind.startsWith("plate.") ? [kind] : []));
  await p.capture({ plates: ["UP32JE3626"] });
  await settle();
  const before = told();
  await p.capture({ plates: ["UP32JE3626"] });
  await settle();
  t.same(told(), before, "once for a pass");
  await p.rules.create(p.siteId, { plate: "UP32JE3626", label: "Meena" }, "session:1");
  await p.capture({ plates: ["UP32JE3626"] });
  await settle();
  t.equal(told().length, before.length + 1, "it was allowed meanwhile, and the gate told");
  t.equal(p.commands.length, 1);
  await p.close();
});
