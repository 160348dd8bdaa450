/**
 * Owns who of a household is home: what each person's sources said last, and the one rule by which the latest of them
 * counts. In: persons, cars that come in and leave, devices that follow a person. Out: `house.presence` on the bus.
 *
 * Presence is information and gives no right: a plate that was read opens nothing by it.
 */
import type { Whereabouts } from "../../core/api/house.ts";
import type { Base } from "../../core/base.ts";
import type { Clock, Timer } from "../../core/kernel/clock.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import { bodyRefused, Problem } from "../../core/kernel/problem.ts";
import type { Accounts } from "../access/accounts.ts";
import type { RecordAudit } from "../access/household-audit.ts";
import type { Device } from "../devices/device.ts";
import { type Evidence, type HouseCount, latest, type PresenceSource, stateSays } from "./rules/presence.ts";
import { type PresenceSourceRow, PresenceSourceTable } from "./tables/presence-source.ts";

/** A person and whether they are home. */
export interface PersonPresence {
  readonly id: number;
  readonly name: string;
  /** Null: not known. */
  readonly is: Whereabouts | null;
  /** Since when, epoch ms. */
  readonly since: number | null;
  /** What says so. */
  readonly by: PresenceSource | null;
  /** The car by whose plate they are known; null: none. */
  readonly plate: string | null;
  /** The device that follows them; null: none. */
  readonly deviceId: string | null;
}

/** What the register says of a car: inside since then, or away since then. Null: it has no visit. */
export type CarEvidence = { readonly says: Whereabouts; readonly at: number } | null;

/** What may tell of a person, as an owner chooses it. */
export interface PresenceSources {
  readonly plate: string | null;
  readonly deviceId: string | null;
}

/** A phone drops out of a network and comes back: a person has left only after being away for this long. */
const GONE_AFTER_MS = 5 * 60_000;
/** What a car did longer ago sets nothing off: a read that came late, or one that was corrected. */
const NEWS_MS = 15 * 60_000;
/** A gate or a lock is not moved for what happened longer ago. */
const LATE_MS = 5_000;
const HAND: PresenceSource = "hand";

/** What it uses of the hub. */
type HouseBase = Pick<Base, "database" | "bus" | "logger"> & { readonly clock: Pick<Clock, "now" | "after"> };

