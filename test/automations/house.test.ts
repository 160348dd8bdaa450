import t from "tap";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import type { Problem } from "../../src/core/kernel/problem.ts";
import { commandTo, Household, whenOn } from "../support/automations.ts";
import { testFolder } from "../support/test-folder.ts";

const MINUTE = 60_000;
const BY_ASHA = { actor: "session:1", name: "Asha" };
const CAR = "MH12AB1234";

const setTo = (mode: string): JsonObject => ({ type: "house", mode });
const becomes = (mode: string): JsonObject => ({ type: "house", becomes: mode });
const LAST_LEAVES = { type: "presence", event: "leaves" };
const FIRST_COMES = { type: "presence", event: "arrives" };

t.test("a mode sets rules off when it is new, is a condition, and is set by a step", async (t) => {
  const home = await Household.open(testFolder(t));
  await home.rule({ trigger: becomes("away"), action: commandTo("lamp", { n: 1 }) });
  const sets = await home.rule({
    name: "Night at the switch",
    trigger: { type: "state", deviceId: "plug", field: "power", op: "truthy" },
    conditions: [{ type: "not", condition: { type: "house", is: "holiday" } }],
    action: setTo("night"),
  });
  await home.modes.set(home.siteId, "away", BY_ASHA);
  await home.modes.set(home.siteId, "away", BY_ASHA);
  t.same(
    home.commands.map(({ command }) => command),
    ['{"n":1}'],
    "once, as it becomes so",
  );
  home.state("plug", { power: true });
  await home.settle();
  t.hasStrict(home.modes.now(home.siteId), { mode: "night", name: "Night at the switch" });
  await home.modes.set(home.siteId, "holiday", BY_ASHA);
  home.state("plug", { power: false });
  home.state("plug", { power: true });
  t.same(await home.story(sets), ["condition", "ran"]);
  t.hasStrict((await home.automations.traces(home.siteId, sets))[0], {
    decidedBy: { type: "house", is: "holiday" },
    saw: "holiday",
  });
  t.same(
    home.feed.filter(({ kind }) => kind === "house.mode").map(({ title }) => title),
    ["Asha set the house to Away", "Night at the switch set the house to Night", "Asha set the house to Holiday"],
  );
  await home.close();
});

t.test("rules that set the mode in turns stop, and say why", async (t) => {
  const home = await Household.open(testFolder(t));
  const first = await home.rule({ trigger: becomes("away"), action: setTo("night") });
  const second = await home.rule({ trigger: becomes("night"), action: setTo("away") });
  await home.modes.set(home.siteId, "away", BY_ASHA);
  await home.settle();
  await home.settle();
  t.same((await home.story(first)).sort(), ["loop", "ran"]);
  t.same(await home.story(second), ["ran"]);
  t.hasStrict((await home.automations.traces(home.siteId, second))[0], { causes: [{ automationId: first }, {}] });
  home.clock.advance(MINUTE);
  await home.modes.set(home.siteId, "night", BY_ASHA);
  await home.settle();
  t.same((await home.story(second)).sort(), ["loop", "ran", "ran"], "what a person does has no rule as its cause");
  await home.close();
});

t.test("the last one who leaves and the first one who comes home set rules off once", async (t) => {
  const home = await Household.open(testFolder(t));
  const ravi = home.person("Ravi");
  await home.rule({ trigger: LAST_LEAVES, action: commandTo("lamp", { n: "last" }) });
  await home.rule({ trigger: FIRST_COMES, action: commandTo("lamp", { n: "first" }) });
  await home.rule({ trigger: { ...LAST_LEAVES, person: ravi }, action: commandTo("lamp", { n: "ravi" }) });
  const done = (): string[] => home.commands.splice(0).map(({ command }) => String(JSON.parse(command).n));
  await home.presence.say(1, "home");
  await home.presence.say(ravi, "home");
  t.same(done(), ["first"], "a person's own word is an act, also the first one");
  home.clock.advance(MINUTE);
  await home.presence.say(1, "away");
  t.same(done(), []);
  home.clock.advance(MINUTE);
  await home.presence.say(ravi, "away");
  await home.presence.say(ravi, "away");
  t.same(done(), ["last", "ravi"]);
  home.clock.advance(MINUTE);
  await home.presence.say(ravi, "home");
  await home.presence.say(1, "home");
  t.same(done(), ["first"]);
  await home.close();
});

