/**
 * Vehicles that come through a gate behind one that was let in. In: openings, reads at the gate's cameras, a loop behind
 * it, its state. Out: a feed item, a webhook and an event of the gate for rules. Counted only where a household has
 * chosen so for a gate; nothing here opens or closes anything.
 */

import type { Facts } from "../../core/api/facts.ts";
import type { Base } from "../../core/base.ts";
import type { Timer } from "../../core/kernel/clock.ts";
import { UnderWay } from "../../core/kernel/under-way.ts";
import { standingOf } from "../../core/plates/opening.ts";
import { isSimilar } from "../../core/plates/similar.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import type { Feed } from "../feed/feed.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import type { CameraSettings } from "./camera-settings.ts";
import type { GateChoices } from "./gate-choices.ts";
import type { GateContacts } from "./gate-contacts.ts";
import type { GateTables } from "./tables.ts";

/** The kind of the gate's event, for rules. */
const FOLLOWED = "gate.followed";
/** A gate that does not report its closing counts as open for this long after it was last told to open. */
const OPEN_MS = 60_000;
/** Followers of one opening that are reported, one by one. */
const MOST_TOLD = 10;
/** Plates of one opening that are remembered. */
const MOST_PLATES = 50;

/** A gate from when it was told to open, or opened by hand, until it closes. */
interface OpenGate {
  readonly siteId: number;
  readonly gateId: string;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly openings: Set<number>;
  /** Vehicles that were let in by their plates. */
  readonly letIn: Set<string>;
  /** Openings by persons and by hand: each is for one vehicle, whatever its plate. */
  unnamed: number;
  /** Plates that came for these. */
  readonly taken: Set<string>;
  readonly followers: Set<string>;
  /** Vehicles that the loop has counted. */
  passed: number;
  told: number;
  timer: Timer;
}

interface Siblings {
  readonly tables: GateTables;
  readonly cameras: CameraSettings;
  readonly choices: GateChoices;
  readonly contacts: GateContacts;
  readonly registry: DeviceRegistry;
  readonly feed: Feed;
  readonly outbox: Outbox;
}

/** The open gates of every household that counts followers. */
export class Following {
  readonly name = "following";
  readonly #base: Base;
  readonly #siblings: Siblings;
  readonly #open = new Map<string, OpenGate>();
  readonly #writes = new UnderWay();
  #stops: readonly (() => void)[] = [];

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  async start(): Promise<void> {
    const { bus } = this.#base;
    this.#stops = [
      bus.on("gate.opening", this.name, (fact) => this.#opening(fact)),
      bus.on("read.decided", this.name, (fact) => this.#read(fact)),
      bus.on("device.changed", this.name, (fact) => this.#changed(fact)),
    ];
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    for (const gate of this.#open.values()) gate.timer.stop();
    this.#open.clear();
    await this.#writes.settled();
  }

  #opening({ siteId, deviceId: gateId, openingId, readId, result, at }: Facts["gate.opening"]): void {
    const { clock } = this.#base;
    const { choices, tables } = this.#siblings;
    if (result === "not_opened" || !choices.follows(siteId).some((one) => one.gateId === gateId)) return;
    const timer = clock.after(OPEN_MS, () => this.#open.delete(gateId));
    const gate = this.#open.get(gateId) ?? {
      ...{ siteId, gateId, since: at, openings: new Set(), letIn: new Set(), unnamed: 0, taken: new Set() },
      ...{ followers: new Set(), passed: 0, told: 0, timer },
    };
    if (gate.timer !== timer) gate.timer.stop();
    gate.timer = timer;
    this.#open.set(gateId, gate);
    if (gate.openings.has(openingId)) return; // more is known of it
    gate.openings.add(openingId);
    const plate = readId === null ? null : (tables.reads.find(siteId, readId)?.plate ?? null);
    if (plate === null) gate.unnamed += 1;
    else gate.letIn.add(plate);
  }

  /** A vehicle is seen at a gate that is open. */
  #read({ siteId, readId, deviceId, plate }: Facts["read.decided"]): void {
    const { cameras, tables } = this.#siblings;
    const gate = this.#open.get(cameras.find(deviceId)?.gate?.deviceId ?? "");
    const read = gate?.siteId === siteId ? tables.reads.find(siteId, readId) : null;
    if (gate === undefined || read === null || plate === null || read.lastAt <= gate.since || read.direction === "out")
      return;
    if (gate.letIn.size + gate.taken.size + gate.followers.size >= MOST_PLATES) return;
    const known = [...gate.letIn, ...gate.taken, ...gate.followers];
    if (read.notTold === null || read.notTold === "same_pass") gate.letIn.add(plate);
    // the same vehicle, read a little differently
    else if (known.some((other) => other === plate || isSimilar(other, plate))) return;
    else if (gate.taken.size < gate.unnamed) gate.taken.add(plate);
    else {
      gate.followers.add(plate);
      this.#tell(gate, { plate, formatted: read.formatted ?? plate, cameraId: deviceId, readId });
    }
  }

  #changed({ siteId, deviceId, state, changed, initial }: Facts["device.changed"]): void {
    if (this.#open.size === 0) return;
    const { choices, contacts } = this.#siblings;
    if (standingOf(state) === "closed")
      for (const gateId of contacts.toldBy(deviceId)) {
        this.#open.get(gateId)?.timer.stop();
        this.#open.delete(gateId);
      }
    if (initial) return;
    for (const { gateId, loop } of choices.follows(siteId)) {
      const gate = this.#open.get(gateId);
      if (gate === undefined || loop?.deviceId !== deviceId) continue;
      if (!changed.includes(loop.field) || state[loop.field] !== loop.value) continue;
      gate.passed += 1;
      this.#tell(gate, null);
    }
  }

  /** Reports one more follower than before, if there is one. */
  #tell(
    gate: OpenGate,
    seen: {
      readonly plate: string;
      readonly formatted: string;
      readonly cameraId: string;
      readonly readId: number;
    } | null,
  ): void {
    const { database, bus, clock, logger } = this.#base;
    const { siteId, gateId } = gate;
    const vehicles = Math.max(gate.followers.size, gate.passed - gate.letIn.size - gate.unnamed);
    if (vehicles <= gate.told || gate.told >= MOST_TOLD) return;
    gate.told = vehicles;
    const at = clock.now();
    const name = this.#siblings.registry.find(gateId)?.name ?? gateId;
    const write = database
      .write(() => {
        const plates = seen === null ? [] : [seen.plate];
        this.#siblings.feed.record({
          siteId,
          kind: FOLLOWED,
          deviceId: gateId,
          text: {
            code: FOLLOWED,
            n: vehicles,
            gate: name,
            seen: seen === null ? "no" : "yes",
            plate: seen?.formatted ?? "",
          },
          plates,
          at,
        });
        const data = { vehicles, plate: seen?.plate ?? null, readId: seen?.readId ?? null };
        this.#siblings.outbox.enqueue({ siteId, event: FOLLOWED, deviceId: gateId, data, plates, at });
        const fact = { siteId, deviceId: gateId, kind: FOLLOWED, title: "", body: "", at };
        database.committed(() => bus.announce("device.event", fact));
      })
      .catch((error: unknown) => logger.warn({ gate: gateId, err: error }, "a follower could not be recorded"));
    this.#writes.add(write);
  }
}
