/**
 * Guests, keys, owners, set-up documents and other hubs of an estate edit the rules of one household in random order,
 * passes end and are swept; the real classes and a real database are held against a plain model. No sequence lets a
 * lesser master change what a greater one has set.
 */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import fc from "fast-check";
import t from "tap";
import { holds } from "../../src/core/api/caller.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import type { Master } from "../../src/core/plates/masters.ts";
import { scopesOf } from "../../src/features/access/roles.ts";
import { type Edit, newEdit } from "../../src/features/estate/edits.ts";
import { Entries } from "../../src/features/estate/entries.ts";
import { CameraSettings } from "../../src/features/gate/camera-settings.ts";
import { GuestPasses } from "../../src/features/gate/guest-passes.ts";
import { PlateRules } from "../../src/features/gate/plate-rules.ts";
import { gateTables } from "../../src/features/gate/tables.ts";
import { testAccess, testBase } from "../support/base.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { EveryDevice } from "../support/stand-ins.ts";
import { testFolder } from "../support/test-folder.ts";

/** `node scripts/rule-masters.mjs` plays 100,000. */
const SEQUENCES = Number(process.env.GATEHOUSE_SEQUENCES ?? 300);
t.setTimeout(process.env.GATEHOUSE_SEQUENCES === undefined ? 90_000 : 0); // the script may have a busy machine for hours

const PLATES = ["MH12AB1234", "KA05MK7777", "DL8CAF5031"] as const;
const SCOPES = [null, "camera-in"] as const;
const KINDS = ["allow", "deny", "watch"] as const;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ACTORS = { owner: "session:1", key: "api_key:1", document: "cli:provision" } as const;
const RANK: Readonly<Record<Master, number>> = { guest: 0, key: 1, owner: 2 };
const MEMBER = { method: "session", role: "member", scopes: scopesOf("member") } as const;

type Kind = (typeof KINDS)[number];
type Scope = (typeof SCOPES)[number];
interface OfRule {
  readonly by: keyof typeof ACTORS;
  readonly plate: string;
  readonly scope: Scope;
}
interface OfPass {
  readonly pass: number;
}
interface Steps {
  give: { readonly plate: string | null; readonly scope: Scope; readonly mayTell: boolean };
  tell: OfPass & { readonly plate: string };
  "take back": OfPass;
  renew: OfPass;
  wait: { readonly hours: number };
  sweep: object;
  add: OfRule & { readonly kind: Kind };
  document: OfRule & { readonly kind: Kind };
  edit: OfRule & { readonly kind: Kind | null; readonly enabled: boolean | null; readonly forEver: boolean };
  remove: OfRule;
  member: { readonly plate: string; readonly kind: Kind };
  elsewhere: { readonly by: Master; readonly plate: string; readonly kind: Kind | null; readonly isAware: boolean };
  offer: object;
}
type Step = { [Name in keyof Steps]: { readonly do: Name } & Steps[Name] }[keyof Steps];

const plate = fc.constantFrom(...PLATES);
const scope = fc.constantFrom(...SCOPES);
const kind = fc.constantFrom(...KINDS);
const by = fc.constantFrom(...(Object.keys(ACTORS) as (keyof typeof ACTORS)[])); // keys of a literal object
const pass = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("give" as const), plate: fc.option(plate), scope, mayTell: fc.boolean() }),
  { weight: 4, arbitrary: fc.record({ do: fc.constant("tell" as const), pass, plate }) },
  fc.record({ do: fc.constant("take back" as const), pass }),
  fc.record({ do: fc.constant("renew" as const), pass }),
  fc.record({ do: fc.constant("wait" as const), hours: fc.constantFrom(1, 3, 24 * 8) }),
  fc.record({ do: fc.constant("sweep" as const) }),
  fc.record({ do: fc.constant("add" as const), by, plate, scope, kind }),
  fc.record({ do: fc.constant("document" as const), by, plate, scope, kind }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("edit" as const),
      by,
      plate,
      scope,
      kind: fc.option(kind),
      enabled: fc.option(fc.boolean()),
      forEver: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant("remove" as const), by, plate, scope }),
  fc.record({ do: fc.constant("member" as const), plate, kind }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("elsewhere" as const),
      by: fc.constantFrom<Master>("guest", "key", "owner"),
      plate,
      kind: fc.option(kind),
      isAware: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("offer" as const) }) },
);

/** A rule as the model knows it; `pass`: the pass that owns it. */
interface Rule {
  plate: string;
  readonly scope: Scope;
  kind: Kind;
  enabled: boolean;
  validTo: number | null;
  label: string;
  master: Master;
  pass: Pass | null;
}

