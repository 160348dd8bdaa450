/**
 * Who opened which gate or lock, and with what result. In: commands as they are sent, their outcomes, changes of state.
 * Out: one row per opening, corrected when more is known; feed items; an audit line for the person who asked. It must
 * not know how a command is transported.
 */

import type { Facts } from "../../core/api/facts.ts";
import type { Base } from "../../core/base.ts";
import type { Timer } from "../../core/kernel/clock.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import { UnderWay } from "../../core/kernel/under-way.ts";
import {
  type OpeningReason,
  resultOf,
  type Standing,
  standingOf,
  standingValue,
  staysOpen,
} from "../../core/plates/opening.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import { BARRIER_TYPES } from "../devices/rules/device-types.ts";
import { type Aim, aimOf, type Moved, movesOf } from "../devices/rules/gate-moves.ts";
import type { Feed } from "../feed/feed.ts";
import type { GateContacts } from "./gate-contacts.ts";
import { notClosedText, openerName, openingText, type Told } from "./opening-texts.ts";
import type { GateStood } from "./read-rows.ts";
import type { ListedOpening, OpenerKind, OpeningRow } from "./tables/opening.ts";
import type { GateTables } from "./tables.ts";

/** An order to a device, as it left. */
export interface SentOrder {
  readonly siteId: number;
  readonly deviceId: string;
  /** JSON text of an object. */
  readonly command: string;
  readonly commandId: number;
  /**
   * `session:ID`, `api_key:ID`, `matter:ID`, `scene:ID`, `automation:ID`, `gate:READ`, `device:ID` or
   * `home_assistant:0`.
   */
  readonly actor: string;
  /** The read that it is for, where somebody else than the gate has sent it. */
  readonly readId?: number | undefined;
  /** `away`: it waits for the device. `refused`: the broker did not take it. */
  readonly delivery: "sent" | "away" | "refused";
}

/** An opening as lists show it; times are epoch milliseconds. */
export interface OpeningEntry {
  readonly id: number;
  readonly deviceId: string;
  readonly readId: number | null;
  readonly by: { readonly kind: OpenerKind; readonly name: string | null };
  readonly result: OpeningRow["result"];
  readonly reason: OpeningRow["reason"];
  readonly at: number;
  readonly settledAt: number | null;
}

/** A gate that has not acknowledged by then did not answer. */
const ANSWER_MS = 8_000;
/** One that has acknowledged moves within this, or does not. */
const MOVE_MS = 20_000;
/** A gate that reports only whether it is shut may be moving for this long after a command to close. */
const CLOSE_MS = 60_000;
/**
 * What happens later than this is not attributed to the command any more; a command that waited for its device gets as
 * long again.
 */
const KEEP_MS = 60_000;
/** The same for an order that did not ask to open, such as for the lamp of a gate that is shut. */
const KEEP_SILENT_MS = 10_000;
/** Orders that are watched; the oldest is let go first. */
const MOST_WATCHED = 200;

/** Programs that are let in without a key of their own, by how their orders name them. */
const PROGRAMS: ReadonlyMap<string, string> = new Map([["home_assistant", "Home Assistant"]]);

interface Watched {
  readonly siteId: number;
  readonly deviceId: string;
  readonly readId: number | null;
  readonly commandId: number | null;
  readonly actor: string;
  readonly by: { readonly kind: OpenerKind; readonly name: string | null };
  readonly delivery: SentOrder["delivery"];
  readonly at: number;
  acknowledged: boolean;
  result: OpeningRow["result"];
  reason: OpeningRow["reason"];
  settledAt: number | null;
  /** The gate says that it is shut, or the command shuts it: there is nothing to report unless it opens. */
  isSilent: boolean;
  /** Of its row, once there is one. */
  id: number | null;
  told: Told | null;
  readonly timers: Timer[];
}

/** A command to close that is watched until its outcome is known. */
interface Closing {
  readonly siteId: number;
  readonly deviceId: string;
  readonly commandId: number;
  readonly by: Watched["by"];
  /** What its state said of how it stood. */
  readonly stood: unknown;
  timer: Timer | null;
}

