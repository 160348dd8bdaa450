import type { Base } from "../../core/base.ts";
import { isJsonObject, type JsonObject } from "../../core/kernel/json-object.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import { UnderWay } from "../../core/kernel/under-way.ts";
import type { Broker } from "../../core/mqtt/broker.ts";
import { storedJson, storedList } from "../../core/storage/stored-json.ts";
import type { PersonLimits } from "../access/person-limits.ts";
import type { Feed } from "../feed/feed.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import { type CommandOutcome, outcomeOf, progressOf } from "./command-outcome.ts";
import { namesKeyTwice, readCommand } from "./command-text.ts";
import { Hands } from "./hands.ts";
import type { DeviceRegistry } from "./registry.ts";
import { isGuarded } from "./rules/device-types.ts";
import { type Moved, meaningOf, orderFor } from "./rules/gate-moves.ts";
import { type Guarded, opensOrDisarms } from "./rules/guarded.ts";
import { type CommandRow, type CommandStatus, CommandTable, type NamedCommand } from "./tables/command.ts";
import { type CommandSource, type WatchedCommand, WatchedCommands } from "./watched-commands.ts";

/** A command to be sent. */
export interface CommandInput {
  readonly siteId: number;
  readonly deviceId: string;
  /**
   * JSON text of an object, as accepted: it reaches the device byte for byte, except that a gate, lock or alarm gets one
   * that names a key twice as the hub reads it.
   */
  readonly command: string;
  /**
   * `session:ID`, `api_key:ID`, `matter:ID`, `scene:ID`, `automation:ID`, `gate:READ`, `device:ID` or
   * `home_assistant:0`.
   */
  readonly actor: string;
  /** The plate read that a person or a device has confirmed by it. */
  readonly readId?: number | undefined;
  readonly source: CommandSource;
  /**
   * Whose share of the device's commands it uses: the actor's unless given; null: nobody's, it is never held up (the
   * gate's own decision).
   */
  readonly chargedTo?: string | null;
  /** What it leads to opens nothing and disarms nothing, no matter who the actor is. */
  readonly opensNothing?: boolean;
  /** The actor has shown the right to open this device by something else than who it is, such as the household's PIN. */
  readonly isAdmitted?: boolean;
}

/** A command as the audit shows it; times are epoch milliseconds. */
export interface CommandRecord {
  readonly id: number;
  readonly deviceId: string;
  readonly actor: string;
  /** The sender; null if it is no longer known. */
  readonly name: string | null;
  readonly command: JsonObject;
  readonly at: number;
  readonly status: CommandStatus;
  readonly deliveredAt: number | null;
  /** The device's next state change, with the keys that changed. */
  readonly answeredAt: number | null;
  readonly answer: readonly string[] | null;
}

/** What a command does beside using its device. */
export interface Reach {
  /**
   * It may set the device up anew, write its flash, or have it call others: words of its firmware, as far as they are not
   * known to do less.
   */
  readonly isUpkeep: boolean;
  /** Other devices that carry it out with it: those of a group. */
  readonly others: readonly string[];
  /** Other devices that hear it as well, in words that are not judged as theirs. */
  readonly unjudged: readonly string[];
}

/** Takes commands to some devices. */
export interface Carrier {
  /** Whether it is this one that takes commands to the device. */
  has(deviceId: string): boolean;
  /** What a command does that it would take to the device; absent: it only uses the device. */
  reachOf?(deviceId: string, command: JsonObject): Reach;
  /**
   * Hands a payload to whatever holds the device's session: `sent` to a live one, `queued` on disk for one that is
   * offline. If there is no room left, `from` displaces others only while its own share is not larger.
   */
  deliver(
    deviceId: string,
    payload: string,
    ttlMs: number,
    from: string,
  ): Promise<"sent" | "queued"> | "sent" | "queued";
}

/** Follows commands to gates and locks until they have opened. */
export interface CommandWatch {
  /** A command has left, or could not; before it is on disk. */
  sent(order: CommandInput & { readonly commandId: number; readonly delivery: "refused" | "away" | "sent" }): void;
  /** Whether it reports a command's outcome itself. */
  tells(device: Moved & { readonly id: string }, command: string, actor: string): boolean;
}

