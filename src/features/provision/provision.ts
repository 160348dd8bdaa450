/**
 * Applies a set-up document to a hub, whether it runs (over the control socket) or not (on its database): the one
 * function that both ways share. The whole document is one write job: all of it is stored, or nothing, even if the
 * power fails. Settings are in a file of their own: they are noted in the same job, and written after it, at the latest
 * by the next start. In: a checked document and the hub's parts. Out: the document with what was created.
 */

import type { Env } from "../../core/api/caller.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { checkPasswordLength } from "../access/password-policy.ts";
import { CLI_ACTOR } from "../access/ports.ts";
import { applyParts, type Household } from "./parts.ts";
import { invalidAt, placed, placedLater } from "./places.ts";
import type { ProvisionDocument, ProvisionHow } from "./resources/provision.ts";
import type { Change, ProvisionServices } from "./services.ts";

/** Values computed before the job: hashing a password inside it takes too long. */
interface Owner {
  readonly passwordHash: string | null;
  /** A known owner whose password is to become the document's. */
  readonly resets: boolean;
}

/** Ends the job of a dry run, so that nothing of it is kept. */
class DryRunEnds extends Error {
  readonly outcome: Record<string, unknown>;

  constructor(outcome: Record<string, unknown>) {
    super("dry run");
    this.outcome = outcome;
  }
}

/**
 * Applies the parts in an order in which later ones may name earlier ones.
 * @throws Problem with the member's path in `details`; nothing has been changed then
 */
export async function provision(
  document: ProvisionDocument,
  services: ProvisionServices,
  how: ProvisionHow,
): Promise<{ readonly result: object; readonly earlier: readonly object[] }> {
  const { database, access, unprinted } = services;
  const owner = await lookAtOwner(document.account, services, how);
  const settings = checkSettings(document.settings, services);
  const joining = await lookAtEstate(document.estate, services, how);
  const earlier = how.dryRun ? [] : unprinted.read();
  try {
    const { result, waits } = await database.write(() => {
      const outcome = services.devices.foundWhile(() => applyAll(document, { services, owner, settings, joining }));
      if (how.dryRun) throw new DryRunEnds(withoutSecrets(outcome));
      if (outcome.changed) unprinted.add(outcome);
      if (Object.keys(settings).length > 0) unprinted.noteSettings(settings);
      return { result: outcome, waits: Object.keys(settings).length > 0 };
    });
    await joining?.take();
    return { result: waits ? { ...result, settings: await writeSettings(services) } : result, earlier };
  } catch (error) {
    access.accounts.forgetSites();
    if (error instanceof DryRunEnds) return { result: error.outcome, earlier };
    throw error;
  }
}

/**
 * Writes the settings that a document has left, if any; returns which of them wait for a restart. Called after each
 * document and at each start.
 */
export async function writeSettings({
  database,
  settings,
  unprinted,
}: Pick<ProvisionServices, "database" | "settings" | "unprinted">): Promise<{
  changed: readonly string[];
  restartFor: readonly string[];
}> {
  const left = unprinted.settings();
  const names = Object.keys(left);
  if (names.length === 0) return { changed: [], restartFor: [] };
  const restartFor = await settings.change(left);
  await database.write(() => unprinted.noteSettings(null));
  return { changed: names, restartFor };
}

interface Work {
  readonly services: ProvisionServices;
  readonly owner: Owner;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly joining: Joining | null;
}

/** Inside the job. */
function applyAll(
  document: ProvisionDocument,
  { services, owner, settings, joining }: Work,
): Record<string, unknown> & { changed: boolean } {
  const { access, clock, backups } = services;
  const account = applyAccount(document.account, owner, services);
  const household: Household = {
    accountId: account.id,
    siteId: access.accounts.siteIdOf(account.id, "live"),
    siteIdOf: (env: Env) => access.accounts.siteIdOf(account.id, env),
  };
  const parts: Record<string, unknown> = {
    ...(document.account === undefined ? {} : { account: account.shown }),
    ...applyParts(document, household, services),
  };
  if (document.backups?.passphrase !== undefined) {
    const { passphrase } = document.backups;
    const isOther = placed("/backups/passphrase", () => backups.putPassphrase(passphrase ?? null));
    parts.backups = { encrypted: passphrase !== null, change: isOther ? "changed" : "none" };
  }
  if (document.settings !== undefined) parts.settings = { changed: Object.keys(settings), restartFor: [] };
  if (joining !== null) parts.estate = joining.shown;
  const counts = countChanges(parts);
  const changed = counts.made + counts.changed > 0 || Object.keys(settings).length > 0;
  if (changed)
    access.audit.record({
      accountId: account.id,
      actor: CLI_ACTOR.actor,
      action: "hub.provisioned",
      target: Object.keys(document).join(", "),
      at: clock.now(),
    });
  return { changed, counts, ...parts };
}

