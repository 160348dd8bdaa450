import type { StoredPacket } from "./stored-packet.ts";
import type { MqttIncomingTable } from "./tables/mqtt-incoming.ts";
import type { WriteBehind } from "./write-behind.ts";

/**
 * Messages of QoS 2 that clients have not released yet. Their identifiers are on disk, so that none is handled twice;
 * their payloads are in memory only.
 */
export class IncomingStore {
  readonly #table: MqttIncomingTable;
  readonly #writes: WriteBehind;
  readonly #held = new Map<string, Map<number, StoredPacket>>();

  constructor({ table, writes }: { readonly table: MqttIncomingTable; readonly writes: WriteBehind }) {
    this.#table = table;
    this.#writes = writes;
  }

  /** Reads what the last run left. */
  load(): void {
    for (const { clientId, messageId } of this.#table.all()) this.#put(clientId, { cmd: "publish", messageId });
  }

  /** Clients that hold something. */
  clients(): Iterable<string> {
    return this.#held.keys();
  }

  get(clientId: string, messageId = 0): StoredPacket | undefined {
    return this.#held.get(clientId)?.get(messageId);
  }

  hold(clientId: string, packet: StoredPacket): void {
    this.#put(clientId, packet);
    this.#mark(clientId, packet.messageId);
  }

  /** Forgets a message; false where it is not held. */
  release(clientId: string, messageId = 0): boolean {
    const held = this.#held.get(clientId);
    if (!held?.delete(messageId)) return false;
    if (held.size === 0) this.#held.delete(clientId);
    this.#mark(clientId, messageId);
    return true;
  }

  /** Forgets everything of a client. */
  clear(clientId: string): void {
    const held = this.#held.get(clientId);
    this.#held.delete(clientId);
    for (const messageId of held?.keys() ?? []) this.#mark(clientId, messageId);
  }

  #put(clientId: string, packet: StoredPacket): void {
    const held = this.#held.get(clientId) ?? new Map<number, StoredPacket>();
    this.#held.set(clientId, held);
    held.set(packet.messageId ?? 0, {
      cmd: packet.cmd ?? "publish",
      topic: packet.topic ?? "",
      payload: packet.payload ?? Buffer.alloc(0),
      qos: packet.qos ?? 2,
      retain: packet.retain ?? false,
      dup: packet.dup ?? false,
      messageId: packet.messageId,
    });
  }

  #mark(clientId: string, messageId = 0): void {
    const row = { clientId, messageId };
    this.#writes.mark(`incoming ${clientId}\n${messageId}`, () => {
      if (this.get(clientId, messageId) !== undefined) this.#table.put(row);
      else this.#table.remove(row);
    });
  }
}
