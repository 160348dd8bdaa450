/**
 * The parts of a set-up document, one function each, all inside one write job. An existing entry is identified by its
 * name; entries with the same name by their order.
 */
import { isDeepStrictEqual } from "node:util";
import { FAMILIES } from "../../../firmware-bridge/families.ts";
import type { Env } from "../../core/api/caller.ts";
import { ALL_SCOPES } from "../../core/api/scopes.ts";
import { isoTimeOrNull } from "../../core/kernel/clock.ts";
import { nameKey } from "../../core/kernel/plain-text.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { isTimeZone } from "../../core/settings/load.ts";
import { CLI_ACTOR } from "../access/ports.ts";
import { shownSource } from "../cameras/source-secrets.ts";
import type { Device } from "../devices/device.ts";
import type { CameraEdit } from "../gate/camera-settings.ts";
import type { Rule } from "../gate/plate-rules.ts";
import type { Scene } from "../scenes/scenes.ts";
import { each } from "./entries.ts";
import { invalidAt, placed } from "./places.ts";
import type { ProvisionDocument } from "./resources/provision.ts";
import { withSceneIds } from "./scene-names.ts";
import type { Change, ProvisionServices } from "./services.ts";

/** The sites of the account that a document is about. */
export interface Household {
  readonly accountId: number;
  readonly siteId: number;
  readonly siteIdOf: (env: Env) => number;
}

/** Names of the makes that a client may have. */
const FAMILY_NAMES: readonly string[] = FAMILIES.map(({ name }) => name);

type Part<Name extends keyof ProvisionDocument> = NonNullable<ProvisionDocument[Name]>;
type Entry<Name extends keyof ProvisionDocument> = Part<Name> extends readonly (infer One)[] ? One : never;

/** Everything in the document except its account, settings and backups. @throws Problem with the path of the member */
export function applyParts(
  document: ProvisionDocument,
  household: Household,
  services: ProvisionServices,
): Record<string, object | object[]> {
  const work = new Parts(household, services);
  const parts: Record<string, object | object[]> = {};
  if (document.site !== undefined) parts.site = work.site(document.site);
  parts.rooms = each(
    "rooms",
    document.rooms,
    ({ name }) => nameKey(name),
    (room) => work.room(room),
  );
  // Before the devices: these name them.
  parts.clients = each(
    "clients",
    document.clients,
    null,
    (client, nth) => work.client(client, nth),
    ({ name }) => name,
  );
  parts.devices = each(
    "devices",
    document.devices,
    ({ id }) => id,
    (device) => work.device(device),
  );
  parts.scenes = each(
    "scenes",
    document.scenes,
    null,
    (scene, nth) => work.scene(scene, nth),
    ({ name }) => name,
  );
  parts.keys = each(
    "keys",
    document.keys,
    null,
    (key, nth) => work.key(key, nth),
    ({ name, env = "live" }) => `${env} ${name}`,
  );
  parts.webhooks = each(
    "webhooks",
    document.webhooks,
    null,
    (webhook, nth) => work.webhook(webhook, nth),
    ({ url, env = "live" }) => `${env} ${url.trim()}`,
  );
  parts.cameras = each(
    "cameras",
    document.cameras,
    ({ deviceId }) => deviceId,
    (camera) => work.camera(camera),
  );
  if (document.gateChoices !== undefined) parts.gateChoices = work.gateChoices(document.gateChoices);
  parts.plateRules = each("plateRules", document.plateRules, null, (rule) => work.plateRule(rule));
  parts.automations = each(
    "automations",
    document.automations,
    null,
    (rule, nth) => work.automation(rule, nth),
    ({ name }) => name.trim(),
  );
  return Object.fromEntries(Object.entries(parts).filter(([name]) => name in document));
}

class Parts {
  readonly #household: Household;
  readonly #services: ProvisionServices;
  /** Lists as they were before the document: its new entries are not found again by name. */
  readonly #before: ReturnType<typeof listsOf>;
  /** Those that the document's automations may name. */
  #scenes: readonly Scene[] | null = null;
  /** Plate rules that the document has named so far. */
  readonly #rules = new Set<number>();

