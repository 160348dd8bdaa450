import t, { type Test } from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import type { CommandInput } from "../../src/features/devices/commands.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { DeviceParts } from "../support/device-parts.ts";
import { testFolder } from "../support/test-folder.ts";

async function begin(t: Test): Promise<{
  parts: DeviceParts;
  siteId: number;
  testSiteId: number;
  send: (command: string, more?: Partial<CommandInput>) => Promise<{ commandId: number }>;
}> {
  const database = await openDatabase(testFolder(t));
  const { siteId, testSiteId } = seedAccount(database);
  const parts = await new DeviceParts(database).start();
  await parts.registry.create(siteId, { id: "gate", name: "Gate", type: "gate" });
  await parts.registry.create(siteId, { id: "lamp", name: "Lamp", type: "light" });
  t.teardown(async () => {
    await parts.stop();
    await database.stop();
  });
  return {
    parts,
    siteId,
    testSiteId,
    send: (command, more = {}) =>
      parts.commands.send({ siteId, deviceId: "gate", command, actor: "api_key:1", source: "api", ...more }),
  };
}

t.test("the device gets the text exactly as accepted, and the audit has the whole story", async (t) => {
  const { parts, siteId, send } = await begin(t);
  const text = '{ "open" : true, "n": 1.0, "s": "\\u00e9" }';
  const { commandId } = await send(text);
  t.same(parts.published, [{ deviceId: "gate", payload: text }]);
  await parts.settled();
  const list = (): unknown => parts.commands.list(siteId, "gate", { limit: 10 });
  t.hasStrict(list(), [
    {
      id: commandId,
      actor: "api_key:1",
      command: { open: true, n: 1, s: "é" },
      status: "sent",
      deliveredAt: null,
      answeredAt: null,
      answer: null,
    },
  ]);
  t.match(parts.of("command.sent"), [{ siteId, deviceId: /^gate$/, commandId, actor: /^api_key:1$/ }]);
  parts.clock.advance(100);
  parts.commands.onDelivered("gate", Buffer.from(text));
  await parts.settled();
  t.match(list(), [{ status: /^delivered$/, deliveredAt: parts.clock.now() }]);
  parts.clock.advance(100);
  await parts.state.apply("gate", { position: "opening" }, { source: "device", at: parts.clock.now() });
  t.match(list(), [{ answeredAt: parts.clock.now(), answer: ["position"] }]);
});

t.test("the broker has the command before the disk write", async (t) => {
  const { parts, send } = await begin(t);
  const { jobs } = parts.database.figures;
  parts.deliver = async () => {
    t.equal(parts.database.figures.jobs, jobs);
    return "sent";
  };
  await send("{}");
  await parts.settled();
  t.ok(parts.database.figures.jobs > jobs);
});

t.test("a command is accepted while nothing can be written", async (t) => {
  const { parts, send } = await begin(t);
  await send("{}");
  parts.database.raw.pragma("query_only = 1");
  await send('{"open":true}');
  await parts.commands.settled();
  parts.database.raw.pragma("query_only = 0");
  t.equal(parts.published.length, 2);
});

t.test("a delivery and an answer that arrive before the row is written are not lost", async (t) => {
  const { parts, siteId, send } = await begin(t);
  parts.deliver = async (deviceId, payload) => {
    parts.commands.onDelivered(deviceId, payload);
    await parts.state.apply("gate", { open: true }, { source: "device", at: parts.clock.now() });
    return "sent";
  };
  await send('{"open":true}');
  await parts.settled();
  t.match(parts.commands.list(siteId, "gate", { limit: 1 }), [
    { status: /^delivered$/, deliveredAt: parts.clock.now(), answeredAt: parts.clock.now(), answer: ["open"] },
  ]);
  t.match(parts.of("device.changed"), [{ source: "api" }]);
});

t.test("the next state change carries the source of the command, later ones do not", async (t) => {
  const { parts, send } = await begin(t);
  const report = (patch: Record<string, unknown>): Promise<void> =>
    parts.state.apply("gate", patch, { source: "device", at: parts.clock.now() });
  for (const source of ["api", "console", "scene", "automation"] as const) {
    await send('{"open":true}', { source });
    await report({ position: `${source}-1` });
    await report({ position: `${source}-2` });
  }
  t.same(
    parts.of("device.changed").map(({ source }) => source),
    ["api", "device", "console", "device", "scene", "device", "automation", "device"],
  );
});

