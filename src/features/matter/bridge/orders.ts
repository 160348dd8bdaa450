import type { Clock } from "../../../core/kernel/clock.ts";
import type { Logger } from "../../../core/kernel/logger.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { TokenBuckets } from "../../../core/kernel/token-bucket.ts";
import type { Database } from "../../../core/storage/database.ts";
import { isGuarded } from "../../devices/rules/device-types.ts";
import type { MatterTables } from "../tables/matter.ts";
import type { EndpointAction } from "./calls.ts";
import type { MatterPin } from "./pin.ts";
import type { BridgePorts } from "./ports.ts";
import { partNow, type ShownEndpoint, showables } from "./shown.ts";

/** Orders of one home: all lamps of a large house at once, and then as fast as anybody presses. */
const ORDERS = { quota: 10, periodMs: 1_000, burst: 300 };
/** Scenes of one home: each run writes what it did. */
const SCENES = { quota: 1, periodMs: 2_000, burst: 10 };
/** Log lines about one refused home: a home that sends no PIN may do so all day. */
const WARNINGS = { quota: 1, periodMs: 60_000, burst: 5 };

/**
 * Decides about an order from a home that has joined: whether it is allowed, and which command or scene it means.
 * Decides by the endpoint as it is now, not as it was last reported to Matter.
 */
export class BridgeOrders {
  readonly #options: ConstructorParameters<typeof BridgeOrders>[0];
  readonly #orders = new TokenBuckets(ORDERS, 300);
  readonly #scenes = new TokenBuckets(SCENES, 300);
  readonly #warnings = new TokenBuckets(WARNINGS, 300);

  constructor(options: {
    readonly database: Database;
    readonly tables: MatterTables;
    readonly pin: MatterPin;
    readonly ports: BridgePorts;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** Carries an order out. @throws Problem `forbidden`, `rate_limited`, `device_not_found`, or those of the command */
  async carryOut(siteId: number, shown: ShownEndpoint, fabricIndex: number, action: EndpointAction): Promise<void> {
    const { tables, ports, clock } = this.#options;
    const fabric = tables.fabrics().find((row) => row.fabricIndex === fabricIndex && row.leftAt === null);
    if (fabric === undefined || !tables.stands(fabric.id, clock.certain()))
      throw new Problem("forbidden", { code: "forbidden.matterHome" });
    const actor = `matter:${fabric.id}`;
    this.#pace(this.#orders, actor, fabric.name);
    if (shown.sceneId !== null) {
      if ("on" in action && action.on) {
        this.#pace(this.#scenes, actor, fabric.name);
        await this.#runScene(siteId, shown.sceneId, actor);
      }
      return;
    }
    const { deviceId, part } = shown;
    const device = ports.devices(siteId).find(({ id }) => id === deviceId);
    const now = device === undefined || part === null ? null : partNow(siteId, device, part, tables);
    if (device === undefined || now === null)
      throw new Problem("device_not_found", "There is no such device any more.");
    if ("locked" in action && !action.locked) this.#admit(siteId, actor, device.name, action.pin);
    const command = now.command(action, device.state);
    if (command === null) throw new Problem("unsupported_command", { code: "refusal.matter.cannot" });
    // an owner with a fresh proof has shown what guards the house; all else opens nothing without the PIN
    const isAdmitted = "locked" in action ? !action.locked : isGuarded(device);
    await ports.send({ siteId, deviceId: device.id, command: JSON.stringify(command), actor, isAdmitted });
  }

  /** Limits a home's rate of orders. @throws Problem `rate_limited` */
  #pace(buckets: TokenBuckets, actor: string, home: string): void {
    if (buckets.take(actor, this.#options.clock.mono()).allowed) return;
    this.#warn(actor, "a home that has joined by Matter orders too much; some of it is refused", { home });
    throw new Problem("rate_limited", "Too many orders; wait a moment.");
  }

  #warn(actor: string, text: string, more: object): void {
    if (this.#warnings.take(actor, this.#options.clock.mono()).allowed)
      this.#options.logger.warn({ actor, ...more }, text);
  }

  /** Judges the present scene: since it was shown, it may have been edited to open the gate. */
  async #runScene(siteId: number, sceneId: number, actor: string): Promise<void> {
    const { tables, ports } = this.#options;
    const one = showables(siteId, ports, tables).find(({ subject }) => subject === `scene:${sceneId}`);
    if (one?.shown !== true) throw new Problem("forbidden", { code: "forbidden.matterScene" });
    await ports.scenes.activate(siteId, sceneId, actor);
  }

  /** Checks the right to open. @throws Problem `forbidden`, `rate_limited` */
  #admit(siteId: number, actor: string, name: string, pin: string | null): void {
    const { database, tables, ports } = this.#options;
    const stored = tables.pin(siteId);
    if (stored === null) throw new Problem("forbidden", { code: "forbidden.matterOpens" });
    if (stored.hash === null) return;
    try {
      this.#options.pin.check(siteId, stored.hash, pin, actor);
    } catch (error) {
      this.#warn(actor, "somebody could not open by Matter: the PIN was wrong or missing", { device: name });
      // Wrong PINs are few, thanks to the pauses; a home that sends none may do so all day.
      const isGuess = error instanceof Problem && error.code === "forbidden" && pin !== null && pin !== "";
      if (isGuess)
        database
          .write(() => ports.audit({ siteId, actor, action: "matter.pin_refused", target: name }))
          .catch(() => {}); // it is in the log
      throw error;
    }
  }
}
