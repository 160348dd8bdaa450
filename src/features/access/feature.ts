import { FactPosition } from "../../core/api/fact-position.ts";
import type { Base } from "../../core/base.ts";
import { type Feature, job, type PlacedService } from "../../core/feature.ts";
import { HOUR_MS } from "../../core/kernel/clock.ts";
import { ownNames } from "../../core/platform/own-names.ts";
import type { FeedFeature } from "../feed/feature.ts";
import { Access } from "./access.ts";
import { givenClaimCode } from "./claim.ts";
import { householdAudit, type RecordAudit } from "./household-audit.ts";
import type { OwnershipMark } from "./ownership-mark.ts";
import type { ScryptCost } from "./password.ts";
import { accountRoutes } from "./routes/account.ts";
import { authorityRoutes } from "./routes/authority.ts";
import { type Audited, type AuditNote, auditedJobs, auditNote, auditRoutes } from "./routes/console-audit.ts";
import { keyRoutes } from "./routes/console-keys.ts";
import { ownAccountRoutes } from "./routes/console-me.ts";
import { passkeyRoutes } from "./routes/console-passkeys.ts";
import { personRoutes } from "./routes/console-persons.ts";
import { resetRoutes } from "./routes/console-reset.ts";
import { sessionRoutes } from "./routes/console-session.ts";
import { siteRoutes } from "./routes/console-site.ts";
import { appPairingRoutes, approvalRoutes, pairedAppRoutes } from "./routes/pairing.ts";
import { IssuedTable } from "./tables/issued.ts";

/** Who may do what. */
export class AccessFeature extends Access implements Feature {
  /** Writes an act and its audit line in one job. */
  readonly audited: Audited;
  /** Writes one audit line for a caller's action outside a write job. */
  readonly note: AuditNote;
  /** Writes one audit line for a household. */
  readonly recordAudit: RecordAudit;
  readonly services: readonly PlacedService[];
  /** How far the households' facts have come, for pages that begin. */
  readonly position: FactPosition;
  readonly #base: Base;
  readonly #issued: IssuedTable;
  readonly #mark: OwnershipMark;
  #deviceCount: (siteId: number) => number = () => 0;

  constructor(
    base: Base,
    {
      feed,
      mark,
      passwordCost,
    }: { readonly feed: FeedFeature; readonly mark: OwnershipMark; readonly passwordCost?: ScryptCost | undefined },
  ) {
    const { database, clock, logger, hubKey, dataFolder } = base;
    const settings = base.settings();
    super({
      database,
      clock,
      logger,
      hubKey,
      recordFeedItem: feed.record,
      newSite: { name: settings.site.name, timeZone: settings.site.timeZone },
      sessionIdleDays: settings.access.sessionIdleDays,
      sessionMaxDays: settings.access.sessionMaxDays,
      claimFromAnywhere: settings.access.claimFromAnywhere,
      dataFolder,
      hadOwner: () => mark.isSet || database.isFallback,
      givenClaimCode: givenClaimCode(dataFolder),
      ...(passwordCost === undefined ? {} : { passwordCost }),
    });
    this.limits.timeKnownBy(base.trust);
    this.position = new FactPosition(base.bus);
    this.#base = base;
    this.#issued = new IssuedTable(database);
    this.#mark = mark;
    this.audited = auditedJobs(base, this.audit);
    this.note = auditNote(base, this.audit);
    this.recordAudit = householdAudit(this);
    /**
     * A database without the owner's account is damaged, however sound its pages are: the next attempt checks
     * everything, then looks for an earlier copy.
     */
    const owner = {
      name: "owner",
      start: async () => {
        if (!database.isFallback && mark.isSet && !this.accounts.claimed)
          throw new Error("the database has lost the owner's account");
      },
      stop: async () => {},
    };
    this.services = [
      { service: owner, start: "first", stop: null },
      { service: this.revocations, start: "first", stop: null }, // before anything is loaded that it ends
      { service: this.keys, start: "load", stop: "storage" },
      { service: this.watch, start: "load", stop: null },
      { service: this.ends, start: "serve", stop: "drain" }, // both before anybody is admitted
      { service: this.grants, start: "serve", stop: null },
    ];
    this.accounts.onCreated(() => void mark.set(logger));
    this.watch.onChange(() => {
      const household = this.accounts.household();
      if (household !== null) base.bus.announce("persons.changed", { siteId: household.id, at: clock.now() });
    });
  }

  /** Once everything runs: reports rights that a restore brought back, and records that the hub has an owner. */
  async settle(): Promise<void> {
    const { database, logger } = this.#base;
    await this.revocations.report();
    if (this.accounts.claimed && !database.isFallback) await this.#mark.set(logger);
  }

  /** Registers the counter of a household's devices. */
  countsDevices(count: (siteId: number) => number): void {
    this.#deviceCount = count;
  }

  get api() {
    return [...accountRoutes(this.accounts, this.#deviceCount), ...appPairingRoutes(this.appPairing)];
  }

  get console() {
    const { clock, store, tls, address } = this.#base;
    const { accounts, keys, appPairing, note } = this;
    const isOwnName = ownNames({ tls, http: store.current.http, address });
    return [
      ...sessionRoutes(this, this.#base, isOwnName),
      ...passkeyRoutes(this, isOwnName),
      ...ownAccountRoutes(this),
      ...personRoutes(this),
      ...siteRoutes(accounts),
      ...keyRoutes(keys, clock),
      ...approvalRoutes(appPairing, note),
      ...pairedAppRoutes(keys, clock),
      ...auditRoutes(this.audit),
      ...resetRoutes(accounts, this.#base, note),
    ];
  }

  /** Pages and files for trusting this hub's certificate. */
  get trust() {
    return authorityRoutes(this.claim, this.#base);
  }

  get jobs() {
    const { database } = this.#base;
    return [
      job("purge-sessions", HOUR_MS, () => database.write(() => this.sessions.purge() + this.#issued.forgetGone())),
    ];
  }

  get aged() {
    const { settings, clock } = this.#base;
    return [this.audit.aged(() => settings().access.auditDays, clock)];
  }
}