  constructor(household: Household, services: ProvisionServices) {
    this.#household = household;
    this.#services = services;
    this.#before = listsOf(household, services);
  }

  site(given: Part<"site">): object {
    const { access } = this.#services;
    const { accounts } = access;
    const { siteId, siteIdOf } = this.#household;
    if (given.timeZone !== undefined && !isTimeZone(given.timeZone))
      throw invalidAt("/site/timeZone", `${given.timeZone} is not a known IANA time zone`);
    const isOther = !sameMembers(given, accounts.site(siteId));
    if (isOther) {
      placed("/site", () => accounts.updateSite(siteId, given, CLI_ACTOR));
      const { capacity: _own, name, ...place } = given;
      accounts.updateSite(
        siteIdOf("test"),
        name === undefined ? place : { ...place, name: `${name} (test)` },
        CLI_ACTOR,
      );
    }
    const { name, timeZone, latitude, longitude, capacity } = accounts.site(siteId);
    return { name, timeZone, latitude, longitude, capacity, change: changeOf(isOther) };
  }

  room(given: Entry<"rooms">): object {
    const { rooms } = this.#services;
    const { siteId } = this.#household;
    const wanted = nameKey(given.name);
    const known = this.#before.rooms.find((room) => nameKey(room.name) === wanted);
    const isOther = known !== undefined && !sameMembers(given, known);
    if (known !== undefined && isOther) rooms.update(siteId, known.id, given);
    const { id, name, icon, sort } = rooms.get(siteId, known?.id ?? rooms.insert(siteId, given));
    return { id, name, icon, sort, change: known === undefined ? "made" : changeOf(isOther) };
  }

  device(given: Entry<"devices">): object {
    const { devices, expected } = this.#services;
    const { siteId } = this.#household;
    const { id, from, ...device } = given;
    const known = devices.find(id);
    if (known !== null && known.siteId !== siteId) throw new Problem("conflict", `The id ${id} is in use.`);
    if (from === undefined) return known === null ? this.#newDevice(id, device) : this.#sameDevice(known, device);
    if (typeof device.password === "string")
      throw invalidAt("/password", "a device that comes by a client of another make has none");
    if (known?.hasPassword === true) throw new Problem("conflict", `${id} is a device with a password of its own.`);
    const shown = known === null ? this.#newDevice(id, { ...device, password: null }) : this.#sameDevice(known, device);
    const isNews = placed("/from", () => expected.put(id, { ...from, hardware: from.hardware ?? [] }));
    return { ...shown, from, ...(isNews && known !== null ? { change: "changed" } : {}) };
  }

