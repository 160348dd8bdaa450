import { Problem } from "../../core/kernel/problem.ts";
import type { BackupTable } from "./tables/backup.ts";

const NAME = "passphrase";
const SHORTEST = 12;

/** The hub's own key. */
interface HubKey {
  readonly seal: (plain: Buffer) => Buffer;
  readonly open: (sealed: Buffer) => Buffer;
}

/** What new backups are encrypted with, kept sealed with the hub's own key. */
export class Passphrase {
  readonly #table: BackupTable;
  readonly #key: HubKey;

  constructor(table: BackupTable, { seal, open }: HubKey) {
    this.#table = table;
    this.#key = { seal, open };
  }

  get isSet(): boolean {
    return this.#table.secret(NAME) !== null;
  }

  get(): string | null {
    const sealed = this.#table.secret(NAME);
    return sealed === null ? null : this.#key.open(sealed).toString();
  }

  /**
   * Inside a job; null: none from now on. Returns whether it differs from the previous one. @throws Problem
   * `weak_password`
   */
  put(passphrase: string | null): boolean {
    if (passphrase !== null && [...passphrase].length < SHORTEST)
      throw new Problem("weak_password", { code: "refusal.passphrase", limit: SHORTEST });
    if (this.isSet && passphrase === this.get()) return false;
    this.#table.setSecret(NAME, passphrase === null ? null : this.#key.seal(Buffer.from(passphrase)));
    return true;
  }
}