t.test("two who leave in one car leave once; what the car did long ago is no news", async (t) => {
  const home = await Household.open(testFolder(t));
  const ravi = home.person("Ravi");
  const id = await home.rule({ trigger: LAST_LEAVES });
  await home.car(CAR, "home");
  for (const person of [1, ravi])
    await home.presence.choose(home.siteId, person, { plate: CAR, deviceId: null }, "session:1");
  t.equal(home.presence.whereIs(home.siteId, ravi), "home", "it is inside already");
  home.clock.advance(MINUTE);
  await home.car(CAR, "away");
  t.same(await home.story(id), ["ran"]);
  home.clock.advance(MINUTE);
  await home.car(CAR, "home");
  home.clock.advance(30 * MINUTE);
  await home.car(CAR, "away", home.clock.now() - 20 * MINUTE);
  t.equal(home.presence.whereIs(home.siteId, ravi), "away", "a read that came late is believed");
  t.same(await home.story(id), ["ran"], "and sets nothing off");
  await home.close();
});

t.test("a sensor that flaps has left nobody; the latest of what is said counts", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: LAST_LEAVES });
  home.device("phone", "sensor");
  const comes = await home.rule({ trigger: FIRST_COMES });
  home.state("phone", { presence: true });
  await home.presence.choose(home.siteId, 1, { plate: null, deviceId: "phone" }, "session:1");
  t.same(await home.story(comes), [], "the first word of a device about somebody is a state, not a change");
  home.state("phone", { presence: false });
  home.clock.advance(4 * MINUTE);
  home.state("phone", { presence: true });
  home.state("phone", { presence: false });
  home.clock.advance(4 * MINUTE);
  await home.settle();
  t.equal(home.presence.whereIs(home.siteId, 1), "home");
  home.clock.advance(2 * MINUTE);
  await home.settle();
  t.equal(home.presence.whereIs(home.siteId, 1), "away");
  t.same(await home.story(id), ["ran"]);
  await home.presence.say(1, "home");
  t.equal(home.presence.whereIs(home.siteId, 1), "home", "the phone is elsewhere");
  home.state("phone", { battery: 20 });
  home.clock.advance(10 * MINUTE);
  await home.settle();
  t.equal(home.presence.whereIs(home.siteId, 1), "home", "what it has said before is not news");
  await home.close();
});

t.test("a restart keeps mode and presence, and sets nothing off", async (t) => {
  const home = await Household.open(testFolder(t));
  const leaves = await home.rule({ trigger: LAST_LEAVES });
  const away = await home.rule({ trigger: becomes("away") });
  await home.modes.set(home.siteId, "night", BY_ASHA);
  home.device("phone", "sensor");
  home.state("phone", { presence: "home" });
  await home.presence.choose(home.siteId, 1, { plate: null, deviceId: "phone" }, "session:1");
  await home.powerCut(60 * MINUTE);
  t.hasStrict(home.modes.now(home.siteId), { mode: "night", name: "Asha" });
  t.equal(home.presence.whereIs(home.siteId, 1), "home");
  home.state("phone", { presence: "not_home" }, { initial: true });
  home.clock.advance(10 * MINUTE);
  await home.settle();
  t.equal(home.presence.whereIs(home.siteId, 1), "away");
  t.same([...(await home.story(leaves)), ...(await home.story(away))], []);
  await home.close();
});

