/** Orders to a gate: what is reported, when, and to whom. */
import type { Recorded } from "../support/recorded.ts";
import type { Premises } from "./premises.ts";

const OPEN = JSON.stringify({ open: true });
type Delivery = "sent" | "away" | "refused";
type State = Readonly<Record<string, unknown>>;

/** What a scenario does with the gate's own words. */
function playing(p: Premises) {
  let commandId = 0;
  return {
    send: (actor: string, { command = OPEN, delivery = "sent" as Delivery, deviceId = "gate" } = {}) => {
      commandId += 1;
      p.openings.sent({ siteId: p.siteId, deviceId, command, commandId, actor, delivery });
    },
    acknowledge: (id = commandId, status: "acknowledged" | "sent" = "acknowledged") => {
      const order = { siteId: p.siteId, deviceId: "gate", commandId: id, actor: "", status, reason: null };
      p.bus.announce("command.changed", { ...order, at: p.clock.now() });
    },
    moves: (state: State, deviceId = "gate", initial = false, previous = p.states.get(deviceId) ?? {}) => {
      p.states.set(deviceId, state);
      const fact = { siteId: p.siteId, deviceId, state, previous, changed: Object.keys(state), initial };
      p.bus.announce("device.changed", { ...fact, source: "device", at: p.clock.now() });
    },
    passes: (ms: number) => {
      p.clock.advance(ms);
    },
  };
}

const ACTORS = [
  "session:3",
  "api_key:2",
  "matter:9",
  "automation:4",
  "scene:5",
  "home_assistant:0",
  "cli",
  "session:99",
];

