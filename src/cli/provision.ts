/**
 * Applies a set-up document to a hub, whether it runs (over the control socket) or not (on its database): the one function
 * that both ways share. Applying a document twice changes nothing the second time; what it does not name stays.
 * In: a checked document and the hub's parts. Out: the document with what was made.
 */
import type { Access } from "../access/access.js";
import { checkPasswordLength } from "../access/password-policy.js";
import { CLI_ACTOR } from "../access/ports.js";
import type { Env } from "../contract/caller.js";
import type { ProvisionDocument } from "../contract/resources/provision.js";
import { ALL_SCOPES } from "../contract/scopes.js";
import type { DeviceRegistry } from "../devices/registry.js";
import type { Rooms } from "../devices/rooms.js";
import type { CameraEdit, CameraSettings } from "../gate/camera-settings.js";
import type { PlateRules } from "../gate/plate-rules.js";
import { isoTimeOrNull } from "../kernel/clock.js";
import { Problem } from "../kernel/problem.js";
import type { Scenes } from "../scenes/scenes.js";
import type { Database } from "../storage/database.js";
import type { WebhookRegistry } from "../webhooks/registry.js";

/** The parts of a hub that a document sets up. */
export interface ProvisionServices {
  readonly database: Database;
  readonly access: Access;
  readonly isTimeZone: (name: string) => boolean;
  /** Wall time, epoch milliseconds. */
  readonly now: () => number;
  readonly devices: Pick<DeviceRegistry, "find" | "create" | "edit" | "renewPassword" | "authenticate">;
  readonly rooms: Pick<Rooms, "list" | "create" | "edit">;
  readonly scenes: Pick<Scenes, "list" | "create" | "edit">;
  readonly webhooks: Pick<WebhookRegistry, "list" | "create" | "edit" | "secrets">;
  readonly cameras: Pick<CameraSettings, "edit">;
  readonly plateRules: Pick<PlateRules, "list" | "create" | "edit">;
}

/** The sites of the account that a document is about. */
interface Household {
  readonly accountId: number;
  readonly siteId: number;
  readonly siteIdOf: (env: Env) => number;
}

type Part<Name extends keyof ProvisionDocument> = NonNullable<ProvisionDocument[Name]>;

/**
 * Applies the parts in an order in which later ones may name earlier ones.
 * @throws Problem with the part's path in `details`; parts before it have been applied by then, and applying again goes on
 */
export async function provision(document: ProvisionDocument, services: ProvisionServices): Promise<object> {
  const result: Record<string, unknown> = {};
  const account = await applyAccount(document.account, services);
  if (document.account) result.account = account.shown;
  const { accounts } = services.access;
  const household: Household = {
    accountId: account.id,
    siteId: accounts.siteIdOf(account.id, "live"),
    siteIdOf: (env) => accounts.siteIdOf(account.id, env),
  };
  if (document.site) result.site = await applySite(document.site, household, services);
  if (document.rooms) result.rooms = await each("rooms", document.rooms, (room) => applyRoom(room, household, services));
  if (document.devices) result.devices = await each("devices", document.devices, (device) => applyDevice(device, household, services));
  if (document.scenes) result.scenes = await each("scenes", document.scenes, (scene) => applyScene(scene, household, services));
  if (document.keys) result.keys = await each("keys", document.keys, (key) => applyKey(key, household, services));
  if (document.webhooks) result.webhooks = await each("webhooks", document.webhooks, (webhook) => applyWebhook(webhook, household, services));
  if (document.cameras) result.cameras = await each("cameras", document.cameras, (camera) => applyCamera(camera, household, services));
  if (document.plateRules) result.plateRules = await each("plateRules", document.plateRules, (rule) => applyPlateRule(rule, household, services));
  const { database, access, now } = services;
  await database.write(() =>
    access.audit.record({ accountId: account.id, actor: CLI_ACTOR.actor, action: "hub.provisioned", target: Object.keys(document).join(", "), at: now() }),
  );
  return result;
}

async function each<Entry>(part: string, entries: readonly Entry[], apply: (entry: Entry) => Promise<object>): Promise<object[]> {
  const results: object[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      results.push(await apply(entry));
    } catch (error) {
      throw error instanceof Problem ? placed(error, `/${part}/${index}`) : error;
    }
  }
  return results;
}

