/**
 * Owns the hub's side of the bridge: the endpoints and their permanent numbers, the values reported to Matter about
 * their devices, orders from Matter, and the homes that have joined. The nodes themselves are in the Matter process.
 *
 * In: facts of the bus, orders from the process, an owner's choices. Out: endpoints and values for the process,
 * commands with their origin. Must never know: matter.js, HTTP, how a command travels.
 */
import type { Facts } from "../../../core/api/facts.ts";
import type { Bus } from "../../../core/kernel/bus.ts";
import type { Clock, Timer } from "../../../core/kernel/clock.ts";
import type { JsonObject } from "../../../core/kernel/json-object.ts";
import type { Logger } from "../../../core/kernel/logger.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { Database } from "../../../core/storage/database.ts";
import type { MatterHost } from "../host.ts";
import { MatterTables } from "../tables/matter.ts";
import type { BridgedEndpoint, BridgeSituation, EndpointAction, EndpointValues } from "./calls.ts";
import { withMeasured } from "./endpoints.ts";
import { type JoinedFabric, joinedFabrics, noteFabrics } from "./fabrics.ts";
import { BridgeOrders } from "./orders.ts";
import { MatterPin } from "./pin.ts";
import type { BridgePorts } from "./ports.ts";
import { type Showable, type ShownEndpoint, showables, shownEndpoints } from "./shown.ts";
import { StoredGuesses } from "./stored-guesses.ts";

/** Changes that come together are handled together. */
const SETTLE_MS = 200;
/** Scenes, and a device's abilities, change without a fact. */
const LOOK_EVERY_MS = 10_000;
/** A port that is taken usually stays taken for a while. */
const RETRY_MS = 60_000;
/** A meter's values change all the time; this is how often they are passed on. */
const METER_EVERY_MS = 5_000;
const METERED = new Set(["watts", "volts", "amps", "kwh"]);
/** Something that is switched on shows at once: a step of this many watts, and of this share. */
const JUMP = { watts: 5, share: 0.1, leastMs: 250 };

interface Told {
  readonly shown: ShownEndpoint;
  /** Everything but the values, as text for comparison. */
  readonly fixed: string;
  values: Record<string, unknown>;
  reachable: boolean;
  meteredMono: number;
}