t.test("a change belongs to the command that names it, and to none if the device took too long", async (t) => {
  const { parts, siteId, send } = await begin(t);
  const first = await send('{"open":true}', { source: "api" });
  const second = await send('{"light":true}', { source: "scene" });
  await parts.state.apply("gate", { light: true }, { source: "device", at: parts.clock.now() });
  t.equal(parts.of("device.changed").at(-1)?.source, "scene");
  parts.clock.advance(10_001);
  await parts.state.apply("gate", { open: true }, { source: "device", at: parts.clock.now() });
  t.equal(parts.of("device.changed").at(-1)?.source, "device");
  await parts.settled();
  const answers = parts.commands.list(siteId, "gate", { limit: 2 }).map(({ id, answer }) => [id, answer]);
  t.same(answers, [
    [second.commandId, ["light"]],
    [first.commandId, null],
  ]);
});

t.test("anything but a small, sufficiently flat object is refused before the broker sees it", async (t) => {
  const { parts, send } = await begin(t);
  const deep = `${'{"a":'.repeat(16)}{}${"}".repeat(16)}`;
  for (const [text, code] of [
    ["", "invalid_json"],
    ["{", "invalid_json"],
    ["[]", "invalid_body"],
    ["null", "invalid_body"],
    ["1", "invalid_body"],
    [deep, "invalid_body"],
    [`{"a":"${"x".repeat(16 * 1024)}"}`, "body_too_large"],
  ] as const) {
    await t.rejects(send(text), { code: new RegExp(`^${code}$`) }, text.slice(0, 20));
  }
  t.same(parts.published, []);
  await send("{}");
  const largest = `{"a":"${"x".repeat(16 * 1024 - 8)}"}`;
  t.equal(largest.length, 16 * 1024);
  await send(largest);
  await send(`${'{"a":'.repeat(15)}{}${"}".repeat(15)}`);
});

t.test("other households' devices are not found", async (t) => {
  const { parts, testSiteId, send } = await begin(t);
  await t.rejects(send("{}", { siteId: testSiteId }), { code: /^device_not_found$/ });
  t.throws(() => parts.commands.list(testSiteId, "gate", { limit: 1 }), { code: /^device_not_found$/ });
  t.same(parts.published, []);
});

t.test("a device accepts 20 commands in 10 seconds, then two more each second", async (t) => {
  const { parts, send } = await begin(t);
  for (let i = 0; i < 20; i++) await send("{}");
  await t.rejects(send("{}"), {
    code: /^rate_limited$/,
    fields: { retryAfterSeconds: 1 },
    headers: { "Retry-After": "1" },
  });
  await send("{}", { deviceId: "lamp" });
  parts.clock.advance(500);
  await send("{}");
  await t.rejects(send("{}"), { code: /^rate_limited$/ });
});

t.test("each sender has its own limit, a rule its author's, and the gate none", async (t) => {
  const { parts, send } = await begin(t);
  for (let i = 0; i < 20; i++) await send("{}");
  await t.rejects(send("{}"), { code: /^rate_limited$/ });
  await t.rejects(
    send("{}", { actor: "automation:7", source: "automation", chargedTo: "api_key:1" }),
    { code: /^rate_limited$/ },
    "a rule of the same key",
  );
  await send("{}", { actor: "session:1", source: "console" });
  await send("{}", { actor: "api_key:2" });
  await send("{}", { actor: "automation:8", source: "automation" });
  for (let i = 0; i < 50; i++) await send("{}", { actor: `gate:${i}`, source: "automation", chargedTo: null });
  t.equal(parts.published.length, 20 + 3 + 50);
});

t.test("a refusal by the broker is announced and in the audit", async (t) => {
  const { parts, siteId, send } = await begin(t);
  parts.deliver = async () => {
    throw new Error("closed");
  };
  await t.rejects(send("{}"), { code: /^broker_unavailable$/ });
  parts.deliver = async () => {
    throw new Problem("unsupported_command", "No.");
  };
  await t.rejects(send("{}"), { code: /^unsupported_command$/ });
  await parts.settled();
  t.same(
    parts.commands.list(siteId, "gate", { limit: 5 }).map(({ status }) => status),
    ["failed", "failed"],
  );
  t.equal(parts.of("command.sent").length, 0);
  await parts.state.apply("gate", { open: true }, { source: "device", at: 1 });
  t.equal(parts.of("device.changed").at(-1)?.source, "device", "a command that never left causes nothing");
});