/** @throws Problem if the document's account cannot be this hub's */
async function lookAtOwner(
  given: ProvisionDocument["account"],
  { access }: ProvisionServices,
  how: ProvisionHow,
): Promise<Owner> {
  const { accounts, passwords } = access;
  const owner = accounts.owner();
  if (given === undefined) {
    if (owner === null)
      throw new Problem(
        "conflict",
        "Nobody owns this hub yet: the document needs an account.",
        detail("/account", "required"),
      );
    return { passwordHash: null, resets: false };
  }
  if (owner !== null && owner.email.toLowerCase() !== given.email.trim().toLowerCase())
    throw new Problem(
      "conflict",
      `/account/email: this hub belongs to ${owner.email}.`,
      detail("/account/email", "conflict"),
    );
  if (owner === null && given.password === undefined)
    throw new Problem(
      "weak_password",
      "/account/password: a new account needs a password.",
      detail("/account/password", "required"),
    );
  if (given.password === undefined) return { passwordHash: null, resets: false };
  const { password } = given;
  placed("/account/password", () => checkPasswordLength(password, false));
  if (owner !== null && !how.resetOwnerPassword) return { passwordHash: null, resets: false };
  if (owner !== null && (await passwords.verify(password, owner.passwordHash)).ok)
    return { passwordHash: null, resets: false };
  return { passwordHash: await passwords.hash(password), resets: owner !== null };
}

/** A document's estate section: what is reported, and what remains to be done once the rest is stored. */
interface Joining {
  readonly shown: object;
  readonly take: () => Promise<void>;
}

/** @throws Problem if the code is not one, or the inviting hub does not accept it */
async function lookAtEstate(
  given: ProvisionDocument["estate"],
  { estate }: ProvisionServices,
  { dryRun }: ProvisionHow,
): Promise<Joining | null> {
  if (given === undefined) return null;
  const nothing = async (): Promise<void> => {};
  const present = estate.present();
  if (!(await estate.isCode(given.code)))
    throw invalidAt("/estate/code", "is no code of 'gatehouse estate invite' (gatehouse-estate:…)");
  if (present !== null) return { shown: { ...present, change: "none" }, take: nothing };
  // asking uses the code up
  if (dryRun) return { shown: { change: "made" }, take: nothing };
  const { membership, take } = await placedLater("/estate/code", () => estate.ask(given.code));
  return { shown: { ...membership, change: "made" }, take };
}

function detail(field: string, code: string): { details: { field: string; code: string; message: string }[] } {
  return { details: [{ field, code, message: code === "required" ? "is required" : "belongs to somebody else" }] };
}

function applyAccount(
  given: ProvisionDocument["account"],
  how: Owner,
  { access }: ProvisionServices,
): { id: number; shown: object } {
  const { accounts, signIn } = access;
  const owner = accounts.owner();
  if (given === undefined || owner !== null) {
    if (owner === null) throw new Problem("conflict", "Nobody owns this hub any more.");
    if (how.passwordHash !== null && !how.resets)
      throw new Problem("conflict", "Somebody has claimed this hub meanwhile.");
    const isRenamed = given?.name !== undefined && given.name !== owner.name;
    if (isRenamed) accounts.update(owner.id, { name: given.name }, CLI_ACTOR);
    if (how.resets && how.passwordHash !== null) signIn.resetTo(owner.id, how.passwordHash, CLI_ACTOR);
    const change: Change = isRenamed || how.resets ? "changed" : "none";
    return {
      id: owner.id,
      shown: { id: owner.id, email: owner.email, name: given?.name ?? owner.name, change, passwordReset: how.resets },
    };
  }
  if (how.passwordHash === null) throw new Problem("conflict", "Nobody owns this hub any more.");
  const made = accounts.create(
    { email: given.email, name: given.name ?? given.email, passwordHash: how.passwordHash },
    CLI_ACTOR,
  );
  return {
    id: made.id,
    shown: { id: made.id, email: made.email, name: made.name, change: "made", password: given.password },
  };
}

/** The document's settings that differ from the saved ones. @throws Problem with the setting's path */
function checkSettings(
  given: ProvisionDocument["settings"],
  { settings }: ProvisionServices,
): Readonly<Record<string, unknown>> {
  return given === undefined ? {} : settings.check(given);
}

function countChanges(parts: Readonly<Record<string, unknown>>): Record<Change, number> {
  const counts = { made: 0, changed: 0, none: 0 };
  for (const entry of Object.values(parts).flat()) {
    const { change } = entry as { change?: Change }; // every entry was made here
    if (change !== undefined) counts[change] += 1;
  }
  return counts;
}

const SECRETS = new Set(["secret", "password"]);

/** The result of a dry run without secrets. */
function withoutSecrets(outcome: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(outcome, (name, value: unknown) => (SECRETS.has(name) ? null : value))) as Record<
    string,
    unknown
  >; // an object stays one
}