/** Commands kept for each device's audit. */
const COMMANDS_KEPT = 1_000;
/** All devices that a command to one of them moves. */
const reachedBy = (id: string, { others, unjudged }: Reach): readonly string[] => [id, ...others, ...unjudged];
const NO_FURTHER: Reach = { isUpkeep: false, others: [], unjudged: [] };
/** Commands without a row (it is being written, or the disk refuses it) whose outcome is still reported. */
const MOST_WITHOUT_ROW = 1_000;
/**
 * Sends commands to devices and keeps their audit. The broker comes first and the disk second: a gate opens now, and it
 * opens also while the disk is full. Each command's row records who sent it, how far it got and which state change
 * answered it.
 */
export class Commands {
  readonly name = "commands";
  readonly hands: Hands;
  readonly #base: Base;
  readonly #registry: DeviceRegistry;
  readonly #limits: Pick<PersonLimits, "refuse" | "refuseLever" | "refuseUpkeep" | "isBound">;
  readonly #feed: Feed;
  readonly #outbox: Outbox;
  /** The first that has the device takes its commands; else the broker does. */
  readonly #carriers: Carrier[] = [];
  readonly #buckets: TokenBuckets;
  readonly #watched: WatchedCommands;
  readonly #withoutRow = new Map<number, WatchedCommand>();
  readonly #writes = new UnderWay();
  readonly #table: CommandTable;
  #broker: Broker | null = null;
  #watch: CommandWatch | null = null;
  #lastId: number | null = null;

  constructor(
    base: Base,
    {
      registry,
      limits,
      feed,
      outbox,
    }: {
      readonly registry: DeviceRegistry;
      readonly limits: Pick<PersonLimits, "refuse" | "refuseLever" | "refuseUpkeep" | "isBound">;
      readonly feed: Feed;
      readonly outbox: Outbox;
    },
  ) {
    const { deviceCommandsPer10Seconds: quota } = base.settings().rates;
    this.hands = new Hands(base.clock);
    this.#base = base;
    this.#registry = registry;
    this.#limits = limits;
    this.#feed = feed;
    this.#outbox = outbox;
    this.#table = new CommandTable(base.database);
    this.#buckets = new TokenBuckets({ quota, periodMs: 10_000, burst: Math.max(1, quota) });
    this.#watched = new WatchedCommands(base.clock);
  }

  /** Adds what takes the commands of some devices, before those that are there. */
  carriedBy(carrier: Carrier): void {
    this.#carriers.unshift(carrier);
  }

  /** The broker takes the commands of all devices without another carrier. */
  servedBy(broker: Broker): void {
    this.#broker = broker;
  }

  /** What the broker refused of a device. */
  refusals(deviceId: string): ReturnType<Broker["refusals"]> {
    return this.#broker?.refusals(deviceId) ?? [];
  }

  watchedBy(watch: CommandWatch): void {
    this.#watch = watch;
  }

  async start(): Promise<void> {}

  /** Waits for the audit rows that are on their way. */
  async stop(): Promise<void> {
    await this.settled();
  }