t.test("a queued command expires with a feed item, unless the device has received it", async (t) => {
  const { parts, siteId, send } = await begin(t);
  parts.deliver = async () => "queued";
  await send('{"n":1}');
  await send('{"n":2}');
  await parts.settled();
  parts.clock.advance(60_000);
  t.equal(await parts.commands.expireDue(parts.clock.now()), 0, "its time is not over yet");
  parts.commands.onDelivered("gate", '{"n":1}');
  await parts.settled();
  parts.clock.advance(1);
  const { jobs } = parts.database.figures;
  t.equal(await parts.commands.expireDue(parts.clock.now()), 1);
  t.equal(await parts.commands.expireDue(parts.clock.now()), 0);
  t.equal(parts.database.figures.jobs, jobs + 1, "nothing due, nothing written");
  t.same(
    parts.commands.list(siteId, "gate", { limit: 5 }).map(({ status }) => status),
    ["expired", "delivered"],
  );
  t.match(parts.feed.list(siteId, { limit: 1 }), [
    { kind: /^command\.failed$/, deviceId: /^gate$/, body: "The device was not there for 60 seconds." },
  ]);
});

t.test("a queued command delivered after a restart is still recorded, and ids continue", async (t) => {
  const { parts, siteId, send } = await begin(t);
  parts.deliver = async () => "queued";
  const { commandId } = await send('{"n":1}');
  await parts.stop();
  const again = await new DeviceParts(parts.database, parts.clock).start();
  t.teardown(() => again.stop());
  again.commands.onDelivered("gate", '{"n":1}');
  again.commands.onDelivered("gate", '{"never":"sent"}');
  await again.settled();
  t.hasStrict(again.commands.list(siteId, "gate", { limit: 1 }), [{ id: commandId, status: "delivered" }]);
  const next = await again.commands.send({ siteId, deviceId: "gate", command: "{}", actor: "cli", source: "console" });
  t.equal(next.commandId, commandId + 1);
});

t.test("the audit of a device is bounded, newest kept, and pages by id", async (t) => {
  const { parts, siteId } = await begin(t);
  parts.database.writeNow(() => {
    const insert = parts.database.raw.prepare(
      "INSERT INTO command (id, device_id, actor, command, at, status) VALUES (?, ?, 'cli', '{}', ?, 'sent')",
    );
    for (let id = 1; id <= 1_205; id++) insert.run(id, id % 241 === 0 ? "lamp" : "gate", id);
  });
  t.equal(await parts.commands.sweep(), 200);
  t.equal(await parts.commands.sweep(), 0);
  t.equal(parts.commands.list(siteId, "gate", { limit: 2_000 }).length, 1_000);
  t.equal(parts.commands.list(siteId, "lamp", { limit: 2_000 }).length, 5);
  t.same(
    parts.commands.list(siteId, "gate", { limit: 2, beforeId: 1_000 }).map(({ id }) => id),
    [999, 998],
  );
});

t.test("a relay that is called a gate gets its own word for open, and the audit has what was asked", async (t) => {
  const { parts, siteId, send } = await begin(t);
  await parts.state.apply("gate", { power: false }, { source: "device", at: parts.clock.now() });
  const { commandId } = await send('{"open":true}');
  t.same(parts.published, [{ deviceId: "gate", payload: '{"power":true}' }]);
  parts.commands.onDelivered("gate", '{"power":true}');
  await parts.settled();
  parts.clock.advance(100);
  await parts.state.apply("gate", { power: true }, { source: "device", at: parts.clock.now() });
  t.hasStrict(parts.commands.list(siteId, "gate", { limit: 1 }), [
    { id: commandId, command: { open: true }, status: "delivered", answer: ["power"] },
  ]);
  await send('{"power":true}');
  t.equal(parts.published.at(-1)?.payload, '{"power":true}', "its own word goes as it is");
});

t.test("who sent a command is named after they are gone", async (t) => {
  const { parts, siteId, send } = await begin(t);
  parts.database.raw.exec(`UPDATE account SET name = 'Asha' WHERE id = 1;
    INSERT INTO session (id, account_id, token_hash, created_at, last_used_at, expires_at, address, user_agent)
    VALUES (3, 1, 'x', 0, 0, 1, '', '')`);
  await send('{"open":true}', { actor: "session:3" });
  await parts.settled();
  const names = () => parts.commands.list(siteId, "gate", { limit: 1 }).map(({ name }) => name);
  t.same(names(), ["Asha"]);
  parts.database.raw.exec("DELETE FROM session WHERE id = 3");
  t.same(names(), ["Asha"]);
});