/** The same problem with the place in the document where it arose. */
function placed(problem: Problem, place: string): Problem {
  const details =
    problem.details.length > 0
      ? problem.details.map((detail) => ({ ...detail, field: place + detail.field }))
      : [{ field: place, code: problem.code, message: problem.message }];
  const { hint, fields, headers } = problem;
  return new Problem(problem.code, `${place}: ${problem.message}`, { details, fields, headers, cause: problem, ...(hint === null ? {} : { hint }) });
}

async function applyAccount(given: ProvisionDocument["account"], { access, database }: ProvisionServices): Promise<{ id: number; shown: object }> {
  const { accounts, passwords, signIn } = access;
  const owner = accounts.owner();
  if (given === undefined) {
    if (owner === null) throw new Problem("conflict", "Nobody owns this hub yet: the document needs an account.");
    return { id: owner.id, shown: {} };
  }
  const known = accounts.byEmail(given.email);
  if (known === null) {
    if (owner !== null) throw placed(new Problem("conflict", `This hub belongs to ${owner.email}.`), "/account");
    if (given.password === undefined) throw placed(new Problem("weak_password", "A new account needs a password."), "/account");
    checkPasswordLength(given.password, false);
    const passwordHash = await passwords.hash(given.password);
    const made = await database.write(() => accounts.create({ email: given.email, name: given.name ?? given.email, passwordHash }, CLI_ACTOR));
    return { id: made.id, shown: { id: made.id, email: made.email, name: made.name, password: given.password } };
  }
  if (given.name !== undefined && given.name !== known.name) await accounts.edit(known.id, { name: given.name }, CLI_ACTOR);
  if (given.password !== undefined && !(await passwords.verify(given.password, known.password_hash)).ok)
    await signIn.reset(known.email, given.password, CLI_ACTOR);
  return {
    id: known.id,
    shown: { id: known.id, email: known.email, name: given.name ?? known.name, ...(given.password === undefined ? {} : { password: given.password }) },
  };
}

async function applySite(given: Part<"site">, { siteId, siteIdOf }: Household, { access, isTimeZone }: ProvisionServices): Promise<object> {
  if (given.timeZone !== undefined && !isTimeZone(given.timeZone))
    throw placed(new Problem("invalid_body", `${given.timeZone} is not a known IANA time zone.`), "/site/timeZone");
  const { accounts } = access;
  const isNew = Object.entries(given).some(([name, value]) => accounts.site(siteId)[name as keyof typeof given] !== value); // names of the same members
  if (isNew) {
    await accounts.editSite(siteId, given, CLI_ACTOR);
    const { capacity: _own, name, ...place } = given;
    await accounts.editSite(siteIdOf("test"), name === undefined ? place : { ...place, name: `${name} (test)` }, CLI_ACTOR);
  }
  const { name, timeZone, latitude, longitude, capacity } = accounts.site(siteId);
  return { name, timeZone, latitude, longitude, capacity };
}

async function applyRoom(given: Part<"rooms">[number], { siteId }: Household, { rooms }: ProvisionServices): Promise<object> {
  const wanted = given.name.toLocaleLowerCase();
  const known = rooms.list(siteId).find((room) => room.name.toLocaleLowerCase() === wanted);
  const room = known === undefined ? await rooms.create(siteId, given) : await rooms.edit(siteId, known.id, given);
  return { id: room.id, name: room.name, icon: room.icon, sort: room.sort };
}

async function applyDevice(given: Part<"devices">[number], { siteId }: Household, { devices }: ProvisionServices): Promise<object> {
  const { id, password, ...rest } = given;
  const known = devices.find(id);
  if (known === null) {
    const { name = id, type = "switch", ...settings } = rest;
    const made = await devices.create(siteId, { id, name, type, ...settings, ...(typeof password === "string" ? { password } : {}) });
    return { ...shownDevice(made.device), password: made.password };
  }
  if (known.siteId !== siteId) throw new Problem("conflict", `The id ${id} is in use.`);
  if (Object.keys(rest).length > 0) await devices.edit(siteId, id, rest);
  if (typeof password === "string" && devices.authenticate(id, password) === null) await devices.renewPassword(siteId, id, password);
  return { ...shownDevice(devices.find(id) ?? known), password: password ?? null };
}