interface Siblings {
  readonly tables: GateTables;
  readonly registry: DeviceRegistry;
  readonly contacts: GateContacts;
  readonly feed: Feed;
  readonly access: AccessFeature;
}

/** The openings of every household on the hub. */
export class Openings {
  readonly name = "openings";
  readonly #base: Base;
  readonly #siblings: Siblings;
  readonly #watched = new Set<Watched>();
  /** The last order to close of each gate and lock. */
  readonly #closings = new Map<string, Closing>();
  /** Since when gates and locks stand open (epoch ms), as far as the hub saw them open. */
  readonly #openSince = new Map<string, number>();
  /** By read, until it is stored. */
  readonly #unstored = new Map<number, Watched>();
  readonly #writes = new UnderWay();
  #stops: readonly (() => void)[] = [];

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /** Ends what waited when the hub stopped, and listens. */
  async start(): Promise<void> {
    const { database, bus, clock } = this.#base;
    const { tables, contacts } = this.#siblings;
    contacts.load();
    await database.writeIfPossible(() => tables.openings.endWaiting(clock.now()));
    this.#stops = [
      bus.on(
        "command.changed",
        "openings",
        (fact) => fact.status === "acknowledged" && this.#acknowledged(fact.commandId),
      ),
      bus.on("device.changed", "openings", (fact) => {
        for (const gateId of this.#siblings.contacts.toldBy(fact.deviceId))
          this.#changed({ ...fact, deviceId: gateId });
      }),
      bus.on("device.edited", "openings", ({ what, deviceId }) => {
        if (what !== "removed") return;
        this.#siblings.contacts.load();
        this.#openSince.delete(deviceId);
        this.#endClosing(deviceId);
      }),
    ];
  }

