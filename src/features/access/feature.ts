import type { Base } from "../../core/base.ts";
import { type Feature, job, type PlacedService } from "../../core/feature.ts";
import { HOUR_MS } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { stageFactoryReset } from "../../core/platform/factory-reset.ts";
import { ownNames } from "../../core/platform/own-names.ts";
import { isPlainHttpClosed } from "../../core/platform/tls.ts";
import { isTimeZone } from "../../core/settings/load.ts";
import type { SettingsStore } from "../../core/settings/store.ts";
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

/** A household that was just made. */
export interface NewHousehold {
  readonly accountId: number;
  readonly testSiteId: number;
}

/** Lets the response reach the person before the restart. */
const RESTART_AFTER_MS = 500;

/** Who may do what. */
export class AccessFeature extends Access implements Feature {
  /** Writes an act and its audit line in one job. */
  readonly audited: Audited;
  /** Writes one audit line for a caller's action outside a write job. */
  readonly note: AuditNote;
  /** Writes one audit line for a household. */
  readonly recordAudit: RecordAudit;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #issued: IssuedTable;
  readonly #onHousehold: ((made: NewHousehold) => void)[];
  readonly #onSiteEdited: ((siteId: number) => void)[];
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
    const onHousehold: ((made: NewHousehold) => void)[] = [];
    const onSiteEdited: ((siteId: number) => void)[] = [];
    super({
      database,
      clock,
      logger,
      hubKey,
      recordFeedItem: feed.record,
      created: (made) => database.committed(() => onHousehold.forEach((hear) => void hear(made))),
      siteEdited: (siteId) => onSiteEdited.forEach((hear) => void hear(siteId)),
      newSite: { name: settings.site.name, timeZone: settings.site.timeZone },
      sessionIdleDays: settings.access.sessionIdleDays,
      sessionMaxDays: settings.access.sessionMaxDays,
      claimFromAnywhere: settings.access.claimFromAnywhere,
      dataFolder,
      hadOwner: () => mark.isSet || database.isFallback,
      givenClaimCode: givenClaimCode(dataFolder),
      ...(passwordCost === undefined ? {} : { passwordCost }),
    });
    this.#base = base;
    this.#onHousehold = onHousehold;
    this.#onSiteEdited = onSiteEdited;
    this.#issued = new IssuedTable(database);
    const parts = { database, audit: this.audit, now: () => clock.now() };
    this.audited = auditedJobs(parts);
    this.note = auditNote(parts);
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
      { service: this.grants, start: "serve", stop: null }, // before anybody is admitted
    ];
    this.onHousehold(() => void mark.set(logger));
  }

  /** Notifies `listener` of each new household once it is stored. */
  onHousehold(listener: (made: NewHousehold) => void): void {
    this.#onHousehold.push(listener);
  }

  /** Notifies `listener` when the name, zone or place of a household was edited. */
  onSiteEdited(listener: (siteId: number) => void): void {
    this.#onSiteEdited.push(listener);
  }

  /** Registers the counter of a household's devices. */
  countsDevices(count: (siteId: number) => number): void {
    this.#deviceCount = count;
  }

  get api() {
    return [
      ...accountRoutes({
        account: (accountId) => this.accounts.get(accountId),
        deviceCount: (siteId) => this.#deviceCount(siteId),
      }),
      ...appPairingRoutes(this.appPairing),
    ];
  }

  get console() {
    const { clock, store, tls, address, dataFolder, logger } = this.#base;
    const now = (): number => clock.now();
    const isPlainClosed = (): boolean => isPlainHttpClosed(store.current, tls);
    const isOwnName = ownNames({ tls, http: store.current.http, networkName: () => address.name });
    const { note } = this;
    return [
      ...sessionRoutes(this, {
        networkName: () => address.name,
        httpsPort: () => address.httpsPort,
        isPlainClosed,
        claimedOverTls: () => closePlainHttp(store, logger),
        isOwnName,
      }),
      ...passkeyRoutes({
        passkeys: this.passkeys,
        proofs: this.proofs,
        signIn: this.signIn,
        sessions: this.sessions,
        isOwnName,
      }),
      ...ownAccountRoutes(this),
      ...personRoutes(this),
      ...siteRoutes({ accounts: this.accounts, isTimeZone }),
      ...keyRoutes({ keys: this.keys, now }),
      ...approvalRoutes({ pairing: this.appPairing, note }),
      ...pairedAppRoutes({ keys: this.keys, now }),
      ...auditRoutes(this.audit),
      ...resetRoutes({
        accounts: this.accounts,
        reset: async () => {
          await stageFactoryReset(dataFolder);
          return this.#restarts();
        },
        restart: () => this.#restarts(),
        note,
      }),
    ];
  }

  /** Pages and files for trusting this hub's certificate. */
  get trust() {
    const { tls, address, store } = this.#base;
    if (tls === null) return [];
    return authorityRoutes(() => ({
      authority: tls.authority,
      httpsPort: address.httpsPort ?? 0,
      httpPort: address.httpPort ?? 0,
      name: address.name,
      offersClear: !this.claim.claimed && !isPlainHttpClosed(store.current, tls),
    }));
  }

  get jobs() {
    const { database } = this.#base;
    return [
      job("purge-sessions", HOUR_MS, () => database.write(() => this.sessions.purge() + this.#issued.forgetGone())),
    ];
  }

  get aged() {
    const { settings, clock } = this.#base;
    return [this.audit.aged({ keepDays: () => settings().access.auditDays, certain: () => clock.certain() })];
  }

  /** Restarts if something starts the hub again; false otherwise. */
  #restarts(): boolean {
    const { restart, clock } = this.#base;
    if (restart !== null) clock.after(RESTART_AFTER_MS, restart);
    return restart !== null;
  }
}

/**
 * The browser that claims over https trusts the hub: plain http is no longer needed. An explicit setting takes
 * precedence.
 */
async function closePlainHttp(store: SettingsStore, logger: Logger): Promise<void> {
  if (store.current.tls.plainHttp !== "auto") return;
  try {
    await store.change({ "tls.plainHttp": "closed" });
  } catch (error) {
    logger.error({ err: error }, "plain http could not be closed after the claim over https");
  }
}
