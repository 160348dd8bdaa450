/**
 * Ends the access of persons when its end comes: their sessions and apps, and what they issued, as when a person is
 * removed. The person stays, with their password and passkeys, so that an owner can give another end; nothing that ended
 * comes back with it. Until a row says so, `Accounts.hasEnded` refuses them by the clock.
 */
import { type Clock, isoTime, MINUTE_MS, type Timer } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Accounts } from "./accounts.ts";
import type { Audit } from "./audit.ts";
import type { Grants } from "./grants.ts";
import type { Keys } from "./keys.ts";
import type { Proofs } from "./proof.ts";
import type { RightsWatch } from "./rights-watch.ts";
import type { Sessions } from "./sessions.ts";

const HUB = { accountId: null, actor: "hub" } as const;

/** The ends of all persons. */
export class PersonEnds implements Service {
  readonly name = "person-ends";
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #accounts: Accounts;
  readonly #sessions: Pick<Sessions, "endOthers">;
  readonly #proofs: Pick<Proofs, "forget">;
  readonly #grants: Pick<Grants, "settle">;
  readonly #keys: Pick<Keys, "endOf">;
  readonly #audit: Audit;
  readonly #watch: RightsWatch;
  #timer: Timer | null = null;
  #unwatch: (() => void) | null = null;
  #isRunning = false;

  constructor(parts: {
    readonly database: Database;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly accounts: Accounts;
    readonly sessions: Pick<Sessions, "endOthers">;
    readonly proofs: Pick<Proofs, "forget">;
    readonly grants: Pick<Grants, "settle">;
    readonly keys: Pick<Keys, "endOf">;
    readonly audit: Audit;
    readonly watch: RightsWatch;
  }) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
    this.#accounts = parts.accounts;
    this.#sessions = parts.sessions;
    this.#proofs = parts.proofs;
    this.#grants = parts.grants;
    this.#keys = parts.keys;
    this.#audit = parts.audit;
    this.#watch = parts.watch;
  }

  /** Ends those whose end came while the hub was off, then waits for the next. Call once every kind of grant can be ended. */
  async start(): Promise<void> {
    await this.#endDue();
    this.#unwatch = this.#watch.onChange(() => this.#arm());
    this.#isRunning = true;
    this.#arm();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#unwatch?.();
    this.#timer?.stop();
  }

  /** Waits for the next end; one that has come and could not be written is tried again every minute. */
  #arm(): void {
    this.#timer?.stop();
    this.#timer = null;
    const next = this.#isRunning ? this.#accounts.nextEnd() : null;
    if (next === null) return;
    const isLate = next <= this.#clock.now();
    this.#timer = isLate
      ? this.#clock.after(MINUTE_MS, () => this.#come())
      : this.#clock.atWall(next, () => this.#come());
  }

  #come(): void {
    const isDue = this.#accounts.due().length > 0;
    if (isDue) {
      this.#watch.changed(); // open streams end now, whether or not the storage takes the rows
      void this.#endDue().finally(() => this.#arm());
    } else this.#arm();
  }

  async #endDue(): Promise<void> {
    if (this.#accounts.due().length === 0 || this.#database.state !== "ok") return;
    try {
      await this.#database.write(() => {
        for (const { id } of this.#accounts.due()) this.#end(id);
      });
    } catch (error) {
      this.#logger.warn(
        { err: error },
        "the end of a person's access could not be stored; they are refused all the same",
      );
    }
  }

  /** Inside the job. */
  #end(id: number): void {
    const row = this.#accounts.find(id);
    if (row === null || row.endsAt === null || row.endedAt !== null) return; // ended with another of this job
    this.#accounts.putEnded(id);
    this.#grants.settle(id, {}, HUB, "ended");
    this.#keys.endOf(id, HUB);
    this.#sessions.endOthers(id, 0);
    this.#proofs.forget(id);
    const detail = { id, until: isoTime(row.endsAt) };
    this.#audit.record({ ...HUB, action: "person.ended", target: row.name, detail, at: this.#clock.now() });
  }
}
