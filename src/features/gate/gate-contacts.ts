import { Problem } from "../../core/kernel/problem.ts";
import type { Database } from "../../core/storage/database.ts";
import type { RecordAudit } from "../access/household-audit.ts";
import { BARRIER_TYPES } from "../devices/rules/device-types.ts";
import type { FindDevice } from "./ports.ts";
import type { GateContactTable } from "./tables/gate-contact.ts";

/**
 * Which contact sensor says of a gate or lock whether it is open, where the gate itself does not say, or not the truth.
 */
export class GateContacts {
  readonly #options: ConstructorParameters<typeof GateContacts>[0];
  /** Contact by gate; every change of a state asks. Null: to be read. */
  #known: ReadonlyMap<string, string> | null = null;

  constructor(options: {
    readonly database: Database;
    readonly table: GateContactTable;
    readonly device: FindDevice;
    readonly recordAudit: RecordAudit;
    readonly now: () => number;
  }) {
    this.#options = options;
  }

  /** The device whose state tells whether a gate is open: its contact sensor, or the gate itself. */
  teller(gateId: string): string {
    const contact = this.#all().get(gateId);
    return contact !== undefined && this.#options.device(contact) !== null ? contact : gateId;
  }

  /** The gates whose standing a device tells. */
  toldBy(deviceId: string): string[] {
    const others = [...this.#all()].flatMap(([gate, contact]) => (contact === deviceId ? [gate] : []));
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
    const { database, table, device, recordAudit, now } = this.#options;
    await database.write(() => {
      const { name } = this.#barrier(siteId, gateId);
      if (contactId === gateId) throw new Problem("conflict", { code: "conflict.contactItself" });
      if (contactId !== null && device(contactId)?.siteId !== siteId)
        throw new Problem("unknown_device", { code: "refusal.noDevice", id: contactId });
      table.set(gateId, contactId);
      recordAudit({
        siteId,
        actor,
        action: "gate.contact",
        target: name,
        detail: { deviceId: gateId, contactId },
        at: now(),
      });
      database.committed(() => {
        this.#known = null;
      });
    });
  }

  /** Reads them again at the next question: a device was removed. */
  forget(): void {
    this.#known = null;
  }

  #all(): ReadonlyMap<string, string> {
    this.#known ??= new Map(this.#options.table.all().map(({ gateId, contactId }) => [gateId, contactId]));
    return this.#known;
  }

  #barrier(siteId: number, gateId: string): { readonly name: string } {
    const gate = this.#options.device(gateId);
    if (gate?.siteId !== siteId) throw new Problem("device_not_found", `There is no device ${gateId}.`);
    if (!BARRIER_TYPES.has(gate.type)) throw new Problem("conflict", { code: "conflict.contactOf" });
    return gate;
  }
}
