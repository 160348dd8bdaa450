import { payloadBytes, type StoredPacket } from "./stored-packet.ts";
import type { MqttWillTable } from "./tables/mqtt-will.ts";
import type { WriteBehind } from "./write-behind.ts";

/** The wills of clients, kept over a restart. One that did not change is not written. */
export class WillStore {
  readonly #table: MqttWillTable;
  readonly #writes: WriteBehind;
  readonly #wills = new Map<string, StoredPacket>();
  /** As they are on disk, to the bytes. */
  readonly #written = new Map<string, string>();
  #isFrozen = false;

  constructor({ table, writes }: { readonly table: MqttWillTable; readonly writes: WriteBehind }) {
    this.#table = table;
    this.#writes = writes;
  }

  /** Reads what the last run left. */
  load(): void {
    for (const row of this.#table.all()) {
      const { clientId, topic, payload, qos } = row;
      const will = { topic, payload, qos, retain: row.retain === 1, clientId, brokerId: "earlier" };
      this.#wills.set(clientId, will);
      this.#written.set(clientId, fingerprint(will));
    }
  }

  get size(): number {
    return this.#wills.size;
  }

  /** Clients with a will. */
  clients(): Iterable<string> {
    return this.#wills.keys();
  }

  all(): StoredPacket[] {
    return [...this.#wills.values()];
  }

  get(clientId: string): StoredPacket | undefined {
    return this.#wills.get(clientId);
  }

  put(clientId: string, will: StoredPacket): void {
    this.#wills.set(clientId, { ...will }); // a copy: the broker changes the packet when it publishes it
    this.#mark(clientId);
  }

  /** Forgets a will and answers it; while wills are frozen it stays. */
  remove(clientId: string): StoredPacket | undefined {
    const will = this.#wills.get(clientId);
    if (will === undefined || this.#isFrozen) return will;
    this.#wills.delete(clientId);
    this.#mark(clientId);
    return will;
  }

  /** From now on wills stay. */
  freeze(): void {
    this.#isFrozen = true;
  }

  #mark(clientId: string): void {
    this.#writes.mark(`will ${clientId}`, () => {
      const will = this.#wills.get(clientId);
      const print = will === undefined ? undefined : fingerprint(will);
      if (print === this.#written.get(clientId)) return;
      if (will === undefined || print === undefined) {
        this.#written.delete(clientId);
        return this.#table.remove(clientId);
      }
      this.#written.set(clientId, print);
      this.#table.put({
        clientId,
        topic: will.topic ?? "",
        payload: payloadBytes(will),
        qos: will.qos ?? 0,
        retain: will.retain ? 1 : 0,
      });
    });
  }
}

function fingerprint(will: StoredPacket): string {
  return JSON.stringify([will.topic, will.qos, will.retain, payloadBytes(will).toString("base64")]);
}
