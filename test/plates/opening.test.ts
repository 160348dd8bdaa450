import t from "tap";
import { asksToOpen, onlyCloses, resultOf, standingOf, whyNotTold } from "../../src/core/plates/opening.ts";

t.test("what became of an order follows from what the gate acknowledged and shows", async (t) => {
  const evidence = { delivery: "sent", acknowledged: false, standing: "closed", isOver: false } as const;
  const said = (more: Partial<Parameters<typeof resultOf>[0]>) => Object.values(resultOf({ ...evidence, ...more }));
  t.same(said({}), ["waiting", null]);
  t.same(said({ isOver: true }), ["not_opened", "no_answer"]);
  t.same(said({ acknowledged: true }), ["waiting", null], "it has the order and has not moved yet");
  t.same(said({ acknowledged: true, isOver: true }), ["not_opened", "not_moved"]);
  t.same(said({ acknowledged: true, standing: "open" }), ["opened", null]);
  t.same(
    said({ acknowledged: true, standing: "unknown" }),
    ["taken", null],
    "one that does not say how it stands is not claimed to be open",
  );
  t.same(said({ standing: "open" }), ["waiting", null], "it stood open; whether it has the order is not known");
  t.same(said({ delivery: "away", standing: "open" }), ["not_opened", "offline"], "what it said before it went is old");
  t.same(said({ delivery: "away", acknowledged: true, standing: "open" }), ["opened", null], "it came back in time");
  t.same(said({ delivery: "refused", acknowledged: true }), ["not_opened", "not_sent"]);
});

t.test("how a gate or lock stands", async (t) => {
  const standings = [
    { gate: "opening" },
    { open: true, position: "closing" },
    { position: 0 },
    { position: 20 },
    { locked: false },
    { contact: true },
    { power: true },
    { door: "CLOSED" },
  ];
  t.same(standings.map(standingOf), ["open", "between", "closed", "open", "open", "closed", "unknown", "closed"]);
});

t.test("what asks to open, and what only closes", async (t) => {
  const commands = [
    { open: true },
    { locked: false },
    { position: 100 },
    { state: "OPEN" },
    { open: false },
    { stop: true },
    { light: true },
    { position: 0 },
  ];
  t.same(commands.map(asksToOpen), [true, true, true, true, false, false, false, false]);
  t.same(commands.map(onlyCloses), [false, false, false, false, true, true, false, false]);
});

t.test("why no gate was commanded", async (t) => {
  const read = {
    decision: "allow",
    isListed: true,
    isBesideDenied: false,
    isRepeated: false,
    isFresh: true,
    isSure: true,
    hasGate: true,
    earns: "open",
  } as const;
  t.equal(whyNotTold(read), null);
  t.same(
    [
      { decision: "deny" as const },
      { decision: "watch" as const },
      { decision: "unknown" as const },
      { decision: "unknown" as const, isListed: false },
      { isBesideDenied: true, decision: "deny" as const },
      { isBesideDenied: true },
      { hasGate: false },
      { isFresh: false },
      { isFresh: false, isRepeated: true },
      { isSure: false },
      { isSure: false, earns: "ask" as const },
      { earns: "confirm" as const },
      { earns: "ask" as const },
      { earns: "note" as const },
    ].map((more) => whyNotTold({ ...read, ...more })),
    [
      ...["denied", "watched", "outside_hours", "no_rule", "denied", "beside_denied", "no_gate", "late", "repeated"],
      ...["not_sure", "not_sure", "asked", "asked", "noted"],
    ],
  );
});

t.test("how a gate stands, in the words of every make", async (t) => {
  const words = { open: "open", opening: "open", opened: "open", unlocked: "open", closed: "closed", locked: "closed" };
  for (const [word, standing] of Object.entries({ ...words, closing: "between", stopped: "between" }))
    t.equal(standingOf({ state: word }), standing, word);
  t.equal(standingOf({ state: "on" }), "unknown");
  t.equal(standingOf({}), "unknown");
});