t.test("who is not known does not count, and a person who was removed is nowhere", async (t) => {
  const home = await Household.open(testFolder(t));
  const ravi = home.person("Ravi");
  const when = { type: "state", deviceId: "plug", field: "n", op: "changed" };
  const nobody = await home.rule({ trigger: when, conditions: [{ type: "presence", is: "away" }] });
  const isHome = await home.rule({ trigger: when, conditions: [{ type: "presence", is: "home", person: ravi }] });
  const saw = async (id: number): Promise<unknown> => {
    home.state("plug", { n: Math.random() });
    await home.settle();
    const [trace] = await home.automations.traces(home.siteId, id);
    return trace?.saw ?? trace?.outcome;
  };
  t.equal(await saw(nobody), "nobody is known to be home or away");
  await home.presence.say(1, "away");
  t.equal(await saw(nobody), "ran");
  t.equal(await saw(isHome), "nobody is known to be home or away");
  await home.presence.say(ravi, "home");
  t.equal(await saw(nobody), "home", "why it did not run: somebody was home");
  t.equal(await saw(isHome), "ran");
  home.persons = home.persons.filter(({ id }) => id !== ravi);
  await home.database.write(() => home.database.raw.prepare("DELETE FROM account WHERE id = ?").run(ravi));
  t.equal(home.database.raw.prepare("SELECT count(*) FROM presence_source").pluck().get(), 1);
  t.equal(await saw(isHome), "the person has left the household");
  t.equal(await saw(nobody), "ran");
  await t.rejects(home.rule({ trigger: { ...LAST_LEAVES, person: ravi } }), {
    code: "invalid_body",
    details: [{ field: "/trigger/person", code: "unknown_person" }],
  });
  await home.close();
});

t.test("a car that comes home opens nothing by its person, also by way of the mode; closing is done", async (t) => {
  const home = await Household.open(testFolder(t));
  const open = { type: "command", deviceId: "gate", command: { open: true } };
  const comes = await home.rule({
    trigger: FIRST_COMES,
    action: { type: "sequence", actions: [open, commandTo("lock", { locked: false }), setTo("night")] },
  });
  const scene = await home.rule({ trigger: becomes("night"), action: { type: "scene", sceneId: 1 } });
  const leaves = await home.rule({ trigger: LAST_LEAVES, action: commandTo("lock", { locked: true }) });
  await home.car(CAR, "home");
  await home.presence.choose(home.siteId, 1, { plate: CAR, deviceId: null }, "session:1");
  home.clock.advance(MINUTE);
  await home.car(CAR, "away");
  t.same(
    home.commands.splice(0).map(({ deviceId }) => deviceId),
    ["lock"],
  );
  t.same(await home.story(leaves), ["ran"]);
  home.clock.advance(MINUTE);
  await home.car(CAR, "home");
  await home.settle();
  t.same([home.commands, home.scenes], [[], []]);
  t.same(
    (await home.automations.traces(home.siteId, comes))[0]?.steps?.map(({ words }) => words),
    [{ code: "step.opensNothing" }, { code: "step.opensNothing" }, undefined],
  );
  t.hasStrict((await home.automations.traces(home.siteId, scene))[0], {
    steps: [{ words: { code: "step.opensNothing" } }],
  });
  home.clock.advance(MINUTE);
  await home.presence.say(1, "away");
  home.clock.advance(MINUTE);
  await home.presence.say(1, "home");
  t.same(
    home.commands.map(({ deviceId }) => deviceId),
    ["lock", "gate", "lock"],
    "a person who says so may do it",
  );
  await home.close();
});

