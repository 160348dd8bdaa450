/**
 * What the console says of a sighting, for every way a gate can stand, a plate can be listed, and somebody can be asked:
 * it claims nothing that the hub has not seen.
 */
import t from "tap";
import type { GateRead } from "../../src/features/gate/resources/gate-read.ts";
import { countCars } from "../../src/features/gate/rules/car-count.ts";
import { gateFactOf, isAlarming } from "../../src/features/gate/rules/gate-fact.ts";
import { picturedRead, tellingRead } from "../../src/features/gate/rules/read-picture.ts";
import { withWords } from "../support/console-words.ts";

interface Words {
  chainOf(read: GateRead): readonly { readonly text: string; readonly state: string }[];
  outcomeOf(read: GateRead): { readonly text: string };
  storyOf(read: GateRead): { readonly text: string; readonly gate: string; readonly isAlarming: boolean };
}
const FOLDER = "../../src/features/gate/console";
const [{ chainOf, outcomeOf }, { storyOf }] = await withWords<Words>("en", [
  new URL(`${FOLDER}/gate-chain.ts`, import.meta.url),
  new URL(`${FOLDER}/gate-story.ts`, import.meta.url),
]);

/** Long ago, so that nothing is said to be still under way; the clock of the test is the reader's. */
const AT = "2026-03-02T12:00:00.000Z";
const SINCE = "2026-03-02T11:48:00.000Z";
/** As part of a pattern: which space stands before AM differs. */
const clock = (iso: string): string =>
  new Date(iso).toLocaleTimeString("en-US", { timeStyle: "short" }).replace(/\s/, "\\s");

const STANDS = {
  open: { gateWasOpen: true, gateWasShut: false, gateOpenSince: SINCE },
  shut: { gateWasOpen: false, gateWasShut: true, gateOpenSince: null },
  unknown: { gateWasOpen: false, gateWasShut: false, gateOpenSince: null },
} as const;
const LISTS = {
  allow: { decision: "allow", reason: null },
  deny: { decision: "deny", reason: "denied" },
  watch: { decision: "watch", reason: "watched" },
  unknown: { decision: "unknown", reason: "no_rule" },
} as const;
/** What became of a question; `none`: nobody was asked. */
const ASKED = {
  none: { asked: null, result: null, reason: null },
  asked: { asked: { at: AT, by: null, answeredAt: null }, result: "not_told", reason: "asked" },
  yes: {
    asked: { at: AT, by: "Asha", answeredAt: "2026-03-02T12:00:14.000Z" },
    result: "opened",
    reason: null,
  },
  no: {
    asked: { at: AT, by: "Asha", answeredAt: "2026-03-02T12:00:09.000Z" },
    result: "not_told",
    reason: "kept_shut",
  },
  nobody: { asked: { at: AT, by: null, answeredAt: null }, result: "not_told", reason: "unanswered" },
} as const;

const READ: GateRead = {
  id: 1,
  deviceId: "cam",
  captureId: 1,
  plate: "KA05MN3311",
  formatted: "KA 05 MN 3311",
  confidence: 95,
  votes: 2,
  samples: 3,
  plateKind: "standard",
  status: "recognised",
  reason: null,
  decision: "unknown",
  direction: "in",
  trigger: "motion",
  hasImage: true,
  imageUrl: null,
  at: AT,
  gate: null,
  label: "",
  box: null,
  opens: "gate",
  passed: "no",
  ...STANDS.shut,
  asked: null,
  openedAfter: null,
  listedNow: null,
  correction: null,
};

function readOf(
  stands: keyof typeof STANDS,
  list: keyof typeof LISTS,
  question: keyof typeof ASKED,
  isLinked: boolean,
): GateRead {
  const { decision, reason: listed } = LISTS[list];
  const { asked, result, reason } = ASKED[question];
  const isTold = result === "opened" || (question === "none" && decision === "allow" && isLinked);
  const why = isTold ? null : (reason ?? listed ?? "no_gate");
  return {
    ...READ,
    ...STANDS[stands],
    decision,
    asked,
    opens: isLinked ? "gate" : null,
    passed: isTold ? "assumed" : why === "no_gate" ? "unknown" : "no",
    gate: {
      result: isTold ? "opened" : "not_told",
      reason: why,
      deviceId: null,
      settledAt: null,
      odd: [],
    } as GateRead["gate"],
  };
}

/** Every possible case with what is said of it. A plate that is asked about is allowed or may be one, at a gate. */
function* cases() {
  for (const stands of ["open", "shut", "unknown"] as const)
    for (const list of ["allow", "deny", "watch", "unknown"] as const)
      for (const question of ["none", "asked", "yes", "no", "nobody"] as const)
        for (const isLinked of [true, false]) {
          if (question !== "none" && (!isLinked || list === "deny" || list === "watch")) continue;
          const read = readOf(stands, list, question, isLinked);
          const story = storyOf(read);
          const chain = chainOf(read).map(({ text }) => text);
          const said = {
            story: `${story.text} ${story.gate}`.trim(),
            chain: chain.join(" → "),
            list: outcomeOf(read).text,
          };
          yield { name: [stands, list, question, isLinked ? "linked" : "not linked"].join(", "), read, said, chain };
        }
}