  #newDevice(id: string, { name = id, type = "switch", ...settings }: Omit<Entry<"devices">, "id" | "from">): object {
    const { password, room = null } = settings;
    const made = this.#services.devices.insert(this.#household.siteId, {
      id,
      name,
      type,
      ...settings,
      ...(password === undefined ? {} : { password }),
    });
    return { id, name, type, room, password: made.password, change: "made" };
  }

  #sameDevice(known: Device, { password, ...edit }: Omit<Entry<"devices">, "id" | "from">): object {
    const { devices } = this.#services;
    const { id, siteId } = known;
    const isOther = devices.update(siteId, id, edit);
    const hasNewPassword = typeof password === "string" && devices.authenticate(id, password) === null;
    if (hasNewPassword) devices.setPassword(siteId, id, password);
    const { name = known.name, type = known.type, room = known.room } = edit;
    return { id, name, type, room, password: password ?? null, change: changeOf(isOther || hasNewPassword) };
  }

  scene(given: Entry<"scenes">, nth: number): object {
    const { scenes } = this.#services;
    const { siteId } = this.#household;
    const known = this.#before.scenes.filter((scene) => scene.name === given.name)[nth];
    const isOther = known !== undefined && !sameMembers(given, known);
    if (known !== undefined && isOther) scenes.update(siteId, known.id, given);
    const { id, name, icon, actions } = scenes.get(siteId, known?.id ?? scenes.insert(siteId, given));
    return { id, name, icon, actions, change: known === undefined ? "made" : changeOf(isOther) };
  }

  client(given: Entry<"clients">, nth: number): object {
    const { clients } = this.#services;
    const { name, family, also = [], username, password } = given;
    for (const [place, one] of [["/family", family], ...also.map((other, index) => [`/also/${index}`, other])] as const)
      if (!FAMILY_NAMES.includes(one ?? ""))
        throw invalidAt(place ?? "", `there is no make ${one}; there are ${FAMILY_NAMES.join(", ")}`);
    const known =
      username === undefined
        ? this.#before.clients.filter((client) => client.name === name)[nth]
        : clients.find(username);
    if (known === undefined || known === null) {
      const made = clients.insert({ name, families: [family, ...also], username, password });
      return {
        id: made.client.id,
        name,
        family,
        also,
        username: made.client.username,
        password: made.password,
        change: "made",
      };
    }
    const isOther = clients.update(known.id, { name, families: [family, ...also], password });
    return {
      id: known.id,
      name,
      family,
      also,
      username: known.username,
      password: password ?? null,
      change: changeOf(isOther),
    };
  }

  /** An active key with the same name and kind is the same key; its text cannot be shown again. */
  key(given: Entry<"keys">, nth: number): object {
    const { keys } = this.#services.access;
    const { accountId } = this.#household;
    const { name, env = "live", origins = [] } = given;
    const scopes = given.scopes === "all" || given.scopes === "*" ? ALL_SCOPES : given.scopes;
    const expiresAt = typeof given.expiresAt === "string" ? Date.parse(given.expiresAt) : null;
    const known = this.#before.keys.filter((key) => key.name === name && key.env === env)[nth];
    const shown = (key: NonNullable<typeof known>, secret: string | null, change: Change): object => {
      const { id, prefix, origins: named } = key;
      return {
        id,
        name,
        env,
        scopes: key.scopes,
        origins: named,
        expiresAt: isoTimeOrNull(key.expiresAt),
        prefix,
        secret,
        change,
      };
    };
    if (known === undefined) {
      const { key, secret } = keys.insert(accountId, { name, env, scopes, origins, expiresAt }, CLI_ACTOR);
      return shown(key, secret, "made");
    }
    if (typeof given.expiresAt === "string" && known.expiresAt !== expiresAt)
      throw invalidAt("/expiresAt", "a key's end cannot be changed; give the new key another name");
    const isOther =
      [...known.scopes].sort().join() !== [...scopes].sort().join() ||
      (given.origins !== undefined && known.origins.join() !== origins.join());
    if (!isOther) return shown(known, null, "none");
    return shown(
      keys.update(accountId, known.id, { scopes, ...(given.origins === undefined ? {} : { origins }) }, CLI_ACTOR),
      null,
      "changed",
    );
  }

  webhook(given: Entry<"webhooks">, nth: number): object {
    const { webhooks } = this.#services;
    const { env = "live", ...input } = given;
    const url = given.url.trim();
    const siteId = this.#household.siteIdOf(env);
    const known = this.#before.webhooks(siteId).filter((webhook) => webhook.url === url)[nth];
    const entry = { url, env, events: input.events };
    if (known === undefined) return { ...webhooks.insert(siteId, input), ...entry, change: "made" };
    const isOther = !sameMembers(
      { ...input, url, events: [...new Set(input.events)].sort() },
      { ...known, events: [...known.events].sort() },
    );
    if (isOther) webhooks.update(siteId, known.id, input);
    return { id: known.id, ...entry, secret: webhooks.secrets(known.id)[0] ?? null, change: changeOf(isOther) };
  }

  camera(given: Entry<"cameras">): object {
    const { cameras } = this.#services;
    const { siteId } = this.#household;
    const { deviceId, ...edit } = given;
    // the schema has the members of CameraEdit
    const { camera, changed } = cameras.update(siteId, deviceId, edit as CameraEdit, CLI_ACTOR.actor);
    const { enabled, direction, gate } = camera;
    return { deviceId, enabled, direction, source: shownSource(camera.source).source, gate, change: changeOf(changed) };
  }

  gateChoices(given: Part<"gateChoices">): object {
    return { change: changeOf(this.#services.gateChoices.put(this.#household.siteId, given, CLI_ACTOR.actor)) };
  }

  /** One rule per plate and scope: the analyser's form of the plate decides which one is meant. */
  plateRule(given: Entry<"plateRules">): object {
    const { rule, change } = this.#plateRule(given);
    // of two that contradict each other, neither is to win by its place
    if (this.#rules.has(rule.id)) throw invalidAt("", "is for the same plate and camera as a rule before it");
    this.#rules.add(rule.id);
    return shownRule(rule, change);
  }

  #plateRule(given: Entry<"plateRules">): { readonly rule: Rule; readonly change: Change } {
    const { plateRules } = this.#services;
    const { siteId } = this.#household;
    const { plate, kind, deviceId = null, windows, enabled, earns } = given;
    const label = given.label ?? undefined;
    const validFrom = timeOf(given.validFrom);
    const validTo = timeOf(given.validTo);
    try {
      const rule = { plate, kind, label, deviceId, validFrom, validTo, windows, enabled, earns };
      return { rule: plateRules.insert(siteId, rule, CLI_ACTOR.actor), change: "made" };
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "plate_already_listed") throw error;
      const known = plateRules.get(siteId, Number(error.fields.ruleId));
      const edit = Object.fromEntries(
        Object.entries({ kind, label: label?.trim(), validFrom, validTo, windows, enabled, earns }).filter(
          ([, value]) => value !== undefined,
        ),
      );
      if (sameMembers(edit, known)) return { rule: known, change: "none" };
      return { rule: plateRules.update(siteId, known.id, edit, CLI_ACTOR.actor), change: "changed" };
    }
  }

  automation(given: Entry<"automations">, nth: number): object {
    const { automations, scenes } = this.#services;
    const { siteId } = this.#household;
    this.#scenes ??= scenes.list(siteId); // the document's own are among them by now
    const known = this.#before.automations.filter((rule) => rule.name === given.name.trim())[nth];
    const { id, changed } = automations.put(siteId, known?.id ?? null, withSceneIds(given, this.#scenes));
    return { id, name: given.name.trim(), change: known === undefined ? "made" : changeOf(changed) };
  }
}

function listsOf({ siteId, accountId }: Household, services: ProvisionServices) {
  const { rooms, scenes, clients, access, automations, webhooks } = services;
  return {
    rooms: rooms.list(siteId),
    scenes: scenes.list(siteId),
    clients: clients.list().filter(({ status }) => status === "accepted"),
    keys: access.keys
      .list(accountId)
      .filter((key) => key.accountId === accountId && key.revokedAt === null && key.rotatedTo === null),
    automations: automations.list(siteId),
    webhooks: (of: number) => webhooks.list(of),
  };
}

/** Whether everything that is given is so already. */
function sameMembers(given: object, known: object): boolean {
  const has = known as Readonly<Record<string, unknown>>; // members of any type are compared
  return Object.entries(given).every(([name, value]) => value === undefined || isDeepStrictEqual(value, has[name]));
}

function changeOf(isOther: boolean): Change {
  return isOther ? "changed" : "none";
}

function shownRule(
  { id, plate, formatted, kind, label, deviceId, validFrom, validTo, windows, enabled, earns }: Rule,
  change: Change,
): object {
  return {
    id,
    plate,
    formatted,
    kind,
    label,
    deviceId,
    validFrom: isoTimeOrNull(validFrom),
    validTo: isoTimeOrNull(validTo),
    windows,
    enabled,
    ...(earns === null ? {} : { earns }),
    change,
  };
}

function timeOf(text: string | null | undefined): number | null | undefined {
  return typeof text === "string" ? Date.parse(text) : text;
}