t.test("what opens nothing by itself opens and disarms nothing by way of a mode, a scene or a device", async (t) => {
  const home = await Household.open(testFolder(t));
  home.device("alarm", "sentinel");
  const openAll = {
    type: "sequence",
    actions: [
      { type: "command", deviceId: "gate", command: { open: true } },
      commandTo("alarm", { armed: false }),
      commandTo("alarm", { armed: true }),
    ],
  };
  const plate = { type: "plate", decision: "allow" };
  await home.rule({ trigger: plate, action: setTo("night") });
  await home.rule({ trigger: { type: "occupancy", op: "gt", value: 0 }, action: setTo("holiday") });
  await home.rule({ trigger: { ...FIRST_COMES, person: 1 }, action: commandTo("lamp") });
  for (const mode of ["night", "holiday"] as const) await home.rule({ trigger: becomes(mode), action: openAll });
  await home.rule({ trigger: whenOn("lamp"), action: openAll });
  home.answer = ({ deviceId }) => {
    if (deviceId === "lamp") home.state("lamp", { power: true });
  };
  const opened = async (): Promise<unknown[]> => {
    await home.settle();
    home.clock.advance(MINUTE);
    return home.commands
      .splice(0)
      .filter(({ deviceId }) => deviceId !== "lamp")
      .map(({ command }) => command);
  };
  const read = (how: { late?: boolean; besideDenied?: boolean }): void =>
    home.bus.announce("read.decided", {
      ...{ siteId: home.siteId, readId: 1, deviceId: "camera", plate: CAR, decision: "allow", direction: "in" },
      ...{ status: "recognised", at: home.clock.now(), firstOfPass: true, besideDenied: false, late: false, ...how },
    });
  const ARMED = ['{"armed":true}'];
  read({ late: true });
  t.same(await opened(), ARMED, "a read that came too late, or was shown on a screen");
  await home.modes.set(home.siteId, "home", { actor: "session:1", name: null });
  read({ besideDenied: true });
  t.same(await opened(), ARMED, "a denied vehicle beside it");
  await home.modes.set(home.siteId, "home", { actor: "session:1", name: null });
  read({});
  t.same(await opened(), ARMED, "a rule sets the mode, whatever set it off");
  home.bus.announce("occupancy.changed", { siteId: home.siteId, previous: 0, inside: 1, at: home.clock.now() });
  t.same(await opened(), ARMED, "a count of cars");
  await home.modes.set(home.siteId, "night", { actor: "device:matter", name: null });
  t.same(await opened(), ARMED, "anything that is not a person");
  home.state("lamp", { power: false });
  await home.presence.choose(home.siteId, 1, { plate: CAR, deviceId: null }, "session:1");
  await home.car(CAR, "away");
  home.clock.advance(MINUTE);
  await home.car(CAR, "home");
  t.same(await opened(), ARMED, "a car's person, by way of a lamp");
  await home.modes.set(home.siteId, "holiday", { actor: "session:1", name: null });
  t.equal((await opened()).length, 3, "a person by hand");
  await home.close();
});

t.test("what somebody's coming and going sets off is not in the feed of all", async (t) => {
  const home = await Household.open(testFolder(t));
  await home.presence.say(1, "home");
  await home.rule({ name: "When Asha leaves", trigger: { ...LAST_LEAVES, person: 1 }, action: setTo("away") });
  const fails = { type: "sequence", actions: [commandTo("fan")] };
  home.refusals.set("fan", new Error("the fan is stuck"));
  await home.rule({ name: "When Asha leaves, too", trigger: { ...LAST_LEAVES, person: 1 }, action: fails });
  home.clock.advance(MINUTE);
  await home.presence.say(1, "away");
  await home.settle();
  t.same(home.feed.map(({ kind, title }) => [kind, title]).sort(), [
    ["automation.private", "When Asha leaves, too did not do all it should"],
    ["house.mode", "The house is set to Away"],
  ]);
  await home.close();
});

t.test("a key needs the scopes that show the same", async (t) => {
  const home = await Household.open(testFolder(t));
  const keyId = home.key(["devices:control", "automations:write"]);
  const by = { keyId, actor: `api_key:${keyId}`, scopes: home.keys.get(keyId) ?? [] };
  const body = { name: "Rule", action: setTo("away"), conditions: [{ type: "house", is: "home" }] };
  const error = await home.automations.create(home.siteId, { ...body, trigger: LAST_LEAVES }, by).catch((one) => one);
  t.same(
    (error as Problem).details.map(({ field, message }) => [field, message.split(" ").at(-1)]),
    [
      ["/trigger", "plates:read."],
      ["/conditions/0", "scenes:read."],
      ["/action", "scenes:run."],
    ],
  );
  await home.close();
});

t.test("a dry run and a preview know the house", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: LAST_LEAVES, conditions: [{ type: "house", is: "home" }] });
  const sample = { type: "presence", person: 1, event: "leaves", homeBefore: 1 } as const;
  t.hasStrict(home.automations.dryRun(home.siteId, id, { sample }), { triggers: true, wouldRun: true });
  t.hasStrict(home.automations.dryRun(home.siteId, id, { sample: { ...sample, homeBefore: 2 } }), { triggers: false });
  t.hasStrict(home.automations.dryRun(home.siteId, id, { sample: { type: "house", mode: "away" } }), {
    triggers: false,
  });
  t.hasStrict(await home.automations.preview(home.siteId, { trigger: becomes("home") }), {
    trigger: { holds: true, saw: "home" },
  });
  await home.presence.say(1, "away");
  t.hasStrict(await home.automations.preview(home.siteId, { trigger: LAST_LEAVES }), {
    trigger: { holds: true, saw: "away" },
  });
  await home.close();
});

