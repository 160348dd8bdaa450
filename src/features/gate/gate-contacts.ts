import type { Base } from "../../core/base.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import { isBarrier } from "../devices/rules/device-types.ts";
import type { GateTables } from "./tables.ts";

interface Siblings {
  readonly tables: GateTables;
  readonly registry: DeviceRegistry;
  readonly access: AccessFeature;
}

/** Which contact sensor says whether a gate or lock is open, if it does not say so itself, or wrongly. */
export class GateContacts {
  readonly #base: Base;
  readonly #siblings: Siblings;
  /** Contact by gate; every change of a state asks. */
  #known: ReadonlyMap<string, string> = new Map();

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /** The device whose state tells whether a gate is open: its contact sensor, or the gate itself. */
  teller(gateId: string): string {
    const contact = this.#known.get(gateId);
    return contact !== undefined && this.#siblings.registry.find(contact) !== null ? contact : gateId;
  }

  /** The gates for which a device says whether they are open. */
  toldBy(deviceId: string): string[] {
    const others = [...this.#known].flatMap(([gate, contact]) => (contact === deviceId ? [gate] : []));
    return this.teller(deviceId) === deviceId ? [deviceId, ...others] : others;
  }

  /** The contact sensor of a gate; null where it has none. @throws Problem `device_not_found` */
  of(siteId: number, gateId: string): string | null {
    this.#barrier(siteId, gateId);
    const teller = this.teller(gateId);
    return teller === gateId ? null : teller;
  }

  /**
   * Names the contact sensor of a gate; null: none.
   * @throws Problem `device_not_found`, `unknown_device`, `conflict` for what is no gate or lock, or its own sensor
   */
  async set(siteId: number, gateId: string, contactId: string | null, actor: string): Promise<void> {
    const { database } = this.#base;
    await database.write(() => {
      const { name } = this.#barrier(siteId, gateId);
      if (contactId === gateId) throw new Problem("conflict", { code: "conflict.contactItself" });
      if (contactId !== null && this.#siblings.registry.find(contactId)?.siteId !== siteId)
        throw new Problem("unknown_device", { code: "refusal.noDevice", id: contactId });
      this.#siblings.tables.contacts.set(gateId, contactId);
      this.#siblings.access.recordAudit({
        siteId,
        actor,
        action: "gate.contact",
        target: name,
        detail: { deviceId: gateId, contactId },
        at: this.#base.clock.now(),
      });
      database.committed(() => this.load());
    });
  }

  /** Reads them: at the start, and after a change or the removal of a device. */
  load(): void {
    this.#known = new Map(this.#siblings.tables.contacts.all().map(({ gateId, contactId }) => [gateId, contactId]));
    this.#siblings.registry.setContacts(this.#known);
  }

  #barrier(siteId: number, gateId: string): { readonly name: string } {
    const gate = this.#siblings.registry.find(gateId);
    if (gate?.siteId !== siteId) throw new Problem("device_not_found", `There is no device ${gateId}.`);
    if (!isBarrier(gate)) throw new Problem("conflict", { code: "conflict.contactOf" });
    return gate;
  }
}
