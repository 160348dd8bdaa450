import { HubError } from "./errors.ts";
import { pause, type Transport } from "./transport.ts";
import type { Command } from "./types.js";

/** How long to wait for an outcome. */
export interface OutcomeOptions {
  /** ms; default 70,000: longer than a command waits for a device that is away. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const FIRST_LOOK_MS = 60;
const LONGEST_GAP_MS = 1_000;
const FINAL = new Set<Command["status"]>(["acknowledged", "failed", "expired"]);

/** A command that the hub has accepted. */
export class CommandHandle {
  readonly #transport: Transport;
  /** `commandId` in the events `command.changed`. */
  readonly id: number;
  readonly deviceId: string;

  constructor(transport: Transport, id: number, deviceId: string) {
    this.#transport = transport;
    this.id = id;
    this.deviceId = deviceId;
  }

  /** Its current status. @throws HubError */
  async state(signal?: AbortSignal): Promise<Command> {
    const { command } = await this.#transport.json<{ command: Command }>("GET", `/v1/commands/${this.id}`, { signal });
    return command;
  }

  /**
   * Waits until it is acknowledged or has failed, and returns that; if time runs out, its status at that moment.
   * @throws HubError
   */
  async outcome({ timeoutMs = 70_000, signal }: OutcomeOptions = {}): Promise<Command> {
    const until = Date.now() + timeoutMs;
    for (let gap = FIRST_LOOK_MS; ; gap = Math.min(gap * 1.5, LONGEST_GAP_MS)) {
      const command = await this.state(signal);
      if (FINAL.has(command.status) || Date.now() + gap > until) return command;
      await pause(gap, signal);
    }
  }
}

/** Sends a command. A late one is worse than none, so it is not retried for long. @throws HubError, HubUnreachable */
export async function sendCommand(
  transport: Transport,
  deviceId: string,
  command: object,
  signal?: AbortSignal,
): Promise<CommandHandle> {
  const path = `/v1/devices/${encodeURIComponent(deviceId)}/commands`;
  const { commandId } = await transport.json<{ commandId?: number }>("POST", path, {
    json: command,
    mostWaitMs: 2_000,
    signal,
  });
  if (commandId !== undefined) return new CommandHandle(transport, commandId, deviceId);
  throw new HubError(
    200,
    { code: "not_a_hub", message: "This hub is too old: it does not name its commands.", requestId: "", details: [] },
    null,
  );
}