/** The presence of all persons. A Service. */
export class Presence {
  readonly name = "presence of persons";
  readonly #base: HouseBase;
  readonly #siblings: {
    readonly accounts: Pick<Accounts, "personsOf" | "hasEnded" | "find" | "siteIdOf">;
    readonly registry: { find(id: string): Pick<Device, "siteId" | "state"> | null };
    readonly recordAudit: RecordAudit;
  };
  readonly #table: PresenceSourceTable;
  /** Devices that follow somebody: most messages are of others. */
  readonly #followed = new Set<string>();
  /** Devices that say that nobody is there any more, until that counts. */
  readonly #leaving = new Map<string, Timer>();
  #carOf: (siteId: number, plate: string) => CarEvidence = () => null;
  #plateOf: (text: string) => string | null = () => null;
  #stops: (() => void)[] = [];

  constructor(
    base: HouseBase,
    siblings: {
      readonly accounts: Pick<Accounts, "personsOf" | "hasEnded" | "find" | "siteIdOf">;
      readonly registry: { find(id: string): Pick<Device, "siteId" | "state"> | null };
      readonly recordAudit: RecordAudit;
    },
  ) {
    this.#base = base;
    this.#siblings = siblings;
    this.#table = new PresenceSourceTable(base.database);
  }

  /** The gate adds what its register says of a car, and how a plate is written there; null: it cannot be a plate. */
  carsKnownBy(carOf: (siteId: number, plate: string) => CarEvidence, plateOf: (text: string) => string | null): void {
    this.#carOf = carOf;
    this.#plateOf = plateOf;
  }

  /** Listens to the devices that follow somebody. What they say at a start is no news. */
  async start(): Promise<void> {
    const { bus } = this.#base;
    this.#reload();
    this.#stops = [
      bus.on("device.changed", this.name, ({ deviceId, state, at, initial }) => {
        if (this.#followed.has(deviceId)) this.#heard(deviceId, state, { at, isNews: !initial });
      }),
      bus.on("device.edited", this.name, ({ deviceId, what }) => {
        if (what === "removed" && this.#followed.has(deviceId)) void this.#attempt(() => this.#forgetDevice(deviceId));
      }),
    ];
    for (const deviceId of [...this.#followed]) {
      const device = this.#siblings.registry.find(deviceId);
      if (device === null) await this.#attempt(() => this.#forgetDevice(deviceId));
      else this.#heard(deviceId, device.state, { at: this.#base.clock.now(), isNews: false });
    }
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    for (const timer of this.#leaving.values()) timer.stop();
    this.#stops = [];
    this.#leaving.clear();
  }

  /**
   * Everybody of a household, its head first; not those whose access has ended. In a simulated household nobody is known
   * to be anywhere.
   */
  of(siteId: number): PersonPresence[] {
    const rows = Map.groupBy(this.#table.all(), ({ accountId }) => accountId);
    const { accounts } = this.#siblings;
    return accounts
      .personsOf(siteId)
      .filter((row) => !accounts.hasEnded(row))
      .map(({ id, name, householdOf }) => {
        const isLive = accounts.siteIdOf(householdOf ?? id, "live") === siteId;
        return presenceOf({ id, name }, isLive ? (rows.get(id) ?? []) : []);
      });
  }

  /** Whether a person is home; undefined: there is no such person in the household. */
  whereIs(siteId: number, personId: number): Whereabouts | null | undefined {
    return this.of(siteId).find(({ id }) => id === personId)?.is;
  }

  /** How many are known to be home and away. */
  count(siteId: number): HouseCount {
    return countOf(this.of(siteId));
  }

  /** A person says that they come or go. */
  async say(accountId: number, says: Whereabouts): Promise<void> {
    const { database, clock } = this.#base;
    await database.write(() => {
      // another write of the same group may have removed the person
      if (this.#siblings.accounts.find(accountId) === null) throw new Problem("not_found", "There is no such person.");
      // what is said now is later than all before, whatever the clock was then
      const at = Math.max(clock.now(), ...this.#table.ofPerson(accountId).map((row) => row.at ?? 0));
      this.#put([{ accountId, source: HAND, names: null, says, at }], { isNews: true, late: false, byHand: true });
    });
  }

  /**
   * Chooses what shows whether a person is home. What it says at this moment counts at once but is no change: nobody
   * has come or gone.
   * @throws Problem `not_found` for somebody who is not in the household, `unknown_device`, `invalid_plate`,
   *   `invalid_body` for a device that does not say whether somebody is there
   */
  async choose(siteId: number, personId: number, chosen: PresenceSources, actor: string): Promise<void> {
    await this.#base.database.write(() => this.put(siteId, personId, chosen, actor));
  }

  /** As {@link choose}, inside a job. */
  put(siteId: number, personId: number, chosen: PresenceSources, actor: string): void {
    const { database, clock } = this.#base;
    const person = this.#siblings.accounts.personsOf(siteId).find(({ id }) => id === personId);
    if (person === undefined) throw new Problem("not_found", "There is no such person.");
    const at = clock.now();
    const plate = chosen.plate === null ? null : this.#checkedPlate(chosen.plate);
    const deviceId = chosen.deviceId === null ? null : this.#checkedDevice(siteId, chosen.deviceId);
    const before = new Map(this.#table.ofPerson(personId).map((row) => [row.source, row]));
    const rows: PresenceSourceRow[] = [];
    if (plate !== null && before.get("car")?.names !== plate) {
      const car = this.#carOf(siteId, plate);
      rows.push({ accountId: personId, source: "car", names: plate, says: car?.says ?? null, at: car?.at ?? null });
    }
    if (deviceId !== null && before.get("device")?.names !== deviceId) {
      const says = stateSays(this.#siblings.registry.find(deviceId)?.state ?? {});
      rows.push({ accountId: personId, source: "device", names: deviceId, says, at: says === null ? null : at });
    }
    const gone: PresenceSource[] = [
      ...(plate === null && before.has("car") ? (["car"] as const) : []),
      ...(deviceId === null && before.has("device") ? (["device"] as const) : []),
    ];
    if (rows.length === 0 && gone.length === 0) return;
    this.#put(rows, { isNews: false, late: false, byHand: false, without: gone.map((source) => [personId, source]) });
    this.#siblings.recordAudit({ siteId, actor, action: "person.presence", target: person.name, detail: {}, at });
    database.committed(() => this.#reload());
  }

  /** Inside the job that changes a car's visits: takes over what the register now says of it. */
  carMoved(siteId: number, plate: string): void {
    const { clock } = this.#base;
    const rows = this.#table.naming("car", plate).filter(({ accountId }) => this.#siteOf(accountId) === siteId);
    if (rows.length === 0) return;
    const car = this.#carOf(siteId, plate);
    const seen = { says: car?.says ?? null, at: car?.at ?? null };
    const age = car === null ? Number.POSITIVE_INFINITY : clock.now() - car.at;
    this.#put(
      rows.filter(({ says, at }) => says !== seen.says || at !== seen.at).map((row) => ({ ...row, ...seen })),
      { isNews: age <= NEWS_MS, late: age > LATE_MS, byHand: false },
    );
  }

  /** Home counts at once; away only after a while, from the moment when it was first said. */
  #heard(deviceId: string, state: JsonObject, { at, isNews }: { at: number; isNews: boolean }): void {
    const says = stateSays(state);
    if (says === null) return;
    const take = (): void =>
      void this.#attempt(() => {
        const rows = this.#table.naming("device", deviceId).filter((row) => row.says !== says);
        this.#put(
          rows.map((row) => ({ ...row, says, at })),
          { isNews, late: false, byHand: false },
        );
      });
    if (says === "home") {
      this.#leaving.get(deviceId)?.stop();
      this.#leaving.delete(deviceId);
      take();
    } else if (!this.#leaving.has(deviceId) && this.#table.naming("device", deviceId).some((row) => row.says !== says))
      this.#leaving.set(
        deviceId,
        this.#base.clock.after(GONE_AFTER_MS, () => {
          this.#leaving.delete(deviceId);
          take();
        }),
      );
  }

  #forgetDevice(deviceId: string): void {
    const rows = this.#table.naming("device", deviceId);
    this.#put([], {
      ...{ isNews: false, late: false, byHand: false },
      without: rows.map(({ accountId, source }) => [accountId, source]),
    });
    this.#base.database.committed(() => this.#reload());
  }

  /** Writes what sources say, and announces who has come or gone by it. */
  #put(
    rows: readonly PresenceSourceRow[],
    how: {
      /** False: rules are not set off by it. */
      readonly isNews: boolean;
      readonly late: boolean;
      readonly byHand: boolean;
      readonly without?: readonly (readonly [accountId: number, source: PresenceSource])[];
    },
  ): void {
    const { database, clock, bus } = this.#base;
    const persons = new Set([...rows.map(({ accountId }) => accountId), ...(how.without ?? []).map(([id]) => id)]);
    for (const personId of persons) {
      const siteId = this.#siteOf(personId);
      if (siteId === null) continue;
      const before = this.of(siteId);
      for (const row of rows) if (row.accountId === personId) this.#table.put(row);
      for (const [accountId, source] of how.without ?? [])
        if (accountId === personId) this.#table.remove(personId, source);
      const after = this.of(siteId);
      const [known, is = null] = [before, after].map((all) => all.find(({ id }) => id === personId)?.is ?? null);
      if (known === is) continue;
      // "I'm leaving" is an act, also of somebody of whom nothing was known before
      const isAct = known === null && rows.some(({ source }) => source === HAND);
      const was = isAct ? (is === "home" ? "away" : "home") : (known ?? null);
      const at = clock.now();
      const { isNews: announced, late, byHand } = how;
      const fact = { siteId, personId, was, is, announced, late, byHand, at };
      const [homeBefore, home] = [countOf(before).home, countOf(after).home];
      database.committed(() => bus.announce("house.presence", { ...fact, homeBefore, home }));
    }
  }

  #siteOf(accountId: number): number | null {
    return this.#siblings.accounts.find(accountId) === null
      ? null
      : this.#siblings.accounts.siteIdOf(accountId, "live");
  }

  #checkedPlate(text: string): string {
    const plate = this.#plateOf(text);
    if (plate === null)
      throw new Problem("invalid_plate", `'${text}' cannot be a number plate.`, {
        details: [{ field: "/plate", code: "invalid_plate", message: "This text cannot be a number plate." }],
      });
    return plate;
  }

  #checkedDevice(siteId: number, id: string): string {
    const device = this.#siblings.registry.find(id);
    if (device?.siteId !== siteId)
      throw new Problem(
        "unknown_device",
        { code: "refusal.noDevice", id },
        { details: [{ field: "/deviceId", code: "unknown_device", message: `There is no device ${id}.` }] },
      );
    if (stateSays(device.state) === null)
      throw bodyRefused("/deviceId", "invalid", { code: "refusal.house.saysNothing" });
    return id;
  }

  #reload(): void {
    this.#followed.clear();
    for (const { source, names } of this.#table.all())
      if (source === "device" && names !== null) this.#followed.add(names);
    for (const [deviceId, timer] of this.#leaving)
      if (!this.#followed.has(deviceId)) {
        timer.stop();
        this.#leaving.delete(deviceId);
      }
  }

  async #attempt(job: () => void): Promise<void> {
    await this.#base.database
      .write(job)
      .catch((error: unknown) =>
        this.#base.logger.error({ err: error }, "the presence of a person could not be stored"),
      );
  }
}

function presenceOf(
  person: { readonly id: number; readonly name: string },
  rows: readonly PresenceSourceRow[],
): PersonPresence {
  const said = rows.flatMap(({ source, says, at }): Evidence[] =>
    says === null || at === null ? [] : [{ source, says, at }],
  );
  const best = latest(said);
  const named = (source: PresenceSource): string | null => rows.find((row) => row.source === source)?.names ?? null;
  return {
    ...person,
    is: best?.says ?? null,
    since: best?.at ?? null,
    by: best?.source ?? null,
    plate: named("car"),
    deviceId: named("device"),
  };
}

function countOf(all: readonly PersonPresence[]): HouseCount {
  return {
    home: all.filter(({ is }) => is === "home").length,
    away: all.filter(({ is }) => is === "away").length,
  };
}
