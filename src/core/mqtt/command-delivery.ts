import type { Clock } from "../kernel/clock.ts";
import { evictionCandidate } from "../kernel/fair-eviction.ts";

/** A command on its way to a device. */
export interface Command {
  readonly deviceId: string;
  /** The JSON text as accepted. */
  readonly payload: string;
  /** The sender, for a fair share of the room. */
  readonly from: string;
  /** Monotonic time after which it must not be delivered any more. */
  readonly deadlineMono: number;
}

/** Learns which commands have arrived. */
export interface CommandResults {
  /** The device acknowledged a command. */
  onDelivered(deviceId: string, payload: string): void;
}

interface Sent extends Command {
  readonly again: boolean;
}

/**
 * Commands that no MQTT session holds: those for an offline device without a persistent session, and those sent to a
 * connection that turned out to be dead. They wait in memory until the device subscribes again or they expire: a gate
 * must not open an hour later. If there is no room left, the oldest command of the sender with the most is dropped. A
 * command lost with its connection is sent again, not forever.
 */
export class CommandDelivery {
  readonly #options: ConstructorParameters<typeof CommandDelivery>[0];
  readonly #held = new Map<string, Sent[]>();
  /** By client id and packet identifier. */
  readonly #sent = new Map<string, Map<number, Sent>>();
  /** Commands that are being sent a second time, by their text; they do not come a third time. */
  readonly #again = new Map<string, Set<string>>();
  #heldCount = 0;
  #dropped = 0;
  #expired = 0;
  #delivered = 0;

  constructor(options: {
    readonly heldPerDevice: number;
    readonly heldTotal: number;
    readonly clock: Clock;
    readonly results: CommandResults;
  }) {
    this.#options = options;
  }

  /** Commands held and sent without answer now; dropped, expired and delivered since start. */
  get figures(): { held: number; unacknowledged: number; dropped: number; expired: number; delivered: number } {
    let unacknowledged = 0;
    for (const sent of this.#sent.values()) unacknowledged += sent.size;
    return {
      held: this.#heldCount,
      unacknowledged,
      dropped: this.#dropped,
      expired: this.#expired,
      delivered: this.#delivered,
    };
  }

  /** Keeps a command until the device subscribes. */
  hold(command: Command, again = false): void {
    const held = this.#held.get(command.deviceId) ?? [];
    this.#held.set(command.deviceId, held);
    held.push({ ...command, again });
    this.#heldCount += 1;
    if (held.length > this.#options.heldPerDevice) this.#dropOneOf(held);
    if (this.#heldCount > this.#options.heldTotal) this.#dropOneOf([...this.#held.values()].flat());
  }

  /** Takes out what is held for a device and still in time, oldest first. */
  take(deviceId: string): Command[] {
    const held = this.#held.get(deviceId) ?? [];
    this.#held.delete(deviceId);
    this.#heldCount -= held.length;
    const now = this.#options.clock.mono();
    const inTime = held.filter((command) => command.deadlineMono > now);
    this.#expired += held.length - inTime.length;
    const again = inTime.filter((command) => command.again).map((command) => command.payload);
    if (again.length > 0) this.#again.set(deviceId, new Set(again));
    return inTime;
  }

  /** Notes that a command went out to a client under this packet identifier. */
  sent(clientId: string, messageId: number, command: Command): void {
    const sent = this.#sent.get(clientId) ?? new Map<number, Sent>();
    this.#sent.set(clientId, sent);
    const again = this.#again.get(command.deviceId)?.delete(command.payload) ?? false;
    sent.set(messageId, { ...command, again });
  }

  /** A client acknowledged the packet with this identifier. */
  acknowledged(clientId: string, messageId: number): void {
    const sent = this.#sent.get(clientId);
    const command = sent?.get(messageId);
    if (sent === undefined || command === undefined) return;
    sent.delete(messageId);
    if (sent.size === 0) this.#sent.delete(clientId);
    this.#delivered += 1;
    this.#options.results.onDelivered(command.deviceId, command.payload);
  }

  /** The client has disconnected. With `keep`, its unacknowledged commands wait for the device's next connection. */
  lost(clientId: string, keep: boolean): void {
    const sent = this.#sent.get(clientId);
    this.#sent.delete(clientId);
    if (!keep) return;
    const now = this.#options.clock.mono();
    for (const command of sent?.values() ?? [])
      if (!command.again && command.deadlineMono > now) this.hold(command, true);
  }

  /** Drops everything about a device. */
  forget(deviceId: string): void {
    this.take(deviceId);
    this.#again.delete(deviceId);
  }

  /** Drops what is too old. */
  sweep(): void {
    const now = this.#options.clock.mono();
    for (const [deviceId, held] of this.#held) {
      const inTime = held.filter((command) => command.deadlineMono > now);
      this.#expired += held.length - inTime.length;
      this.#heldCount -= held.length - inTime.length;
      if (inTime.length === 0) this.#held.delete(deviceId);
      else this.#held.set(deviceId, inTime);
    }
    for (const [clientId, sent] of this.#sent) {
      for (const [messageId, command] of sent) if (command.deadlineMono <= now) sent.delete(messageId);
      if (sent.size === 0) this.#sent.delete(clientId);
    }
  }

  #dropOneOf(commands: readonly Sent[]): void {
    const victim = evictionCandidate(commands, ({ from }) => from);
    const held = victim === undefined ? undefined : this.#held.get(victim.deviceId);
    if (victim === undefined || held === undefined) return;
    held.splice(held.indexOf(victim), 1);
    this.#heldCount -= 1;
    this.#dropped += 1;
    if (held.length === 0) this.#held.delete(victim.deviceId);
  }
}