/** See the head of the file. */
export class MatterBridge {
  readonly name = "matter bridge";
  readonly #options: ConstructorParameters<typeof MatterBridge>[0];
  readonly #tables: MatterTables;
  readonly #pin: MatterPin;
  readonly #orders: BridgeOrders;
  readonly #reported = new Map<number, Told>();
  /** The latest measurements by device: telemetry is not part of a state. */
  readonly #measured = new Map<string, JsonObject>();
  readonly #dirty = new Set<string>();
  #situation: BridgeSituation | null = null;
  /** Whether the process knows the household and has opened the bridge. */
  #isOpen = false;
  #trouble: string | null = null;
  #retryMono = 0;
  #stops: readonly (() => void)[] = [];
  #timers: Timer[] = [];
  #settling: Timer | null = null;
  #later: { readonly timer: Timer; readonly atMono: number } | null = null;
  #telling = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly host: Pick<MatterHost, "call" | "serve" | "onUp" | "state">;
    readonly database: Database;
    readonly bus: Bus<Facts>;
    readonly ports: BridgePorts;
    /** A secret of this hub that is not in the database. */
    readonly pinKey: Buffer;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
    this.#tables = new MatterTables(options.database);
    const { host, database, ports, clock, logger } = options;
    this.#pin = new MatterPin({ key: options.pinKey, clock, store: new StoredGuesses(database, this.#tables) });
    this.#orders = new BridgeOrders({ database, tables: this.#tables, pin: this.#pin, ports, clock, logger });
    // plugs and lamps ask for no PIN: a household that has chosen one is not opened by their way
    ports.limits.programMayOpen("matter", () => this.pinAsked() === false);
    host.serve({
      "bridge.act": async ({ number, fabricIndex, action }) => {
        await this.#act(number, fabricIndex, action);
        return null;
      },
      "bridge.changed": async (situation) => {
        await this.#take(situation);
        return null;
      },
    });
    host.onUp(async () => {
      this.#situation = null;
      this.#isOpen = false;
      await this.#inTurn(() => this.#step());
    });
  }

  /** Listens to the bus, and sends the process everything each time it is up. */
  async start(): Promise<void> {
    const { bus, clock } = this.#options;
    const changed = ({ deviceId }: { readonly deviceId: string }): void => this.#deviceChanged(deviceId);
    this.#stops = [
      bus.on("device.changed", this.name, ({ deviceId, changed: keys }) => {
        this.#forgetMeasured(deviceId, keys);
        changed({ deviceId });
      }),
      bus.on("device.presence", this.name, changed),
      bus.on("device.telemetry", this.name, ({ deviceId, data }) => {
        if (!this.#isUp) return;
        this.#measured.set(deviceId, { ...this.#measured.get(deviceId), ...data });
        this.#deviceChanged(deviceId);
      }),
      bus.on("device.edited", this.name, ({ deviceId, what }) => {
        if (what === "removed") this.#measured.delete(deviceId);
        this.refresh();
      }),
    ];
    this.#timers = [clock.every(LOOK_EVERY_MS, () => this.refresh())];
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    for (const timer of [...this.#timers, this.#settling, this.#later?.timer]) timer?.stop();
    await this.#turn;
  }

  /** The household's devices and scenes, and whether Matter sees them. */
  showables(): Showable[] {
    const siteId = this.#options.ports.siteId();
    return siteId === null ? [] : showables(siteId, this.#options.ports, this.#tables);
  }

  /** Whether opening requires a PIN; null: not chosen yet, and nothing that gives entry is shown. */
  pinAsked(): boolean | null {
    const siteId = this.#options.ports.siteId();
    const pin = siteId === null ? null : this.#tables.pin(siteId);
    return pin === null ? null : pin.hash !== null;
  }

  /** Homes that have joined, oldest first. */
  fabrics(): JoinedFabric[] {
    return joinedFabrics(this.#tables);
  }

  /** Why homes cannot reach the bridge although the process runs; null if they can. Retried automatically. */
  get trouble(): string | null {
    return this.#isUp && !this.#isOpen ? this.#trouble : null;
  }

  /** The node's state; null while the process is not running. */
  get situation(): BridgeSituation | null {
    return this.#isUp ? this.#situation : null;
  }

  /**
   * Shows a device or scene to Matter, or hides it. @throws Problem `not_found`, `conflict` where it cannot be shown
   */
  async show(subject: string, shown: boolean, beside: (name: string) => void = () => {}): Promise<void> {
    const siteId = this.#site();
    const one = this.showables().find((each) => each.subject === subject);
    if (one === undefined) throw new Problem("not_found", "There is no such device or scene.");
    if (shown && one.refusal !== null)
      throw new Problem("conflict", {
        code: one.refusal === "opens" ? "conflict.matterSceneOpens" : "conflict.matterNoWord",
      });
    if (shown && one.kinds.includes("lock") && this.pinAsked() === null)
      throw new Problem("conflict", { code: "conflict.matterPinFirst" });
    await this.#options.database.write(() => {
      this.#tables.choose({ siteId, subject, shown: shown ? 1 : 0, guarded: one.guarded ? 1 : 0 });
      beside(one.name);
    });
    await this.#inTurn(() => this.#step());
  }

  /** Sets the PIN that opening requires; null: no PIN. @throws Problem `invalid_body` */
  async setPin(pin: string | null, beside: () => void = () => {}): Promise<void> {
    const siteId = this.#site();
    const hash = pin === null ? null : this.#pin.hash(siteId, pin);
    await this.#options.database.write(() => {
      this.#tables.setPin(siteId, hash, this.#options.clock.now());
      beside();
    });
    await this.#inTurn(() => this.#step());
  }

  /** Lets one more home join for some minutes, with a new code; 0 ends that. @throws Problem `matter_unavailable` */
  async window(minutes: number): Promise<BridgeSituation> {
    return this.#take(await this.#options.host.call("bridge.window", { minutes }));
  }

  /** Makes a home leave. @throws Problem `not_found`, `matter_unavailable` */
  async removeFabric(id: number): Promise<JoinedFabric> {
    const row = this.#tables.fabrics().find((each) => each.id === id && each.leftAt === null);
    if (row === undefined) throw new Problem("not_found", "No such home has joined.");
    await this.#take(await this.#options.host.call("bridge.removeFabric", { index: row.fabricIndex }));
    return row;
  }

  /** Has the household checked soon. */
  refresh(): void {
    const { clock } = this.#options;
    if (!this.#isUp || this.#settling !== null || (!this.#isOpen && clock.mono() < this.#retryMono)) return;
    this.#settling = clock.after(SETTLE_MS, () => {
      this.#settling = null;
      void this.#inTurn(() => this.#step());
    });
  }

  get #isUp(): boolean {
    return this.#options.host.state.state === "running";
  }

  #site(): number {
    const siteId = this.#options.ports.siteId();
    if (siteId === null) throw new Problem("conflict", { code: "conflict.noOwner" });
    return siteId;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(() => (this.#isUp ? work() : undefined));
    this.#turn = turn.then(
      () => {
        this.#trouble = null;
      },
      (error: unknown) => {
        const trouble = error instanceof Error ? error.message : String(error);
        if (trouble !== this.#trouble)
          this.#options.logger.warn({ err: error }, "the household could not be sent to the Matter process");
        this.#trouble = trouble;
        this.#retryMono = this.#options.clock.mono() + RETRY_MS;
      },
    );
    return this.#turn;
  }

  /** Brings the process's endpoints in step with the household. */
  async #step(): Promise<void> {
    const { host, ports, clock } = this.#options;
    const isFirst = !this.#isOpen;
    if (isFirst) this.#reported.clear();
    const siteId = ports.siteId();
    const wanted =
      siteId === null
        ? []
        : shownEndpoints(siteId, this.#options.ports, this.#tables, {
            pin: this.pinAsked(),
            stateOf: (device) => withMeasured(device.state, this.#measured.get(device.id)),
          });
    const numbered = await this.#numbered(siteId, wanted);
    const endpoints: BridgedEndpoint[] = [];
    for (const [number, shown] of numbered) {
      const { values, reachable, ...fixed } = shown.endpoint;
      const text = JSON.stringify(fixed);
      if (this.#reported.get(number)?.fixed === text) continue;
      endpoints.push({ ...shown.endpoint, number });
      this.#reported.set(number, { shown, fixed: text, values: { ...values }, reachable, meteredMono: clock.mono() });
    }
    const gone = [...this.#reported.keys()].filter((number) => !numbered.has(number));
    for (const number of gone) this.#reported.delete(number);
    if (gone.length > 0 && !isFirst) await host.call("bridge.remove", { numbers: gone });
    if (endpoints.length > 0 || isFirst)
      await this.#take(await host.call("bridge.put", { endpoints, only: isFirst }, 120_000));
    this.#isOpen = true;
    for (const [number, shown] of numbered) {
      const reported = this.#reported.get(number);
      if (reported !== undefined && shown.deviceId !== null) this.#dirty.add(shown.deviceId);
    }
    this.#tell();
  }

  /** Numbers all endpoints; those that have none yet get new ones. */
  async #numbered(siteId: number | null, wanted: readonly ShownEndpoint[]): Promise<Map<number, ShownEndpoint>> {
    if (siteId === null) return new Map();
    let numbers = this.#tables.numbers(siteId);
    const without = wanted.filter(({ subject }) => !numbers.has(subject));
    if (without.length > 0) {
      await this.#options.database.write(() => {
        for (const { subject } of without) this.#tables.number(siteId, subject);
      });
      numbers = this.#tables.numbers(siteId);
    }
    return new Map(wanted.flatMap((shown): [number, ShownEndpoint][] => [[numbers.get(shown.subject) ?? 0, shown]]));
  }

  /** Forgets measurements that a newer state replaces. */
  #forgetMeasured(deviceId: string, keys: readonly string[]): void {
    const measured = this.#measured.get(deviceId);
    if (measured === undefined || !keys.some((key) => Object.hasOwn(measured, key))) return;
    this.#measured.set(deviceId, Object.fromEntries(Object.entries(measured).filter(([key]) => !keys.includes(key))));
  }

  #deviceChanged(deviceId: string): void {
    if (!this.#isUp) return;
    this.#dirty.add(deviceId);
    // After the facts of the same commit.
    queueMicrotask(() => this.#tell());
  }

  /** Sends what changed; changes meanwhile go with the next message. */
  #tell(): void {
    if (this.#telling || this.#dirty.size === 0 || !this.#isUp) return;
    const changes = this.#changes();
    if (changes.length === 0) return;
    this.#telling = true;
    const { host, logger } = this.#options;
    host
      .call("bridge.values", { changes })
      .catch((error: unknown) => logger.warn({ err: error }, "a change could not be sent to the Matter process"))
      .finally(() => {
        this.#telling = false;
        this.#tell();
      });
  }

  #changes(): { number: number; reachable: boolean; values: EndpointValues }[] {
    const { ports, clock } = this.#options;
    const siteId = ports.siteId();
    const dirty = new Set(this.#dirty);
    this.#dirty.clear();
    if (siteId === null) return [];
    const devices = new Map(
      ports.devices(siteId).flatMap((device) => (dirty.has(device.id) ? [[device.id, device]] : [])),
    );
    const changes: { number: number; reachable: boolean; values: EndpointValues }[] = [];
    for (const [number, reported] of this.#reported) {
      const device = reported.shown.deviceId === null ? undefined : devices.get(reported.shown.deviceId);
      if (device === undefined || reported.shown.part === null) continue;
      const values: Record<string, unknown> = {
        ...reported.shown.part.read(withMeasured(device.state, this.#measured.get(device.id))),
      };
      const sinceMetered = clock.mono() - reported.meteredMono;
      const meterGapMs = isJump(reported.values.watts, values.watts) ? JUMP.leastMs : METER_EVERY_MS;
      const isMeterDue = sinceMetered >= meterGapMs;
      const changed = Object.entries(values).filter(([key, value]) => value !== reported.values[key]);
      const due = changed.filter(([key]) => isMeterDue || !METERED.has(key));
      if (due.length < changed.length) this.#again(device.id, meterGapMs - sinceMetered);
      if (due.length === 0 && device.online === reported.reachable) continue;
      if (due.some(([key]) => METERED.has(key))) reported.meteredMono = clock.mono();
      Object.assign(reported.values, Object.fromEntries(due));
      reported.reachable = device.online;
      changes.push({ number, reachable: device.online, values: Object.fromEntries(due) });
    }
    return changes;
  }

  /** Sends a meter's values once they are due. */
  #again(deviceId: string, ms: number): void {
    this.#dirty.add(deviceId);
    const { clock } = this.#options;
    const atMono = clock.mono() + Math.max(50, ms);
    if (this.#later !== null && this.#later.atMono <= atMono) return;
    this.#later?.timer.stop();
    const timer = clock.at(atMono, () => {
      this.#later = null;
      this.#tell();
    });
    this.#later = { timer, atMono };
  }

  async #act(number: number, fabricIndex: number, action: EndpointAction): Promise<void> {
    const reported = this.#reported.get(number);
    if (reported === undefined) throw new Problem("not_found", "There is no such endpoint any more.");
    await this.#orders.carryOut(this.#site(), reported.shown, fabricIndex, action);
  }

  /** Takes the node's situation: homes that joined or left. */
  async #take(situation: BridgeSituation): Promise<BridgeSituation> {
    this.#situation = situation;
    const { database, clock } = this.#options;
    await noteFabrics(situation.fabrics, { database, tables: this.#tables, clock });
    return situation;
  }
}

function isJump(before: unknown, now: unknown): boolean {
  if (typeof before !== "number" || typeof now !== "number") return before !== now;
  const step = Math.abs(now - before);
  return step >= JUMP.watts && step >= JUMP.share * Math.abs(before);
}
