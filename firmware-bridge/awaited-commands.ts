import type { Clock } from "../src/core/kernel/clock.ts";
import { evictionCandidate } from "../src/core/kernel/fair-eviction.ts";
import { isJsonObject, type JsonObject, sameJson } from "../src/core/kernel/json-object.ts";
import type { Outgoing } from "./family.ts";
import type { CommandResultSink } from "./ports.ts";

/** What {@link AwaitedCommands} needs. */
export interface AwaitedCommandsOptions<Message> {
  readonly stateOf: (deviceId: string) => JsonObject | null;
  readonly publish: (command: TranslatedCommand<Message>, ttlMs: number) => void;
  readonly commandResults: CommandResultSink;
  readonly clock: Clock;
}

/** A translated command, in the messages of its make. */
export interface TranslatedCommand<Message = Outgoing> {
  readonly deviceId: string;
  /** The command as accepted. */
  readonly payload: string;
  /** Whose command it is, for a fair share of the room. */
  readonly from: string;
  readonly publish: readonly Message[];
  /** State that proves it; null if the firmware reports none. */
  readonly expects: JsonObject | null;
}

/** A device that is awake shows within this time that it carried a command out. */
const ANSWER_MS = 5_000;
const MOST_PER_DEVICE = 20;

interface Waiting<Message> extends TranslatedCommand<Message> {
  readonly dueMono: number;
}

/** Commands that wait until their device is there, and commands that wait for the state that proves them. */
export class AwaitedCommands<Message = Outgoing> {
  readonly #options: AwaitedCommandsOptions<Message>;
  readonly #held = new Map<string, Waiting<Message>[]>();
  readonly #sent = new Map<string, Waiting<Message>[]>();

  constructor(options: AwaitedCommandsOptions<Message>) {
    this.#options = options;
  }

  /** Sends a command and waits for the state that proves it. */
  send(command: TranslatedCommand<Message>, ttlMs: number): void {
    const { publish, clock } = this.#options;
    publish(command, ttlMs);
    if (command.expects !== null) add(this.#sent, { ...command, dueMono: clock.mono() + ANSWER_MS });
  }

  /** Keeps a command for a device that is away; if there are too many, the sender with most loses its oldest. */
  hold(command: TranslatedCommand<Message>, ttlMs: number): void {
    add(this.#held, { ...command, dueMono: this.#options.clock.mono() + ttlMs });
  }

  /** The device is there: sends the commands that were kept and have not expired. */
  arrived(deviceId: string): void {
    const held = this.#held.get(deviceId) ?? [];
    this.#held.delete(deviceId);
    const now = this.#options.clock.mono();
    for (const command of held) if (command.dueMono > now) this.send(command, command.dueMono - now);
  }

  /** The device reported its state; `patch` may not have reached the hub's own yet. */
  stateReported(deviceId: string, patch: JsonObject): void {
    const waiting = this.#sent.get(deviceId);
    if (waiting === undefined) return;
    const state = { ...this.#options.stateOf(deviceId), ...patch };
    this.#settle(
      deviceId,
      waiting,
      (command) =>
        proven(command, state) && Object.keys(command.expects ?? {}).some((key) => Object.hasOwn(patch, key)),
    );
  }

  /** Ends commands that have waited too long: done if the state now shows it, timed out otherwise. */
  passed(): void {
    const now = this.#options.clock.mono();
    for (const [deviceId, waiting] of this.#sent) {
      const state = this.#options.stateOf(deviceId) ?? {};
      const late = waiting.filter(({ dueMono }) => dueMono <= now);
      if (late.length === 0) continue;
      this.#settle(deviceId, waiting, (command) => command.dueMono <= now && proven(command, state));
      this.#keep(
        this.#sent,
        deviceId,
        waiting.filter(({ dueMono }) => dueMono > now),
      );
      for (const command of late)
        if (!proven(command, state)) this.#options.commandResults.onTimeout(deviceId, command.payload);
    }
    for (const [deviceId, held] of this.#held) {
      this.#keep(
        this.#held,
        deviceId,
        held.filter(({ dueMono }) => dueMono > now),
      );
    }
  }

  /** The device refused a command: notifies the waiter for its confirmation. */
  refused({ deviceId, payload }: Pick<TranslatedCommand<Message>, "deviceId" | "payload">): void {
    const waiting = this.#sent.get(deviceId) ?? [];
    const first = waiting.find((command) => command.payload === payload);
    this.#keep(
      this.#sent,
      deviceId,
      waiting.filter((command) => command !== first),
    );
    this.#options.commandResults.onTimeout(deviceId, payload);
  }

  /** Forgets a device. */
  forget(deviceId: string): void {
    this.#held.delete(deviceId);
    this.#sent.delete(deviceId);
  }

  #settle(
    deviceId: string,
    waiting: readonly Waiting<Message>[],
    isDone: (command: Waiting<Message>) => boolean,
  ): void {
    const done = waiting.filter(isDone);
    if (done.length === 0) return;
    this.#keep(
      this.#sent,
      deviceId,
      waiting.filter((command) => !done.includes(command)),
    );
    for (const { payload } of done) this.#options.commandResults.onDelivered(deviceId, payload);
  }

  #keep(commands: Map<string, Waiting<Message>[]>, deviceId: string, left: Waiting<Message>[]): void {
    if (left.length === 0) commands.delete(deviceId);
    else commands.set(deviceId, left);
  }
}

function add<Message>(commands: Map<string, Waiting<Message>[]>, command: Waiting<Message>): void {
  const all = [...(commands.get(command.deviceId) ?? []), command];
  const surplus = all.length > MOST_PER_DEVICE ? evictionCandidate(all, ({ from }) => from) : undefined;
  commands.set(
    command.deviceId,
    all.filter((one) => one !== surplus),
  );
}

function proven(command: Pick<TranslatedCommand, "expects">, state: JsonObject): boolean {
  return contains(state, command.expects ?? {});
}

/** Whether `value` has every member of `wanted`, objects compared in depth; null means absence. */
function contains(value: unknown, wanted: JsonObject): boolean {
  if (!isJsonObject(value)) return false;
  return Object.entries(wanted).every(([key, member]) => {
    const own = Object.hasOwn(value, key) ? value[key] : null;
    return isJsonObject(member) ? contains(own, member) : sameJson(own, member);
  });
}