t.test("a schedule that comes late leaves the gate alone and disarms as ever", async (t) => {
  const home = await Household.open(testFolder(t));
  home.device("alarm", "sentinel");
  const disarm = commandTo("alarm", { armed: false });
  const open = { type: "command", deviceId: "gate", command: { open: true } };
  await home.rule({ trigger: { type: "time", at: "07:00" }, action: { type: "sequence", actions: [open, disarm] } });
  await home.powerCut(60 * MINUTE + 10_000);
  home.clock.advance(MINUTE);
  await home.settle();
  t.same(
    home.commands.map(({ deviceId }) => deviceId),
    ["alarm"],
  );
  await home.close();
});

t.test(
  "what somebody sets off who may not open everything now opens nothing, and leads to nothing that does",
  async (t) => {
    const home = await Household.open(testFolder(t));
    home.device("alarm", "sentinel");
    const ravi = home.person("Ravi");
    const steps = [commandTo("gate", { open: true }), commandTo("alarm", { armed: false }), commandTo("fan", { n: 1 })];
    const opens = { type: "sequence", actions: steps };
    for (const trigger of [
      becomes("night"),
      FIRST_COMES,
      whenOn("lamp"),
      { type: "event", deviceId: "lamp", kind: "press" },
    ])
      await home.rule({ trigger, action: opens });
    // the lamp that the rule for "away" switches leads on
    await home.rule({ trigger: becomes("away"), action: commandTo("plug", { power: true }) });
    await home.rule({ trigger: whenOn("plug"), action: opens });
    const press = () =>
      home.bus.announce("device.event", {
        ...{ siteId: home.siteId, deviceId: "lamp", kind: "press", title: "", body: "" },
        at: home.clock.now(),
      });
    const ways: readonly (readonly [string, () => unknown])[] = [
      ["a mode", () => home.modes.set(home.siteId, "night", BY_ASHA)],
      [
        "a mode, by way of a lamp",
        async () => {
          await home.modes.set(home.siteId, "away", BY_ASHA);
          home.state("plug", { power: true });
        },
      ],
      ["their own word", () => home.presence.say(ravi, "home")],
      [
        "a lamp",
        () => {
          home.commandByHand("lamp", BY_ASHA.actor);
          home.state("lamp", { power: true });
        },
      ],
      [
        "what a device says after a command",
        () => {
          home.commandByHand("lamp", BY_ASHA.actor);
          press();
        },
      ],
    ];
    const everything = ["gate", "alarm", "fan"];
    for (const isBound of [true, false]) {
      for (const one of [BY_ASHA.actor, ravi]) isBound ? home.bound.add(one) : home.bound.delete(one);
      for (const [way, act] of ways) {
        home.commands.length = 0;
        await act();
        await home.settle();
        const sent = home.commands.map(({ deviceId }) => deviceId).filter((id) => id !== "plug");
        t.same(sent, isBound ? ["fan"] : everything, `${way}, ${isBound ? "" : "not "}bound`);
        await home.presence.say(ravi, "away");
        for (const id of ["lamp", "plug"]) home.state(id, { power: false });
        await home.modes.set(home.siteId, "home", BY_ASHA);
        home.clock.advance(2 * MINUTE);
        await home.settle();
      }
    }
    home.bound.add(BY_ASHA.actor);
    home.commands.length = 0;
    home.commandByHand("lamp", BY_ASHA.actor);
    home.clock.advance(2 * MINUTE);
    home.state("lamp", { power: true });
    await home.settle();
    t.same(
      home.commands.map(({ deviceId }) => deviceId),
      everything,
      "what it reports much later is nobody's",
    );
    const id = await home.rule({ trigger: becomes("holiday"), action: opens });
    home.commands.length = 0;
    home.automations.runNow(home.siteId, id, BY_ASHA.actor);
    await home.settle();
    t.same(
      home.commands.map(({ deviceId }) => deviceId),
      ["fan"],
      "a rule that is run by hand",
    );
    await home.close();
  },
);