function shownDevice({ id, name, type, room }: { readonly id: string; readonly name: string; readonly type: string; readonly room: string | null }): object {
  return { id, name, type, room };
}

async function applyScene(given: Part<"scenes">[number], { siteId }: Household, { scenes }: ProvisionServices): Promise<object> {
  const known = scenes.list(siteId).find((scene) => scene.name === given.name);
  const scene = known === undefined ? await scenes.create(siteId, given) : await scenes.edit(siteId, known.id, given);
  return { id: scene.id, name: scene.name, icon: scene.icon, actions: scene.actions };
}

/** An active key of the same name and kind is the same key; its text cannot be told again. */
async function applyKey(given: Part<"keys">[number], { accountId }: Household, { access }: ProvisionServices): Promise<object> {
  const { keys } = access;
  const { name, env = "live", origins = [] } = given;
  const scopes = given.scopes === "all" || given.scopes === "*" ? ALL_SCOPES : given.scopes;
  const expiresAt = typeof given.expiresAt === "string" ? Date.parse(given.expiresAt) : null;
  const known = keys.list(accountId).find((key) => key.name === name && key.env === env && key.revokedAt === null && key.rotatedTo === null);
  const { key, secret } =
    known === undefined ? await keys.create(accountId, { name, env, scopes, origins, expiresAt }, CLI_ACTOR) : { key: known, secret: null };
  const isChanged = key.scopes.join() !== scopes.join() || (given.origins !== undefined && key.origins.join() !== origins.join());
  const shown = isChanged ? await keys.edit(accountId, key.id, { scopes, ...(given.origins === undefined ? {} : { origins }) }, CLI_ACTOR) : key;
  return { id: shown.id, name, env, scopes: shown.scopes, origins: shown.origins, expiresAt: isoTimeOrNull(shown.expiresAt), prefix: shown.prefix, secret };
}

async function applyWebhook(given: Part<"webhooks">[number], { siteIdOf }: Household, { webhooks }: ProvisionServices): Promise<object> {
  const { env = "live", ...input } = given;
  const siteId = siteIdOf(env);
  const known = webhooks.list(siteId).find((webhook) => webhook.url === given.url.trim());
  if (known !== undefined) {
    const webhook = await webhooks.edit(siteId, known.id, input);
    return { id: webhook.id, url: webhook.url, env, events: webhook.events, secret: webhooks.secrets(webhook.id)[0] ?? null };
  }
  const { webhook, secret } = await webhooks.create(siteId, input);
  return { id: webhook.id, url: webhook.url, env, events: webhook.events, secret };
}

async function applyCamera(given: Part<"cameras">[number], { siteId }: Household, { cameras }: ProvisionServices): Promise<object> {
  const { deviceId, ...edit } = given;
  const { enabled, direction, source, gate } = await cameras.edit(siteId, deviceId, edit as CameraEdit); // the schema has the members of CameraEdit
  return { deviceId, enabled, direction, source, gate };
}

/** One rule per plate and scope: the analyser's form of the plate decides which one is meant. */
async function applyPlateRule(given: Part<"plateRules">[number], { siteId }: Household, { plateRules }: ProvisionServices): Promise<object> {
  const { plate, kind, deviceId = null, enabled } = given;
  const label = given.label ?? undefined;
  const validFrom = timeOf(given.validFrom);
  const validTo = timeOf(given.validTo);
  try {
    return shownRule(await plateRules.create(siteId, { plate, kind, label, deviceId, validFrom, validTo, enabled }, CLI_ACTOR.actor));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "plate_already_listed") throw error;
    const edit = Object.fromEntries(Object.entries({ kind, label, validFrom, validTo, enabled }).filter(([, value]) => value !== undefined));
    return shownRule(await plateRules.edit(siteId, Number(error.fields.ruleId), edit, CLI_ACTOR.actor));
  }
}

function shownRule({ id, plate, formatted, kind, label, deviceId, validFrom, validTo, enabled }: ReturnType<PlateRules["list"]>[number]): object {
  return { id, plate, formatted, kind, label, deviceId, validFrom: isoTimeOrNull(validFrom), validTo: isoTimeOrNull(validTo), enabled };
}

function timeOf(text: string | null | undefined): number | null | undefined {
  return typeof text === "string" ? Date.parse(text) : text;
}
