import type { Logger } from "../../kernel/logger.js";
import { Problem } from "../../kernel/problem.js";
import type { Database } from "../../storage/database.js";
import type { MatterTables } from "../../storage/tables/matter.js";
import type { EndpointAction } from "./calls.js";
import type { MatterPin } from "./pin.js";
import type { BridgePorts } from "./ports.js";
import { partNow, type ShownEndpoint, showables } from "./shown.js";

/** What {@link BridgeOrders} works with. */
export interface BridgeOrdersOptions {
  readonly database: Database;
  readonly tables: MatterTables;
  readonly pin: MatterPin;
  readonly ports: BridgePorts;
  readonly logger: Logger;
}

/**
 * What becomes of an order from a home that has joined: whether it may, and which command or scene it is. What an
 * endpoint was when Matter was told of it does not count.
 */
export class BridgeOrders {
  readonly #options: BridgeOrdersOptions;

  constructor(options: BridgeOrdersOptions) {
    this.#options = options;
  }

  /** Carries an order out. @throws Problem `forbidden`, `rate_limited`, `device_not_found` or as the command */
  async carryOut(siteId: number, shown: ShownEndpoint, fabricIndex: number, action: EndpointAction): Promise<void> {
    const { tables, ports } = this.#options;
    const fabric = tables.fabrics().find((row) => row.fabricIndex === fabricIndex && row.leftAt === null);
    if (fabric === undefined) throw new Problem("forbidden", "This home has not joined.");
    const actor = `matter:${fabric.id}`;
    if (shown.sceneId !== null) {
      if ("on" in action && action.on) await this.#runScene(siteId, shown.sceneId, actor);
      return;
    }
    const { deviceId, part } = shown;
    const device = ports.devices(siteId).find(({ id }) => id === deviceId);
    const now = device === undefined || part === null ? null : partNow(siteId, device, part, tables);
    if (device === undefined || now === null)
      throw new Problem("device_not_found", "There is no such device any more.");
    if ("locked" in action && !action.locked) this.#admit(siteId, actor, device.name, action.pin);
    const command = now.command(action, device.state);
    if (command === null) throw new Problem("unsupported_command", "The device cannot do that.");
    await ports.send({ siteId, deviceId: device.id, command: JSON.stringify(command), actor });
  }

  /** A scene is looked at as it is now: it may have learned to open the gate since it was shown. */
  async #runScene(siteId: number, sceneId: number, actor: string): Promise<void> {
    const { tables, ports } = this.#options;
    const one = showables(siteId, ports, tables).find(({ subject }) => subject === `scene:${sceneId}`);
    if (one?.shown !== true) throw new Problem("forbidden", "This scene is not for Matter.");
    await ports.activate(siteId, sceneId, actor);
  }

  /** Whether somebody may open. @throws Problem `forbidden`, `rate_limited` */
  #admit(siteId: number, actor: string, name: string, pin: string | null): void {
    const { database, tables, ports, logger } = this.#options;
    const stored = tables.pin(siteId);
    if (stored === null) throw new Problem("forbidden", "Nobody opens by Matter here.");
    if (stored.hash === null) return;
    try {
      this.#options.pin.check(siteId, stored.hash, pin);
    } catch (error) {
      logger.warn({ actor, device: name }, "somebody could not open by Matter: the PIN was wrong or missing");
      // Wrong ones are few, by their pauses; whoever sends none may do so all day.
      const isGuess = error instanceof Problem && error.code === "forbidden" && pin !== null && pin !== "";
      if (isGuess)
        database
          .write(() => ports.audit({ siteId, actor, action: "matter.pin_refused", target: name }))
          .catch(() => {}); // the log has it
      throw error;
    }
  }
}