interface Pass {
  readonly label: string;
  readonly scope: Scope;
  readonly validTo: number;
  tries: number;
  rule: Rule | null;
}

/** What the estate last agreed on for a plate. */
interface Agreed {
  readonly at: number;
  /** Times of the edits behind it, the greatest master's first. */
  readonly since: readonly [number, number, number];
  readonly isGone: boolean;
  readonly isBan: boolean;
  /** Whether it is a rule that is switched on. */
  readonly isOn: boolean;
  readonly rule: Rule | null;
}

/** The rules of a household in plain words: what docs/threat-model.md says of masters. */
class Model {
  rules: Rule[] = [];
  readonly passes: (Pass | null)[] = [];
  readonly agreed = new Map<string, Agreed>();
  /** Rules that this hub has changed and the estate has not heard of. */
  readonly unheard = new Set<Rule>();

  of(plateText: string, at: Scope): Rule | undefined {
    return this.rules.find((rule) => rule.plate === plateText && rule.scope === at);
  }

  /** Somebody else than its pass has edited the rule. */
  takeOver(rule: Rule, master: Master): void {
    if (rule.pass !== null) Object.assign(rule.pass, { rule: null, tries: 0 });
    Object.assign(rule, { pass: null, master });
  }

  drop(rule: Rule): void {
    this.rules = this.rules.filter((one) => one !== rule);
    const index = this.passes.findIndex((one) => one !== null && one === rule.pass);
    if (index >= 0) this.passes[index] = null; // its link ends with it
  }

  changed(rule: Rule): void {
    if (rule.scope === null) this.unheard.add(rule);
  }
}

const since = (from: Agreed | null, master: Master, at: number): Agreed["since"] => {
  const [owner = 0, key = 0] = from?.since ?? [];
  if (master === "owner") return [at, 0, 0];
  return master === "key" ? [owner, at, 0] : [owner, key, at];
};

/** -1: the first is earlier in the order in which edits stand. */
const compare = (one: readonly number[], other: readonly number[]): number => {
  const nth = one.findIndex((value, index) => value !== other[index]);
  return nth < 0 ? 0 : Math.sign((one[nth] ?? 0) - (other[nth] ?? 0));
};

/** The real classes on a database of their own; one for all sequences, emptied in between. */
async function household(folder: string) {
  const clock = new FakeClock();
  const database = await openDatabase(folder, clock, 0);
  const { siteId } = seedAccount(database);
  const base = testBase(database, clock);
  const tables = gateTables(base);
  const { access, feed } = testAccess(base);
  Object.assign(access, { recordAudit: () => {} });
  const registry = new EveryDevice(base, () => siteId);
  const cameras = new CameraSettings(base, { tables, registry, access });
  cameras.isCamera = () => true;
  const common = { tables, cameras, access, countries: Countries.all };
  const rules = new PlateRules(base, common);
  const passes = new GuestPasses(base, { ...common, rules, feed: feed.feed });
  const config = {
    estate: "e",
    hub: "north",
    name: "North",
    part: "main",
    role: "manager",
    servers: [],
    user: "",
    seed: "",
  };
  const entries = new Entries(
    {
      config: config as never, // of the configuration only the names are looked at
      database,
      bus: base.bus,
      clock,
      logger: silentLogger,
      siteId: () => siteId,
      tokenOf: (text) => text.toLowerCase(),
      recordFeed: () => {},
      clockOffMs: () => 0,
    },
    { ready: () => {}, deviceName: (id) => id },
  );
  entries.table.watch(
    siteId,
    () => !entries.isApplying,
    () => {},
  );
  const empty = () =>
    database.write(() =>
      database.raw.exec(
        "DELETE FROM guest_pass; DELETE FROM plate_rule; DELETE FROM estate_noted; DELETE FROM estate_entry; DELETE FROM estate_state",
      ),
    );
  return { clock, database, siteId, tables, rules, passes, entries, empty };
}

type House = Awaited<ReturnType<typeof household>>;