export const openingScenarios: Readonly<Record<string, (r: Recorded, p: Premises) => Promise<void>>> = {
  async "openings by whoever may"(r, p) {
    const { send, acknowledge, moves } = playing(p);
    p.database.raw.exec(`UPDATE account SET name = 'Asha' WHERE id = 1;
      INSERT INTO session (id, account_id, token_hash, created_at, last_used_at, expires_at, address, user_agent)
      VALUES (3, 1, 'x', 0, 0, 1, '', '')`);
    await p.openings.start();
    for (const actor of ACTORS) {
      p.states.set("gate", { gate: "closed" });
      await r.step(`${actor} asks`, () => send(actor));
      await r.step(`${actor} is heard`, () => acknowledge());
      await r.step(`it opens for ${actor}`, () => moves({ gate: "open" }));
      p.clock.advance(120_000);
    }
    await r.step("all of them", () => p.openings.list(p.siteId, { limit: 50 }));
    await r.step("of another device", () => p.openings.list(p.siteId, { limit: 50, deviceId: "camera-in" }));
    await r.step("of the gate, two", () => p.openings.list(p.siteId, { limit: 2, deviceId: "gate" }));
    await r.step("what is told as an opening", () =>
      (
        [
          ["gate", OPEN, "session:3"],
          ["lock", '{"locked":false}', "session:3"],
          ["gate", '{"open":false}', "session:3"],
          ["light", OPEN, "session:3"],
          ["light", "{}", "gate:3"],
        ] as const
      ).map(([type, command, actor]) =>
        p.openings.tells({ id: type, type, state: {}, commandSchema: null }, command, actor),
      ),
    );
    await p.openings.stop();
  },

  async "openings in time, and too late"(r, p) {
    const { send, acknowledge, moves, passes } = playing(p);
    await p.openings.start();
    p.states.set("gate", { gate: "closed" });
    const closed = async () => {
      p.clock.advance(120_000);
      moves({ gate: "closed" });
      await p.database.write(() => {});
    };
    await r.step("no answer yet", () => [send("session:3"), passes(7_999)]);
    await r.step("no answer in time", () => passes(1));
    await r.step("an answer at last", () => acknowledge());
    await r.step("not moved yet", () => passes(19_999));
    await r.step("not moved in time", () => passes(1));
    await r.step("moved at last", () => moves({ gate: "opening" }));
    await r.step("and open", () => moves({ gate: "open" }));
    await closed();
    await r.step("an answer in time", () => [
      send("session:3"),
      passes(1),
      acknowledge(),
      acknowledge(),
      passes(7_999),
    ]);
    await r.step("which is no more than said to be sent", () => acknowledge(undefined, "sent"));
    await r.step("a minute is over", () => [
      passes(51_999),
      moves({ gate: "between" }),
      passes(1),
      moves({ gate: "open" }),
    ]);
    await closed();
    await r.step("a moment before a minute is over", () => [
      send("session:3"),
      passes(59_999),
      moves({ gate: "open" }),
    ]);
    await closed();
    await r.step("refused", () => [send("session:3", { delivery: "refused" }), moves({ gate: "open" })]);
    await closed();
    await r.step("away", () => [send("session:3", { delivery: "away" }), passes(119_999)]);
    await r.step("opened by another hand", () => moves({ gate: "open" }));
    await r.step("closed again, and heard", () => [moves({ gate: "closed" }), acknowledge(), moves({ gate: "open" })]);
    await closed();
    await r.step("away for two minutes", () => [
      send("session:3", { delivery: "away" }),
      passes(120_000),
      acknowledge(),
    ]);
    await closed();
    await r.step("a lamp", () => [send("session:3", { command: '{"light":true}' }), acknowledge(), passes(9_999)]);
    await r.step("that opens it", () => moves({ gate: "open" }));
    await closed();
    await r.step("a lamp that does nothing", () => [send("session:3", { command: '{"light":true}' }), passes(10_000)]);
    await r.step("a hand", () => moves({ gate: "open" }));
    await closed();
    await r.step("it closes", () => [send("session:3", { command: '{"open":false}' }), acknowledge(), passes(30_000)]);
    await r.step("a lamp of no gate", () => [send("session:3", { deviceId: "camera-in" }), passes(30_000)]);
    await r.step("it does not say how it stands", () => {
      p.states.delete("gate");
      return [send("session:3"), acknowledge()];
    });
    await r.step("it was open already", () => {
      p.states.set("gate", { gate: "open" });
      return [send("session:3"), acknowledge()];
    });
    await r.step("the first word after a start", () => moves({ gate: "open" }, "gate", true, { gate: "closed" }));
    await r.step("from between", () => moves({ gate: "open" }, "gate", false, { gate: "closing" }));
    await r.step("no gate at all", () => moves({ open: true }, "camera-in", false, { open: false }));
    await r.step("a start ends what waits", async () => {
      p.states.set("gate", { gate: "closed" });
      send("session:3");
      await p.openings.stop();
      await p.openings.start();
      return [p.openings.list(p.siteId, { limit: 1 }), p.clock.pending];
    });
  },

  async "openings for a plate"(r, p) {
    const { send, acknowledge, moves, passes } = playing(p);
    await p.openings.start();
    await p.cameras.edit(p.siteId, "camera-in", { gate: { deviceId: "gate", command: { open: true } } });
    await p.rules.create(p.siteId, { plate: "MH12AB1234", label: "Asha" }, "session:1");
    await p.rules.create(p.siteId, { plate: "KA01AB2222" }, "session:1");
    p.states.set("gate", { gate: "closed" });
    const arrives = async (plate: string, delivery: Delivery) => {
      p.gateAnswer = async () => send(`gate:${p.commands.at(-1)?.readId}`, { delivery });
      return p.capture({ plates: [plate] });
    };
    await r.step("a car", () => arrives("MH12AB1234", "sent"));
    await r.step("its gate opens", () => [acknowledge(), moves({ gate: "open" })]);
    p.clock.advance(120_000);
    moves({ gate: "closed" });
    await r.step("a car without a name", () => arrives("KA01AB2222", "sent"));
    await r.step("its gate stays shut", () => passes(8_000));
    await r.step("and opens late", () => moves({ gate: "open" }));
    p.clock.advance(120_000);
    moves({ gate: "closed" });
    await r.step("an order that did not leave", () => arrives("MH12AB1234", "refused"));
    await r.step("its rows", () => [p.reads.list(p.siteId, { limit: 9 }), p.openings.list(p.siteId, { limit: 9 })]);
    await p.openings.stop();
  },

  async "who says how a gate stands"(r, p) {
    const { siteId, testSiteId, contacts } = p;
    const { send, acknowledge, moves } = playing(p);
    await p.openings.start();
    const BY = "session:1";
    const told = () => [
      contacts.teller("gate"),
      contacts.toldBy("gate"),
      contacts.toldBy("camera-in"),
      contacts.of(siteId, "gate"),
    ];
    await r.step("itself", told);
    await r.step("a camera is no gate", () => contacts.set(siteId, "camera-in", "gate", BY));
    await r.step("its own contact", () => contacts.set(siteId, "gate", "gate", BY));
    await r.step("nobody", () => contacts.set(siteId, "gate", "nothing", BY));
    await r.step("another household's", () => contacts.set(siteId, "gate", "camera-test", BY));
    await r.step("of another household", () => contacts.set(testSiteId, "gate", "camera-test", BY));
    await r.step("asked of another household", () => contacts.of(testSiteId, "gate"));
    await r.step("asked of a camera", () => contacts.of(siteId, "camera-in"));
    await r.step("a contact", async () => [await contacts.set(siteId, "gate", "camera-in", BY), told()]);
    p.states.set("camera-in", { contact: true });
    await r.step("the gate's own word", () => [send(BY), acknowledge(), moves({ gate: "open" })]);
    await r.step("the contact's", () => moves({ contact: false }, "camera-in"));
    await r.step("none again", async () => [await contacts.set(siteId, "gate", null, BY), told()]);
    p.database.raw.exec("INSERT INTO gate_contact (gate_id, contact_id) VALUES ('gate', 'camera-out')");
    await r.step("not read again", told);
    const fact = { siteId, deviceId: "camera-in", what: "edited" } as const;
    await r.step("nor after another edit", () => [p.bus.announce("device.edited", fact), told()]);
    await r.step("read again", () => [p.bus.announce("device.edited", { ...fact, what: "removed" }), told()]);
    await p.openings.stop();
  },
};