t.test("nothing is claimed that is not known", async (t) => {
  let count = 0;
  for (const { name, read, said, chain } of cases()) {
    count += 1;
    const isTold = read.gate?.result === "opened";
    for (const text of Object.values(said)) {
      if (/stayed shut|turned away/.test(text)) t.ok(read.gateWasShut && !isTold, `${name}: ${text}`);
      if (/let it in|let in|came in/i.test(text)) t.ok(isTold, `${name}: ${text}`);
      t.notMatch(text, /undefined|\{|: \.|: $|: →/, `${name}: ${text}`);
    }
    if (read.gateWasOpen && !isTold)
      for (const text of Object.values(said)) t.match(text, /standing open|gate was open$/, `${name}: ${text}`);
    else for (const text of Object.values(said)) t.notMatch(text, /standing open|gate was open$/, `${name}: ${text}`);
    const isRefused = read.decision !== "allow" || read.gate?.reason === "kept_shut";
    t.equal(isAlarming(read), read.gateWasOpen && !isTold && isRefused, name);
    t.equal(new Set(chain).size, chain.length, `${name}: each fact once`);
  }
  t.equal(count, 3 * (4 * 2 + 2 * 4));
});

t.test("as it reads", async (t) => {
  const said = new Map([...cases()].map(({ name, said }) => [name, said]));
  const story = (name: string): string | undefined => said.get(name)?.story;
  const at = clock(SINCE);
  t.match(
    story("open, unknown, none, linked"),
    new RegExp(`: on no list\\. The gate was standing open since ${at}\\.$`),
  );
  t.match(story("open, unknown, none, not linked"), /: on no list\. The gate was standing open since /);
  t.match(story("shut, unknown, none, linked"), /: on no list\. The gate stayed shut\.$/);
  t.match(story("shut, unknown, none, not linked"), /: on no list\. The gate stayed shut\.$/);
  t.match(story("unknown, unknown, none, linked"), /: on no list\. The gate was not told to open\.$/);
  t.match(story("unknown, unknown, none, not linked"), /: on no list\.$/);
  t.match(story("open, deny, none, linked"), /: denied\. The gate was standing open since /);
  t.match(story("shut, deny, none, linked"), /and was turned away\.$/);
  t.match(story("unknown, deny, none, linked"), /: denied\. The gate was not told to open\.$/);
  t.match(story("shut, allow, none, linked"), /and was let in\.$/);
  t.match(story("unknown, allow, none, not linked"), /It is allowed, but no gate is set up\.$/);
  t.match(
    story("open, allow, none, not linked"),
    /It is allowed, but the camera opens no gate\. The gate was standing open/,
  );
  t.match(story("shut, allow, yes, linked"), /; Asha let it in\.$/);
  t.match(story("shut, allow, no, linked"), /: Asha said no\. The gate stayed shut\.$/);
  t.match(story("unknown, allow, no, linked"), /: Asha said no\. The gate was not told to open\.$/);
  t.match(story("shut, allow, asked, linked"), /Somebody is asked\.$/);
  const chains: Readonly<Record<string, RegExp>> = {
    "shut, allow, yes, linked":
      /^Allowed → Asked at .+ → Asha let it in after 14\ss → Gate opened → Let in; not seen going through$/,
    "open, allow, yes, linked": /→ Asha let it in after 14\ss → The gate was open already → /,
    "shut, allow, no, linked": /^Allowed → Asked at .+ → Asha said no after 9\ss → Gate stayed shut$/,
    "unknown, allow, nobody, linked": /^Allowed → Asked at .+ → Nobody answered → The gate was not told to open$/,
    "shut, unknown, none, linked": /^On no list → Gate stayed shut$/,
    "open, unknown, none, not linked": /^On no list → The gate was standing open since /,
    "unknown, allow, none, not linked":
      /^Allowed → No gate is set up for this camera → Nobody saw whether it went through$/,
  };
  for (const [name, pattern] of Object.entries(chains)) t.match(said.get(name)?.chain, pattern, name);
  const lists: Readonly<Record<string, string>> = {
    "shut, allow, yes, linked": "Let in by Asha",
    "shut, allow, none, linked": "Let in",
    "open, unknown, none, linked": "On no list: gate was open",
    "shut, unknown, none, linked": "On no list",
    "unknown, allow, none, not linked": "No gate is set up for this camera",
    "shut, allow, nobody, linked": "Nobody answered",
  };
  for (const [name, text] of Object.entries(lists)) t.equal(said.get(name)?.list, text, name);
});

t.test("what comes after the read, and what was never recorded", async (t) => {
  const shut = readOf("shut", "unknown", "none", true);
  const opened = { ...shut, openedAfter: { by: { kind: "person" as const, name: "Asha" }, at: AT } };
  t.equal(gateFactOf(opened), "opened_after");
  t.match(storyOf(opened).gate, "Then the gate was opened: Asha.");
  t.notMatch(
    chainOf(opened).map(({ text }) => text),
    [/stayed shut/],
  );
  t.equal(gateFactOf({ ...shut, gate: null }), "unrecorded");
  const unread = { ...readOf("open", "unknown", "none", true), plate: null, formatted: null };
  t.match(storyOf(unread), { isAlarming: true, gate: /standing open since/ });
  const allowed = readOf("unknown", "allow", "none", true);
  const taken = { ...allowed, gate: allowed.gate && { ...allowed.gate, result: "taken" as const } };
  t.match(storyOf(taken).text, /; the gate was told to open\.$/, "a relay does not say whether the gate opened");
  t.same(
    [outcomeOf(taken).text, chainOf(taken).at(-1)?.text],
    ["Gate told to open", "The gate does not say whether it opened"],
  );
  const young = { ...readOf("shut", "allow", "none", true), at: new Date().toISOString() };
  t.equal(chainOf(young).at(-1)?.text, "Let in", "it may still be seen");
});

t.test("a car that came and went is one car and two passes", async (t) => {
  t.same(countCars([{ plate: "A" }, { plate: "A" }, { plate: "B" }, { plate: null }]), {
    passes: 4,
    cars: 2,
    unread: 1,
  });
});

t.test("a plate that a person filled in leaves standing that the camera did not read it", (t) => {
  const correction = { by: "Ramesh", saw: "" };
  const gate = {
    deviceId: "gate",
    result: "not_told" as const,
    reason: "not_recognised" as const,
    settledAt: null,
    odd: [],
  };
  const filled: GateRead = { ...READ, gate, correction };
  t.match(chainOf(filled)[0], {
    text: "Not read by the camera; Ramesh filled in KA\u00a005\u00a0MN\u00a03311",
    state: "noted",
  });
  t.notOk(chainOf(filled).some(({ text }) => text.includes("On no list")));
  t.equal(outcomeOf(filled).text, "Plate not read");
  t.match(storyOf(filled).text, /plate not read/);
  t.match(chainOf({ ...filled, gate: null })[0], { text: /^Not read by the camera/ }, "of a time without records");
  t.match(
    chainOf({ ...filled, gate: { ...gate, reason: "no_rule" }, correction: { by: "Ramesh", saw: "KA05MN3317" } })[0],
    { text: "On no list" },
    "a misread plate was looked up as it was read",
  );
  t.end();
});

t.test("a text that is not a number plate is described alike in the list and on the read", (t) => {
  const text: GateRead = { ...READ, label: "", plate: null, formatted: null, reason: "invalid_format", gate: null };
  const words = "Text was read, but it is not a number plate";
  t.equal(outcomeOf(text).text, words);
  t.equal(chainOf(text)[0]?.text, words);
  t.equal(chainOf({ ...text, reason: "no_plate" })[0]?.text, "Plate not read");
  t.end();
});

t.test("a car that has a name since was on no list then", (t) => {
  const gate = {
    deviceId: "gate",
    result: "not_told" as const,
    reason: "no_rule" as const,
    settledAt: null,
    odd: [],
  };
  const seen: GateRead = { ...READ, decision: "unknown", gate };
  t.match(storyOf({ ...seen, label: "Family car" }).text, /on no list then/);
  t.notMatch(storyOf({ ...seen, label: "" }).text, /then/);
  t.end();
});

t.test("Home opens with the car that was let in, not with the picture beside it that has no plate", async (t) => {
  const read = (plate: string | null, decision: GateRead["decision"], minute: number) =>
    ({ plate, decision, at: `2026-03-02T12:${minute}:00.000Z` }) as const;
  const [unread, car] = [read(null, "unknown", 40), read("MH12AB1234", "allow", 30)];
  t.equal(tellingRead([unread, car]), car);
  t.equal(tellingRead([unread, read("KA05MN3311", "unknown", 35), car]), car);
  t.equal(tellingRead([read("KA05MN3311", "unknown", 41), car])?.at, "2026-03-02T12:41:00.000Z", "a plate is news");
  t.equal(tellingRead([unread, read("MH12AB1234", "allow", 20)]), unread, "of another quarter of an hour");
  t.equal(tellingRead([unread]), unread);
  t.equal(tellingRead([]), undefined);
  const [without, withPicture] = [
    { ...unread, hasImage: false },
    { ...car, hasImage: true },
  ];
  t.equal(picturedRead([without, withPicture]), withPicture);
  t.equal(
    picturedRead([
      { ...car, hasImage: false },
      { ...unread, hasImage: true },
    ]),
    undefined,
    "the picture of another is none of it",
  );
  t.equal(picturedRead([without]), undefined);
});
