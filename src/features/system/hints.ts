import type { Caller } from "../../core/api/caller.ts";
import type { Base } from "../../core/base.ts";
import type { Database } from "../../core/storage/database.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { BackupsFeature } from "../backups/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import { BARRIER_TYPES } from "../devices/rules/device-types.ts";
import type { NotificationsFeature } from "../notifications/feature.ts";
import { type HINTS, NEXT_STEPS } from "./api/console-hints.ts";
import { HiddenHintTable } from "./tables/hidden-hint.ts";

type NextStep = (typeof NEXT_STEPS)[number];

/** The features that know what is done already. */
interface Siblings {
  readonly access: AccessFeature;
  readonly devices: DevicesFeature;
  readonly notifications: NotificationsFeature;
  readonly backups: BackupsFeature;
}

/** What the console suggests to a person, until it is done or the person has put it away. */
export class Hints {
  readonly #database: Database;
  readonly #siblings: Siblings;
  readonly #hidden: HiddenHintTable;

  constructor({ database }: Base, siblings: Siblings) {
    this.#database = database;
    this.#siblings = siblings;
    this.#hidden = new HiddenHintTable(database);
  }

  /** What is left to suggest: nothing but to owners. */
  of({ role, accountId, householdId, siteId }: Caller) {
    const isShown = (hint: (typeof HINTS)[number]): boolean =>
      role === "owner" && this.#hidden.has(accountId, hint) === 0;
    const next = isShown("next") ? this.#next(accountId, householdId, siteId) : [];
    return { setUp: isShown("setUp"), next: next.every(({ done }) => done) ? null : next };
  }

  /** Puts a suggestion away for a person. */
  async hide(accountId: number, hint: (typeof HINTS)[number]): Promise<void> {
    await this.#database.write(() => this.#hidden.put(accountId, hint));
  }

  #next(accountId: number, householdId: number, siteId: number) {
    const { access, devices, notifications, backups } = this.#siblings;
    const isDone: Record<NextStep, () => boolean> = {
      person: () =>
        access.accounts.ofHousehold(householdId).length > 1 || access.persons.invitations(householdId).length > 0,
      messages: () =>
        notifications.notifications.subscriptions(accountId).length > 0 ||
        notifications.notifications.preferences(accountId).ntfyTopic !== null,
      passphrase: () => backups.backups.hasPassphrase,
      devices: () => devices.registry.list(siteId).some(({ type }) => type !== "camera" && !BARRIER_TYPES.has(type)),
      place: () => access.accounts.site(siteId).latitude !== null,
    };
    return NEXT_STEPS.map((step) => ({ step, done: isDone[step]() }));
  }
}