  /**
   * Checks a command, hands it to the broker and returns once the broker holds it, with the command as it counts; the
   * audit row follows in the next commit.
   * @throws Problem `device_not_found`, `invalid_json`, `invalid_body`, `body_too_large`, `rate_limited`; `forbidden` as
   *   {@link refuseBeyond}; what `deliver` throws (`unsupported_command`), and `broker_unavailable` for its other failures.
   */
  async send(given: CommandInput): Promise<{ commandId: number; command: string }> {
    const device = this.#registry.get(given.siteId, given.deviceId);
    const command = readCommand(given.command);
    const isWritten = given.source === "scene" || given.source === "automation";
    const { actor, isAdmitted = false } = given;
    const reach = this.#refuseBeyond(device, command, { actor, isWritten, isAdmitted });
    // a gate, a lock or an alarm does what is recorded: the hub's reading is the only one there is
    const isUnclear = isGuarded(device) && namesKeyTwice(given.command);
    const input = isUnclear ? { ...given, command: JSON.stringify(command) } : given;
    const { chargedTo = input.actor } = input;
    if (chargedTo !== null) this.#takeToken(chargedTo, device.id);
    const isBound = input.opensNothing === true || (!isAdmitted && this.#limits.isBound(actor, device.siteId));
    for (const id of reachedBy(device.id, reach)) this.hands.commanded(id, isBound);
    const ownWords = orderFor(device, command);
    const payload = ownWords === command ? input.command : JSON.stringify(ownWords);
    const watched = this.#await(input, payload, {
      from: chargedTo ?? input.source,
      keys: Object.keys(ownWords),
      isBound,
    });
    try {
      const order = [device.id, payload, this.#ttlMs, watched.from] as const;
      const carrier = this.#carriers.find((one) => one.has(device.id));
      const status = await (carrier?.deliver(...order) ?? this.#broker?.publishCommand(...order));
      if (status === undefined) throw new Error("nothing takes commands to devices");
      if (watched.row.status !== "delivered") watched.row.status = status;
      if (status === "queued") {
        this.#watched.awaitAnswer(watched, this.#ttlMs);
        this.hands.commanded(device.id, isBound, this.#ttlMs);
      }
    } catch (error) {
      watched.row.status = "failed";
      this.#watched.remove(watched);
      throw error instanceof Problem
        ? error
        : new Problem("broker_unavailable", "The message broker did not take the command.", { cause: error });
    } finally {
      this.#store(device.siteId, watched);
      const { id: commandId, status } = watched.row;
      const delivery = status === "failed" ? "refused" : status === "queued" ? "away" : "sent";
      this.#watch?.sent({ ...input, commandId, delivery });
    }
    return { commandId: watched.row.id, command: input.command };
  }

  /**
   * Whether a command may open a gate or a lock, or disarm an alarm, whatever way it takes: in doubt it does. False for a
   * device that is gone.
   */
  opens(deviceId: string, command: JsonObject): boolean {
    const device = this.#registry.find(deviceId);
    if (device === null) return false;
    if (opensOrDisarms(device, command)) return true;
    const { isUpkeep, others, unjudged } = this.#reachOf(device, command);
    return (
      isUpkeep ||
      others.some((id) => opensOrDisarms(this.#registry.find(id), command)) ||
      unjudged.some((id) => this.#isGuarded(id))
    );
  }

  /** Whether a command does more than use its device: see {@link Reach}. */
  isUpkeep(deviceId: string, command: JsonObject): boolean {
    const device = this.#registry.find(deviceId);
    return device !== null && this.#reachOf(device, command).isUpkeep;
  }

  /** The devices that carry a command out. */
  movedBy(deviceId: string, command: JsonObject): readonly string[] {
    const device = this.#registry.find(deviceId);
    return device === null ? [] : reachedBy(deviceId, this.#reachOf(device, command));
  }

  /**
   * For what an owner has put together, before the first of its commands leaves: a scene, what a camera opens.
   * @throws Problem `forbidden` where one opens what the person behind it may not open now, or moves what others are let
   *   in by
   */
  refuseBeyond(
    siteId: number,
    orders: readonly { readonly deviceId: string; readonly command: object }[],
    actor: string,
  ): void {
    for (const { deviceId, command } of orders) {
      const device = this.#registry.find(deviceId);
      if (device?.siteId === siteId) this.#refuseBeyond(device, { ...command }, { actor, isWritten: true });
    }
  }

  /**
   * @param by.isWritten an owner has written the command, and others may have it sent
   * @param by.isAdmitted see {@link CommandInput}; it does not go for other devices
   */
  #refuseBeyond(
    device: Guarded & { readonly id: string; readonly siteId: number },
    command: JsonObject,
    {
      actor,
      isWritten,
      isAdmitted = false,
    }: { readonly actor: string; readonly isWritten: boolean; readonly isAdmitted?: boolean },
  ): Reach {
    const { siteId } = device;
    const reach = this.#reachOf(device, command);
    if (!isAdmitted && opensOrDisarms(device, command)) this.#limits.refuse(actor, siteId, device.id);
    for (const id of reach.others)
      if (opensOrDisarms(this.#registry.find(id), command)) this.#limits.refuse(actor, siteId, id);
    for (const id of reach.unjudged) if (this.#isGuarded(id)) this.#limits.refuse(actor, siteId, id);
    if (reach.isUpkeep) this.#limits.refuseUpkeep(actor, siteId, isWritten);
    for (const id of reachedBy(device.id, reach)) this.#limits.refuseLever(actor, siteId, `device:${id}`);
    return reach;
  }

  #isGuarded(deviceId: string): boolean {
    const device = this.#registry.find(deviceId);
    return device !== null && isGuarded(device);
  }

  #reachOf(device: Moved & { readonly id: string }, command: JsonObject): Reach {
    const carrier = this.#carriers.find((one) => one.has(device.id));
    return carrier?.reachOf?.(device.id, orderFor(device, command)) ?? NO_FURTHER;
  }

  /** The device acknowledged a command; `payload` identifies it. */
  onDelivered(deviceId: string, payload: string | Uint8Array): void {
    const text = typeof payload === "string" ? payload : Buffer.from(payload).toString("utf8");
    const now = this.#base.clock.now();
    const watched = this.#watched
      .of(deviceId)
      .find(({ row, payload: sent }) => row.status !== "delivered" && sent === text);
    if (watched !== undefined) {
      watched.row.status = "delivered";
      watched.row.deliveredAt = now;
      this.#watched.awaitAnswer(watched);
      this.hands.commanded(deviceId, watched.isBound);
      if (watched.written) this.#setStatus(watched.row, "delivered", now);
      return;
    }
    // Queued before the hub was restarted.
    const row = this.#table.queuedLike(deviceId, text) ?? this.#table.queuedLike(deviceId, this.#asked(deviceId, text));
    if (row === null) return;
    this.hands.commanded(deviceId, this.#mayBeBound(row.actor, deviceId));
    this.#setStatus({ ...row, status: "delivered", deliveredAt: now }, "delivered", now);
  }

  /** The device's state did not show in time that it did what the command asks; `payload` identifies the command. */
  onTimeout(deviceId: string, payload: string): void {
    const watched = this.#watched.of(deviceId).find((one) => one.row.status === "sent" && one.payload === payload);
    if (watched === undefined) return;
    watched.row.status = "failed";
    this.#watched.remove(watched);
    this.#write(() => {
      this.#table.setStatus(watched.row.id, "failed", null);
      this.#tell(watched.row);
      this.#report(watched.row);
      const device = this.#registry.find(deviceId);
      if (device === null || this.#watch?.tells(device, watched.row.command, watched.row.actor)) return;
      this.#feed.record({
        siteId: device.siteId,
        kind: "command.failed",
        deviceId,
        text: { code: "command.unconfirmed", name: device.name },
        at: this.#base.clock.now(),
      });
    });
  }

  /**
   * Notes a state change as the answer to the command that most likely caused it: the oldest watched one that names a
   * changed key, else the oldest. Returns its source and its sender; null when no command is waiting. Called inside the job that
   * stores the change.
   */
  answered(
    deviceId: string,
    changed: readonly string[],
    at: number,
  ): { readonly source: CommandSource; readonly actor: string } | null {
    const cause = this.#watched.cause(deviceId, changed);
    if (cause === undefined) return null;
    if (cause.row.status !== "delivered") this.#tell(cause.row);
    cause.row.answeredAt = at;
    cause.row.answer = JSON.stringify(changed);
    if (cause.written) this.#table.setAnswer(cause.row.id, at, cause.row.answer);
    return { source: cause.source, actor: cause.row.actor };
  }

  /**
   * Marks queued commands whose time is over, with a feed item each, and reports sent ones that were not acknowledged;
   * run every few seconds. Returns how many were marked.
   */
  async expireDue(nowMs: number): Promise<number> {
    for (const watched of this.#watched.over()) this.#end(watched);
    const before = nowMs - this.#ttlMs;
    if (this.#table.queuedBefore(before).length === 0) return 0;
    return this.#base.database.write(() => {
      const due = this.#table.queuedBefore(before);
      for (const row of due) this.#expire(row, nowMs);
      return due.length;
    });
  }

  /** Keeps {@link COMMANDS_KEPT} rows of each device; run hourly. Returns how many went. */
  async sweep(): Promise<number> {
    const overfull = this.#table.overfull(COMMANDS_KEPT);
    if (overfull.length === 0) return 0;
    return this.#base.database.write(() =>
      overfull.reduce((gone, deviceId) => gone + this.#table.trim(deviceId, COMMANDS_KEPT), 0),
    );
  }

  /** The audit of a device, newest first; `beforeId` continues a list. @throws Problem `device_not_found`. */
  list(siteId: number, deviceId: string, page: { limit: number; beforeId?: number }): CommandRecord[] {
    this.#registry.get(siteId, deviceId);
    return this.#table.byDevice(deviceId, page.beforeId ?? Number.MAX_SAFE_INTEGER, page.limit).map(toRecord);
  }

  /**
   * The outcome of a command so far.
   * @throws Problem `command_not_found` when the household has none of this id (any more).
   */
  outcome(siteId: number, id: number): CommandOutcome {
    const row = this.#withoutRow.get(id)?.row ?? this.#table.byId(id);
    if (row === null || this.#registry.siteOf(row.deviceId) !== siteId)
      throw new Problem("command_not_found", "There is no such command.");
    return outcomeOf(row, this.#ttlMs, !this.#watched.isAnswerable(row));
  }

  /** The name of a command's sender; null if there is none, or it is no longer known. */
  nameOf(actor: string): string | null {
    return this.#table.nameOf(actor);
  }

  /** The account of the person who sent a command; null if nobody did. */
  accountOf(actor: string): number | null {
    return this.#table.accountOf(actor);
  }

  /** Resolves when every audit row accepted so far is on disk, or its write has failed. */
  async settled(): Promise<void> {
    await this.#writes.settled();
  }

  /** How long a command waits for an absent device. */
  get #ttlMs(): number {
    return this.#base.settings().devices.commandTtlSeconds * 1_000;
  }

  /**
   * Whether what a command from before the restart leads to opens nothing; what triggered a rule's command is unknown.
   */
  #mayBeBound(actor: string, deviceId: string): boolean {
    const siteId = this.#registry.siteOf(deviceId);
    return actor.startsWith("automation:") || (siteId !== null && this.#limits.isBound(actor, siteId));
  }

  /** What was asked of a gate that got this payload; the payload itself where that is the same. */
  #asked(deviceId: string, payload: string): string {
    const device = this.#registry.find(deviceId);
    if (device?.type !== "gate") return payload;
    const command: unknown = JSON.parse(payload); // it was sent from here
    return isJsonObject(command) ? JSON.stringify(meaningOf(device, command)) : payload;
  }

  #takeToken(chargedTo: string, deviceId: string): void {
    const verdict = this.#buckets.take(`${chargedTo} ${deviceId}`, this.#base.clock.mono());
    if (verdict.allowed) return;
    const { retryAfterSeconds } = verdict;
    throw new Problem("rate_limited", "You send the device too many commands.", {
      fields: { retryAfterSeconds },
      headers: { "Retry-After": String(retryAfterSeconds) },
    });
  }

  #await(
    input: CommandInput,
    payload: string,
    share: Pick<WatchedCommand, "from" | "keys" | "isBound">,
  ): WatchedCommand {
    this.#lastId = (this.#lastId ?? this.#table.lastId()) + 1;
    const { deviceId, actor, command, source } = input;
    const row = {
      id: this.#lastId,
      deviceId,
      actor,
      command,
      at: this.#base.clock.now(),
      status: "sent" as const,
      deliveredAt: null,
      answeredAt: null,
      answer: null,
      byName: null,
    };
    const { watched, over } = this.#watched.add({ row, payload, source, ...share }, this.#ttlMs);
    this.#withoutRow.set(row.id, watched);
    const [oldest] = this.#withoutRow.keys();
    if (this.#withoutRow.size > MOST_WITHOUT_ROW && oldest !== undefined) this.#withoutRow.delete(oldest);
    for (const entry of over) this.#end(entry);
    return watched;
  }

  #store(siteId: number, watched: WatchedCommand): void {
    const { database, bus } = this.#base;
    const { id: commandId, deviceId, actor, at } = watched.row;
    this.#write(
      () => {
        watched.row.byName = this.#table.nameOf(actor);
        this.#table.insert({ ...watched.row });
        watched.written = true;
        database.committed(() => this.#withoutRow.delete(commandId));
        if (watched.row.status === "failed") return; // the sender has received the failure
        database.committed(() => bus.announce("command.sent", { siteId, deviceId, commandId, actor, at }));
        this.#tell(watched.row);
      },
      () => this.#announce(watched.row),
    );
  }

  #setStatus(row: CommandRow, status: CommandStatus, deliveredAt: number | null): void {
    this.#write(() => {
      this.#table.setStatus(row.id, status, deliveredAt);
      this.#tell(row);
    });
  }

  /** Inside a write job: announces a command's progress once that is committed. */
  #tell(row: CommandRow): void {
    this.#base.database.committed(() => this.#announce(row));
  }

  #announce(row: CommandRow, isOver = false): void {
    const { bus, clock } = this.#base;
    const { id: commandId, deviceId, actor } = row;
    const siteId = this.#registry.siteOf(deviceId);
    if (siteId !== null)
      bus.announce("command.changed", {
        siteId,
        deviceId,
        commandId,
        actor,
        ...progressOf(row, isOver),
        at: clock.now(),
      });
  }

  /** Stops watching a command; reports one that was not answered. */
  #end(watched: WatchedCommand): void {
    const { row } = watched;
    this.#watched.remove(watched);
    if (row.status !== "sent" || row.answeredAt !== null) return;
    this.#announce(row, true);
    const siteId = this.#registry.siteOf(row.deviceId);
    if (siteId !== null && this.#outbox.wanted(siteId, "command.failed")) this.#write(() => this.#report(row, true));
  }

  /** Inside a write job: reports to receivers that a command failed. */
  #report(row: CommandRow, isOver = false): void {
    const { id: commandId, deviceId } = row;
    const siteId = this.#registry.siteOf(deviceId);
    if (siteId !== null)
      this.#outbox.enqueue({
        siteId,
        event: "command.failed",
        deviceId,
        data: { commandId, ...progressOf(row, isOver) },
        at: this.#base.clock.now(),
      });
  }

  #write(job: () => void, failed: () => void = () => {}): void {
    const write = this.#base.database.write(job).catch((error: unknown) => {
      this.#base.logger.warn({ err: error }, "a command's audit row could not be written");
      failed();
    });
    this.#writes.add(write);
  }

  #expire(row: CommandRow, nowMs: number): void {
    this.#table.setStatus(row.id, "expired", null);
    this.#tell({ ...row, status: "expired" });
    this.#report({ ...row, status: "expired" });
    const watched = this.#watched.of(row.deviceId).find((entry) => entry.row.id === row.id);
    if (watched !== undefined) this.#watched.remove(watched);
    const device = this.#registry.find(row.deviceId);
    if (device === null || this.#watch?.tells(device, row.command, row.actor)) return;
    const text = {
      code: "command.failed",
      name: device.name,
      n: this.#base.settings().devices.commandTtlSeconds,
    } as const;
    this.#feed.record({ siteId: device.siteId, kind: "command.failed", deviceId: device.id, text, at: nowMs });
  }
}

function toRecord(row: NamedCommand): CommandRecord {
  return {
    id: row.id,
    deviceId: row.deviceId,
    actor: row.actor,
    name: row.name,
    command: storedJson<JsonObject>(row.command, {}),
    at: row.at,
    status: row.status,
    deliveredAt: row.deliveredAt,
    answeredAt: row.answeredAt,
    answer: storedList<string>(row.answer),
  };
}