/** Plays one sequence on both; what differs is thrown. */
async function play(house: House, steps: readonly Step[]): Promise<void> {
  const { clock, database, siteId, tables, rules, passes, entries } = house;
  await house.empty();
  clock.advance(60_000); // and with it the limits of links
  const model = new Model();
  const given: { readonly id: number; token: string }[] = [];
  const refusedOr = async (work: Promise<unknown>): Promise<boolean> =>
    work.then(
      () => true,
      (error: unknown) => {
        if (error instanceof Problem) return false;
        throw error;
      },
    );
  const idOf = (rule: Rule): number => tables.rules.standing(siteId, rule.plate, rule.scope)?.id ?? 0;
  const isLive = (one: Pass | null): one is Pass =>
    one !== null && clock.now() < one.validTo && (one.rule !== null || one.tries > 0);

  const make = (author: Master, plateText: string, at: Scope, what: Partial<Rule>): Rule => {
    const rule: Rule = {
      plate: plateText,
      scope: at,
      kind: "allow",
      enabled: true,
      validTo: null,
      label: "",
      master: author,
      pass: null,
      ...what,
    };
    model.rules.push(rule);
    model.changed(rule);
    return rule;
  };

  const act: { readonly [Name in Step["do"]]: (one: Steps[Name]) => Promise<void> } = {
    give: async (one) => {
      if (given.length > 3) return;
      const label = `guest ${given.length}`;
      const validTo = clock.now() + 2 * HOUR;
      const isListed = one.plate !== null && model.of(one.plate, one.scope) !== undefined;
      const input = {
        label,
        plate: one.plate,
        deviceId: one.scope,
        validFrom: null,
        validTo,
        windows: [],
        guestMayTellPlate: one.mayTell,
      };
      const made = await passes.create(siteId, input, ACTORS.owner).catch((error: unknown) => {
        if (error instanceof Problem) return null;
        throw error;
      });
      if ((made === null) !== isListed) throw new Error("a pass for a plate that stands");
      if (made === null) return;
      given.push({ id: made.pass.id, token: made.token });
      const guest: Pass = { label, scope: one.scope, validTo, tries: one.mayTell ? 3 : 0, rule: null };
      model.passes.push(guest);
      if (one.plate !== null) guest.rule = make("guest", one.plate, one.scope, { validTo, label, pass: guest });
    },
    tell: async (one) => {
      const guest = model.passes[one.pass] ?? null;
      const link = given[one.pass];
      if (link === undefined) return;
      const isTaken = await refusedOr(passes.tellPlate(link.token, one.plate, "192.168.1.9"));
      let isExpected = false;
      if (isLive(guest) && guest.tries > 0) {
        guest.tries -= 1;
        isExpected = model.rules
          .filter((rule) => rule.plate === one.plate && rule !== guest.rule)
          .every(({ master, scope }) => master === "guest" && scope !== guest.scope);
        if (isExpected && guest.rule === null) {
          const { validTo, label } = guest;
          guest.rule = make("guest", one.plate, guest.scope, { validTo, label, pass: guest });
        } else if (isExpected && guest.rule !== null) {
          guest.rule.plate = one.plate;
          model.changed(guest.rule);
        }
      }
      if (isTaken !== isExpected) throw new Error(`the link took a plate: ${isTaken}`);
    },
    "take back": async (one) => {
      const guest = model.passes[one.pass] ?? null;
      const link = given[one.pass];
      if (link === undefined) return;
      await refusedOr(passes.revoke(siteId, link.id, ACTORS.owner));
      if (guest?.rule) model.drop(guest.rule);
      model.passes[one.pass] = null;
    },
    renew: async (one) => {
      const link = given[one.pass];
      if (link === undefined) return;
      const token = await passes.renewLink(siteId, link.id, ACTORS.owner).catch(() => null);
      if ((token !== null) !== isLive(model.passes[one.pass] ?? null)) throw new Error("a new link");
      if (token !== null) link.token = token;
    },
    wait: async ({ hours }) => clock.advance(hours * HOUR),
    sweep: async () => {
      await passes.sweep();
      for (const [index, guest] of model.passes.entries()) {
        if (guest === null || guest.validTo >= clock.now() - 7 * DAY) continue;
        if (guest.rule !== null) model.drop(guest.rule);
        model.passes[index] = null;
      }
    },
    add: async (one) => {
      const isListed = model.of(one.plate, one.scope) !== undefined;
      const isMade = await refusedOr(
        rules.create(siteId, { plate: one.plate, deviceId: one.scope, kind: one.kind }, ACTORS[one.by]),
      );
      if (isMade === isListed) throw new Error("a second rule for a plate");
      if (isMade) make(one.by === "key" ? "key" : "owner", one.plate, one.scope, { kind: one.kind });
    },
    document: async (one) => {
      const standing = model.of(one.plate, one.scope);
      if (standing === undefined) return act.add(one);
      return act.edit({ ...one, enabled: true, forEver: false });
    },
    edit: async (one) => {
      const standing = model.of(one.plate, one.scope);
      if (standing === undefined) return;
      const edit = {
        ...(one.kind === null ? {} : { kind: one.kind }),
        ...(one.enabled === null ? {} : { enabled: one.enabled }),
        ...(one.forEver ? { validTo: null } : {}),
      };
      await rules.edit(siteId, idOf(standing), edit, ACTORS[one.by]);
      if (Object.entries(edit).every(([name, value]) => standing[name as keyof Rule] === value)) return;
      Object.assign(standing, edit);
      model.takeOver(standing, one.by === "key" ? "key" : "owner");
      model.changed(standing);
    },
    remove: async (one) => {
      const standing = model.of(one.plate, one.scope);
      if (standing === undefined) return;
      await rules.remove(siteId, idOf(standing), ACTORS[one.by]);
      model.drop(standing);
    },
    member: async (one) => {
      if (!holds(MEMBER, "plates:write")) return;
      await refusedOr(rules.create(siteId, { plate: one.plate, kind: one.kind }, "session:2"));
      throw new Error("members may edit rules now: who is their master?");
    },
    elsewhere: async (one) => {
      const key = entries.keyOf(one.plate);
      const before = model.agreed.get(one.plate) ?? null;
      const from = one.isAware ? before : null;
      const validTo = clock.now() + 2 * HOUR;
      const value =
        one.kind === null
          ? null
          : {
              plate: one.plate,
              formatted: one.plate,
              kind: one.kind,
              label: "there",
              validFrom: null,
              validTo,
              windows: null,
              enabled: true,
              createdAt: 5,
            };
      const edit = newEdit(value, {
        from: one.isAware ? entries.held(key) : null,
        now: clock.now(),
        by: "south",
        master: one.by,
      });
      const entry = { key, revision: 1, ...edit };
      const isValid = entries.isValid(entry, clock.now());
      if (isValid !== (one.by !== "guest" || one.kind === null || one.kind === "allow"))
        throw new Error("a guest's ban");
      if (!isValid) return;
      await database.write(() => entries.apply(entry));
      take(one.plate, agree(from, one.by, one.kind === null, one.kind === "deny", edit), {
        by: one.by,
        isKept: one.kind === null ? null : { kind: one.kind, enabled: true, validTo, label: "there" },
      });
    },
    offer: async () => {
      for (const rule of [...model.unheard]) {
        if (!model.rules.includes(rule)) continue;
        const id = idOf(rule);
        await database.write(() => offerRule(house, id));
        const former = [...model.agreed].find(([text, one]) => one.rule === rule && text !== rule.plate);
        if (former !== undefined) {
          const [text, from] = former;
          model.agreed.set(text, agree(from, "guest", true, false, entries.held(entries.keyOf(text))));
        }
        const known = model.agreed.get(rule.plate) ?? null;
        const edit = entries.held(entries.keyOf(rule.plate));
        if (edit?.at !== known?.at)
          model.agreed.set(rule.plate, {
            ...agree(known, rule.master, false, rule.kind === "deny" && rule.enabled, edit),
            isOn: rule.enabled,
            rule,
          });
      }
      await database.write(() => database.raw.exec("DELETE FROM estate_noted"));
      model.unheard.clear();
    },
  };

  /** An edit as the model numbers it: never before what it was made from. */
  const agree = (from: Agreed | null, master: Master, isGone: boolean, isBan: boolean, made: Edit | null): Agreed => {
    const at = Math.max(clock.now(), (from?.at ?? 0) + 1);
    if (made?.at !== at) throw new Error(`an edit of ${made?.at} instead of ${at}`);
    return { at, since: since(from, master, at), isGone, isBan: isBan && !isGone, isOn: !isGone, rule: null };
  };

  /** An edit of another hub arrives. */
  const take = (
    text: string,
    arrived: Agreed,
    {
      by: master,
      isKept,
    }: { readonly by: Master; readonly isKept: Pick<Rule, "kind" | "enabled" | "validTo" | "label"> | null },
  ): void => {
    const before = model.agreed.get(text) ?? null;
    const order = before === null ? 1 : compare(arrived.since, before.since);
    const isLater = order > 0 || (order === 0 && arrived.isBan && before?.isBan === false);
    const isSameMoment = order === 0 && arrived.isBan === before?.isBan;
    if (isSameMoment) throw new Tie();
    if (!isLater) return;
    const standing = model.of(text, null);
    const linked = before?.isGone === false ? before.rule : null;
    const concerned = isKept === null ? (linked === standing ? standing : undefined) : standing;
    const mayChange =
      concerned === undefined || master !== "guest" || (concerned.master === "guest" && concerned.kind === "allow");
    const isUnheard = concerned !== undefined && model.unheard.has(concerned) && RANK[concerned.master] > RANK[master];
    if (concerned !== undefined && (!mayChange || isUnheard)) {
      model.unheard.add(concerned);
      const isOthers = [...model.agreed].some(([other, known]) => other !== text && known.rule === concerned);
      model.agreed.set(text, { ...arrived, rule: isKept === null || isOthers ? null : concerned });
      return;
    }
    if (isKept === null) {
      if (concerned !== undefined) model.drop(concerned);
      model.agreed.set(text, arrived);
      return;
    }
    const rule = concerned ?? make(master, text, null, {});
    if (concerned === undefined) model.unheard.delete(rule);
    // what was switched off here stays off, no matter by whom, until the estate has heard of it
    const isOff = !rule.enabled && model.unheard.has(rule) && before?.isOn === true && isKept.kind === "allow";
    Object.assign(rule, isKept, isOff ? { enabled: false } : {});
    model.takeOver(rule, master);
    for (const [other, one] of model.agreed)
      if (one.rule === rule && other !== text) model.agreed.set(other, { ...one, rule: null }); // its deletion is offered
    model.agreed.set(text, { ...arrived, rule });
  };

  const stands = () =>
    tables.rules
      .list(siteId)
      .map(({ plate: text, deviceId, kind: what, enabled, validTo, label, master }) =>
        [text, deviceId, what, enabled === 1, validTo, label, master].join(),
      )
      .sort();
  const expected = () =>
    model.rules
      .map((one) => [one.plate, one.scope, one.kind, one.enabled, one.validTo, one.label, one.master].join())
      .sort();
  for (const one of steps) {
    clock.advance(1); // else many edits would be of one moment
    const greater = stands().filter((text) => !text.endsWith("guest"));
    // a union that is told apart by `do`
    try {
      await act[one.do](one as never);
    } catch (error) {
      if (error instanceof Tie) return;
      throw error;
    }
    const [is, be] = [stands().join("\n"), expected().join("\n")];
    if (is !== be) throw new Error(`after ${JSON.stringify(one)} the rules are\n${is}\ninstead of\n${be}`);
    const isGuests =
      one.do === "tell" ||
      one.do === "sweep" ||
      one.do === "take back" ||
      one.do === "wait" ||
      (one.do === "elsewhere" && one.by === "guest");
    if (isGuests && greater.some((text) => !stands().includes(text)))
      throw new Error(`${JSON.stringify(one)} changed what a greater master had set`);
    const shown = passes
      .list(siteId)
      .map(({ id, plate: text, triesLeft }) => [given.findIndex((link) => link.id === id), text, triesLeft].join());
    const known = model.passes.flatMap((guest, index) =>
      guest === null ? [] : [[index, guest.rule?.plate ?? null, guest.tries].join()],
    );
    if (shown.sort().join("\n") !== known.sort().join("\n"))
      throw new Error(
        `after ${JSON.stringify(one)} the passes are\n${shown.join("\n")}\ninstead of\n${known.join("\n")}`,
      );
  }
}

