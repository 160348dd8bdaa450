/** Messages published by the hub itself: commands to devices, messages of the bridge to its clients. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Aedes, PublishPacket } from "aedes";
import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import type { NativeTopics } from "./authorise.ts";
import { bridgeSubject } from "./bridge-access-policy.ts";
import type { BridgeAuthorizer } from "./bridge-authorizer.ts";
import type { Command, CommandDelivery } from "./command-delivery.ts";
import type { MessageTap } from "./message-tap.ts";
import type { Persistence } from "./persistence.ts";
import type { Router } from "./router.ts";
import { belongingTo, passing } from "./stored-packet.ts";

/** Publishes for the hub, while the broker runs. */
export class OwnMessages {
  readonly #parts: ConstructorParameters<typeof OwnMessages>[0];

  constructor(parts: {
    /** Publishes to the subscribers that are there, and into the queues of those that are away. */
    readonly aedes: Aedes;
    readonly topics: NativeTopics;
    readonly bridge: BridgeAuthorizer;
    readonly commands: CommandDelivery;
    /** The live subscriptions. */
    readonly router: Router;
    readonly persistence: Persistence;
    readonly tap: Pick<MessageTap, "note">;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#parts = parts;
  }

  /** See `Broker.publishCommand`. */
  async command(command: Command): Promise<"sent" | "queued"> {
    const { topics, router, persistence, commands } = this.#parts;
    const topic = topics.command(command.deviceId);
    const isLive = router.has(topic);
    if (!isLive && !persistence.hasSubscriber(topic)) {
      commands.hold(command);
      return "queued";
    }
    await this.#send(command);
    // Aedes writes at the end of this turn: the device comes before the requester
    await (isLive ? nextTurn() : persistence.settle());
    return isLive ? "sent" : "queued";
  }

  /** Sends the commands that were held for a device, which can have them now. */
  held(deviceId: string): void {
    const { commands, logger } = this.#parts;
    for (const command of commands.take(deviceId))
      this.#send(command).catch((error: unknown) => logger.error({ err: error, deviceId }, "a held command was lost"));
  }

  /** See `Broker.publishBridged`. */
  bridged(
    { topic, payload, qos = 1 }: { readonly topic: string; readonly payload: string; readonly qos?: 0 | 1 },
    ttlMs: number,
    username: string | null,
  ): void {
    const { bridge, aedes, tap, clock, logger } = this.#parts;
    if (!bridge.publishable(topic)) return;
    const about = {
      messageExpiry: clock.mono() + ttlMs,
      ...(username === null ? {} : belongingTo(bridgeSubject(username))),
    };
    const packet = { cmd: "publish", topic, payload: Buffer.from(payload), qos, retain: false, dup: false, ...about };
    tap.note(passing(packet), "hub");
    aedes.publish(
      packet as PublishPacket,
      (error) => error && logger.error({ err: error, topic }, "a message was not published"),
    ); // messageExpiry is carried along by aedes-packet
  }

  #send({ deviceId, payload, from, deadlineMono }: Command): Promise<void> {
    const { topics, aedes, tap } = this.#parts;
    const packet = {
      cmd: "publish",
      topic: topics.command(deviceId),
      payload: Buffer.from(payload),
      qos: 1,
      retain: false,
      dup: false,
    } as const;
    tap.note(packet, "hub");
    return new Promise((resolve, reject) => {
      aedes.publish({ ...packet, clientId: from, messageExpiry: deadlineMono } as PublishPacket, (error) =>
        error ? reject(error) : resolve(),
      ); // both are carried along by aedes-packet
    });
  }
}