  /** Waits for the rows that are on their way. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    for (const watched of this.#watched) this.#forget(watched);
    for (const deviceId of this.#closings.keys()) this.#endClosing(deviceId);
    await this.#writes.settled();
  }

  /** Records a command that was sent, or could not be sent. One that only closes is reported where it fails. */
  sent(order: SentOrder): void {
    const [kind = "", id = ""] = order.actor.split(":");
    const readId = order.readId ?? (kind === "gate" ? Number(id) : null);
    const device = this.#siblings.registry.find(order.deviceId);
    const isBarrier = BARRIER_TYPES.has(device?.type ?? "");
    const command = JSON.parse(order.command) as JsonObject; // its sender has checked it
    const aim = device === null ? "may_open" : aimOf(device, command);
    if (readId !== null || (aim !== "may_open" && aim !== "lets_go")) this.#endClosing(order.deviceId);
    if (readId === null && isClosing(aim) && isBarrier) this.#watchClosing(order);
    if (readId === null && (!isBarrier || aim === "closes" || aim === "rests")) return;
    const { siteId, deviceId, commandId, actor, delivery } = order;
    const watched = this.#watch({
      siteId,
      deviceId,
      readId,
      commandId,
      actor,
      delivery,
      isSilent: readId === null && device !== null && this.#isSilent(device, aim),
    });
    this.#judge(watched, false);
    const { clock } = this.#base;
    const keepMs = delivery === "away" ? 2 * KEEP_MS : watched.isSilent ? KEEP_SILENT_MS : KEEP_MS;
    if (delivery === "refused") this.#forget(watched);
    else watched.timers.push(clock.after(keepMs, () => this.#forget(watched)));
    if (delivery === "sent")
      watched.timers.push(clock.after(ANSWER_MS, () => this.#judge(watched, !watched.acknowledged)));
  }

  /** Whether the outcome of a command is reported here. */
  tells(device: Moved & { readonly id: string }, command: string, actor: string): boolean {
    if (actor.startsWith("gate:")) return true;
    if (!BARRIER_TYPES.has(device.type)) return false;
    const aim = aimOf(device, JSON.parse(command) as JsonObject);
    return isClosing(aim) || !this.#isSilent(device, aim);
  }

  /** Inside the job that stores a read: its opening is stored with it. */
  readStored(readId: number): void {
    const watched = this.#unstored.get(readId);
    if (watched !== undefined) this.#save(watched);
  }

  /** Openings of a household, newest first; of one gate or lock where it is named. */
  list(siteId: number, query: { readonly deviceId?: string | undefined; readonly limit: number }): OpeningEntry[] {
    return this.#siblings.tables.openings.list(siteId, query.deviceId ?? null, query.limit).map(toEntry);
  }

  /**
   * Whether nothing is said of an order unless the gate opens: one that shuts it, or one like that for the lamp of a gate
   * that says it is shut. What opens a gate says so itself then; a relay has no lamp, and knows of no gate.
   */
  #isSilent(device: Moved & { readonly id: string }, aim: Aim): boolean {
    if (aim === "may_open") return movesOf(device) === null && this.standing(device.id) === "closed";
    return aim !== "opens";
  }

  #isBarrier(deviceId: string): boolean {
    return BARRIER_TYPES.has(this.#siblings.registry.find(deviceId)?.type ?? "");
  }

  #watchClosing({ siteId, deviceId, commandId, actor, delivery }: SentOrder): void {
    const closing: Closing = {
      ...{ siteId, deviceId, commandId, timer: null },
      by: this.#opener(actor),
      stood: this.#standingValue(deviceId),
    };
    if (delivery === "sent") {
      closing.timer = this.#base.clock.after(ANSWER_MS, () => this.#judgeClosing(closing, "no_answer"));
      this.#closings.set(deviceId, closing);
    } else this.#judgeClosing(closing, delivery === "away" ? "offline" : "not_sent");
  }

  #closingAcknowledged(commandId: number): void {
    const closing = [...this.#closings.values()].find((one) => one.commandId === commandId);
    if (closing === undefined) return;
    closing.timer?.stop();
    const tellsItsWay = typeof closing.stood === "string"; // by a word such as `closing`
    closing.timer = this.#base.clock.after(tellsItsWay ? MOVE_MS : CLOSE_MS, () =>
      this.#judgeClosing(closing, "not_moved"),
    );
  }

  #endClosing(deviceId: string): void {
    this.#closings.get(deviceId)?.timer?.stop();
    this.#closings.delete(deviceId);
  }

  /** Its time is over, or it could not be sent: reports that, unless the gate closed or is closing. */
  #judgeClosing(closing: Closing, reason: OpeningReason): void {
    const { siteId, deviceId, by, stood } = closing;
    if (this.#closings.get(deviceId) === closing) this.#closings.delete(deviceId);
    const standing = this.standing(deviceId);
    if (standing === "closed" || (standing === "unknown" && reason === "not_moved")) return;
    if (standing !== "unknown" && !staysOpen(stood, this.#standingValue(deviceId))) return;
    const { database, clock, logger } = this.#base;
    const device = this.#siblings.registry.find(deviceId);
    if (device === null) return;
    const text = notClosedText({ gate: device.name, isLock: device.type === "lock", by, reason });
    const at = clock.now();
    const write = database
      // what failed is news to everybody
      .write(() => this.#siblings.feed.record({ siteId, kind: "gate.not_closed", deviceId, text, by: null, at }))
      .catch((error: unknown) => logger.warn({ gate: deviceId, err: error }, "a failed closing could not be stored"));
    this.#writes.add(write);
  }

  #standingValue(deviceId: string): unknown {
    const { registry, contacts } = this.#siblings;
    return standingValue(registry.find(contacts.teller(deviceId))?.state ?? {});
  }

  #watch(
    order: Pick<Watched, "siteId" | "deviceId" | "readId" | "commandId" | "actor" | "delivery" | "isSilent">,
  ): Watched {
    const watched: Watched = {
      ...order,
      by: this.#opener(order.actor),
      at: this.#base.clock.now(),
      acknowledged: false,
      result: "waiting",
      reason: null,
      settledAt: null,
      id: null,
      told: null,
      timers: [],
    };
    this.#watched.add(watched);
    const [oldest] = this.#watched;
    if (this.#watched.size > MOST_WATCHED && oldest !== undefined) this.#forget(oldest);
    if (order.readId !== null) this.#unstored.set(order.readId, watched);
    const [first] = this.#unstored.keys();
    if (this.#unstored.size > MOST_WATCHED && first !== undefined) this.#unstored.delete(first);
    return watched;
  }

  #opener(actor: string): Watched["by"] {
    const [kind = "", id = ""] = actor.split(":");
    const kinds: Readonly<Record<string, OpenerKind>> = {
      session: "person",
      api_key: "key",
      matter: "key",
      automation: "automation",
      scene: "scene",
      gate: "plate",
    };
    const program = PROGRAMS.get(kind);
    if (program !== undefined) return { kind: "key", name: program };
    if (kind === "device")
      return { kind: "device", name: this.#siblings.registry.find(actor.slice("device:".length))?.name ?? null };
    const name = kind === "gate" ? null : this.#siblings.tables.openings.nameOf(kind, Number(id));
    // its name would say who came or went
    if (kind === "automation" && this.#siblings.tables.openings.isUnnamed(Number(id))) return { kind: "hub", name };
    return { kind: kinds[kind] ?? "hub", name };
  }

  #acknowledged(commandId: number): void {
    this.#closingAcknowledged(commandId);
    const watched = [...this.#watched].find((one) => one.commandId === commandId);
    if (watched === undefined || watched.acknowledged) return;
    watched.acknowledged = true;
    watched.timers.push(this.#base.clock.after(MOVE_MS, () => this.#judge(watched, true)));
    this.#judge(watched, false);
  }

  #changed({ siteId, deviceId, state, previous, initial, at }: Facts["device.changed"]): void {
    this.#noteOpen(deviceId, standingOf(state), !initial && standingOf(previous) === "closed" ? at : null);
    if (standingOf(state) !== "open") return;
    const orders = [...this.#watched].filter(
      (one) => one.deviceId === deviceId && (one.delivery === "sent" || one.acknowledged),
    );
    for (const watched of orders) {
      watched.acknowledged = true; // it moved: it has the order
      this.#judge(watched, false);
    }
    const isMoved = !initial && standingOf(previous) === "closed";
    if (orders.length > 0 || !isMoved || !this.#isBarrier(deviceId)) return;
    const watched = this.#watch({
      siteId,
      deviceId,
      readId: null,
      commandId: null,
      actor: "device",
      delivery: "sent",
      isSilent: false,
    });
    this.#settle({ ...watched, by: { kind: "device", name: null } }, "opened", null);
    this.#forget(watched);
  }

  #noteOpen(deviceId: string, standing: Standing, openedAt: number | null): void {
    const isOpen = standing === "open" || standing === "between";
    if (!isOpen) this.#openSince.delete(deviceId);
    else if (openedAt !== null && this.#isBarrier(deviceId)) this.#openSince.set(deviceId, openedAt);
  }

  /**
   * The gate that a sighting of a camera is about: the one that it opens (`gateId`), or else the household's only one;
   * null: none, or it is not known which.
   */
  gateNear(siteId: number, gateId: string | null): string | null {
    if (gateId !== null) return gateId;
    const [only, another] = this.#siblings.registry.list(siteId, { type: "gate" });
    return another === undefined ? (only?.id ?? null) : null;
  }

  /** How a gate stands now, and since when it is open. */
  stood(deviceId: string): GateStood {
    return { standing: this.standing(deviceId), since: this.#openSince.get(deviceId) ?? null };
  }

  /** How a gate or lock stands now, by its own state or its contact's. */
  standing(deviceId: string): Standing {
    const { registry, contacts } = this.#siblings;
    return standingOf(registry.find(contacts.teller(deviceId))?.state ?? {});
  }

  /** The first opening by somebody for no read of its own, from one moment up to another; null without one. */
  firstOwn(siteId: number, deviceId: string, from: number, to: number): OpeningEntry | null {
    const row = this.#siblings.tables.openings.firstOwn({ siteId, deviceId, from, to });
    return row === null ? null : toEntry(row);
  }

  #judge(watched: Watched, isOver: boolean): void {
    const standing = this.standing(watched.deviceId);
    const { result, reason } = resultOf({
      delivery: watched.delivery,
      acknowledged: watched.acknowledged,
      standing,
      isOver,
    });
    if (watched.isSilent && result !== "opened") return;
    if (watched.id !== null && watched.result === result && watched.reason === reason) return;
    if (result === "waiting" && watched.result === "not_opened") return; // already reported as such, until more is known
    this.#settle(watched, result, reason);
    if (result === "opened") this.#forget(watched);
  }

  #settle(watched: Watched, result: OpeningRow["result"], reason: OpeningRow["reason"]): void {
    const { database, clock, logger } = this.#base;
    Object.assign(watched, { result, reason, settledAt: result === "waiting" ? null : clock.now() });
    const write = database
      .write(() => this.#save(watched))
      .catch((error: unknown) => logger.warn({ gate: watched.deviceId, err: error }, "an opening could not be stored"));
    this.#writes.add(write);
  }

  #forget(watched: Watched): void {
    for (const timer of watched.timers) timer.stop();
    this.#watched.delete(watched);
  }

  /** Inside a job. The opening of a read that is not stored yet is stored with it. */
  #save(watched: Watched): void {
    const { database, bus } = this.#base;
    const { tables } = this.#siblings;
    const { siteId, deviceId, readId, by, result, reason, at, settledAt } = watched;
    if (readId !== null && tables.reads.find(siteId, readId) === null) return;
    if (watched.id === null) {
      const row = { siteId, deviceId, readId, byKind: by.kind, byName: by.name, result, reason, at, settledAt };
      watched.id = tables.openings.put(row);
      if (readId !== null && this.#unstored.get(readId) === watched) this.#unstored.delete(readId);
      this.#note(watched);
    } else tables.openings.settle({ id: watched.id, result, reason, settledAt });
    this.#tell(watched);
    const fact = {
      siteId,
      openingId: watched.id,
      deviceId,
      readId,
      by: by.kind,
      name: by.name,
      result,
      reason,
      at: settledAt ?? at,
    };
    database.committed(() => bus.announce("gate.opening", fact));
  }

  /** Records who asked in the audit list. */
  #note({ siteId, deviceId, actor, by, at }: Watched): void {
    if (by.kind !== "person" && by.kind !== "key") return;
    const target = this.#siblings.registry.find(deviceId)?.name ?? deviceId;
    this.#siblings.access.recordAudit({ siteId, actor, action: "gate.open", target, detail: { deviceId }, at });
  }

  /** A gate that opened by itself for an allowed plate is not reported again: the read's own item says so. */
  #tell(watched: Watched): void {
    const { siteId, deviceId, readId, actor, by, result, reason } = watched;
    const now: Told | null = result === "not_opened" ? "not_opened" : result === "waiting" ? null : "opened";
    if (now === null || now === watched.told) return;
    const isLate = watched.told === "not_opened";
    watched.told = now;
    if (readId !== null && ((by.kind === "plate" && now === "opened" && !isLate) || reason === "not_sent")) return;
    const read = readId === null ? null : this.#siblings.tables.reads.find(siteId, readId);
    const device = this.#siblings.registry.find(deviceId);
    const text = openingText({
      told: now,
      isLate,
      gate: device?.name ?? deviceId,
      isLock: device?.type === "lock",
      by,
      plate: read?.formatted ?? null,
      reason,
    });
    this.#siblings.feed.record({
      siteId,
      kind: now === "opened" ? "gate.opened" : "gate.not_opened",
      deviceId,
      text,
      ...(readId === null ? {} : { aboutVehicles: true, plates: read?.plate ? [read.plate] : [], readId }),
      // what failed is news to everybody
      by: now === "opened" ? this.#siblings.tables.openings.accountOf(actor) : null,
      at: watched.settledAt ?? watched.at,
    });
  }
}

function isClosing(aim: Aim): boolean {
  return aim === "closes" || aim === "shuts";
}

function toEntry(row: ListedOpening): OpeningEntry {
  return {
    id: row.id,
    deviceId: row.deviceId,
    readId: row.readId,
    by: { kind: row.byKind, name: openerName(row) },
    result: row.result,
    reason: row.reason,
    at: row.at,
    settledAt: row.settledAt,
  };
}