/** Two edits of one moment, of which neither knows of the other and neither is a ban: their text decides. */
class Tie extends Error {}

/** What `SharedRules` does when the servers take what this hub offers, without the servers. */
function offerRule({ entries, tables, siteId }: House, id: number): void {
  const rule = tables.rules.find(siteId, id);
  const entry = entries.table.entryOfRule(id);
  if (rule === null) return;
  const key = entries.keyOf(rule.plate);
  if (entry !== null && entry.key !== key) {
    const gone = entries.edit(entry.key, null, "guest");
    entries.apply({ key: entry.key, revision: 1, ...gone });
  }
  const edit = entries.edit(key, entries.valueOf(rule), rule.master);
  entries.offered.set(key, id);
  entries.apply({ key, revision: 1, ...edit });
  entries.offered.delete(key);
}

t.test(`${SEQUENCES} sequences of edits by everybody`, async (t) => {
  const folder = existsSync("/dev/shm") ? mkdtempSync("/dev/shm/gatehouse-") : testFolder(t);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const house = await household(folder);
  t.teardown(() => house.database.stop());
  const checked = await fc.check(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), (steps) => play(house, steps)),
    { numRuns: SEQUENCES, ...(process.env.GATEHOUSE_SEED ? { seed: Number(process.env.GATEHOUSE_SEED) } : {}) },
  );
  t.notOk(checked.failed, fc.defaultReportMessage(checked) ?? "no difference");
});
