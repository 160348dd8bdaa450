/**
 * The hub's set-up as a document that `gatehouse provision` takes. It contains no secrets: a required one becomes a
 * variable; one that can be recreated (devices, keys, clients of other makes, webhooks) is left out.
 */

import { ALL_SCOPES } from "../../core/api/scopes.ts";
import { isoTimeOrNull } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { devicesNamed, type Rule } from "../automations/rules/rule.ts";
import { shownSource } from "../cameras/source-secrets.ts";
import type { ProvisionDocument } from "./resources/provision.ts";
import { withSceneNames } from "./scene-names.ts";
import type { ProvisionServices } from "./services.ts";
import { escaped, variable } from "./variables.ts";

/** The document, and a list in words of what it leaves out. @throws Problem `conflict` when the hub has no owner */
export function exportDocument(services: ProvisionServices): {
  readonly document: ProvisionDocument;
  readonly notes: readonly string[];
} {
  const { access, settings, backups } = services;
  const { accounts } = access;
  const owner = accounts.owner();
  if (owner === null) throw new Problem("conflict", "Nobody owns this hub yet: there is nothing to export.");
  const siteId = accounts.siteIdOf(owner.id, "live");
  const { name, timeZone, latitude, longitude, capacity } = accounts.site(siteId);
  const notes: string[] = [];
  const plain = {
    ...household(services, siteId, notes),
    keys: keysOf(services, owner.id),
    webhooks: (["live", "test"] as const).flatMap((env) => webhooksOf(services, accounts.siteIdOf(owner.id, env), env)),
    settings: settings.written(),
  };
  // the same members, though they may not be changed
  const choices = services.gateChoices.portable(siteId) as NonNullable<ProvisionDocument["gateChoices"]> | null;
  const persons = accounts.ofHousehold(owner.id).length - 1;
  if (persons > 0)
    notes.push(
      `${persons} further ${persons === 1 ? "person of the household is" : "persons of the household are"} not in it: invite them again.`,
    );
  const { devices, ...parts } = escapedWithin(plain);
  const document = {
    account: { email: escaped(owner.email), name: escaped(owner.name), password: variable("OWNER_PASSWORD") },
    site: { ...escapedWithin({ name, timeZone }), latitude, longitude, capacity },
    rooms: parts.rooms,
    devices,
    scenes: parts.scenes,
    clients: parts.clients,
    keys: parts.keys,
    webhooks: parts.webhooks,
    cameras: camerasOf(services, siteId),
    ...(choices === null ? {} : { gateChoices: choices }),
    plateRules: parts.plateRules,
    automations: parts.automations,
    settings: parts.settings,
    ...(backups.hasPassphrase ? { backups: { passphrase: variable("BACKUP_PASSPHRASE") } } : {}),
  };
  return { document, notes };
}

function household(
  { rooms, devices, scenes, clients, expected, plateRules, automations }: ProvisionServices,
  siteId: number,
  notes: string[],
) {
  const origins = expected.origins();
  /** A device without a password of its own; if a client brings it, with that client. */
  const brought = (id: string): object => {
    const from = origins.get(id);
    return { password: null, ...(from === undefined ? {} : { from }) };
  };
  const known = devices.list(siteId).filter((device) => !device.simulated);
  const allScenes = scenes.list(siteId);
  const [whole, broken] = split(automations.rules(siteId), (rule) =>
    devicesNamed(rule).every((id) => devices.owns(siteId, id)),
  );
  for (const rule of broken)
    notes.push(`The automation ${JSON.stringify(rule.name)} is not in it: it names a device that is gone.`);
  const [complete, partial] = split(allScenes, ({ actions }) =>
    actions.every(({ deviceId }) => devices.owns(siteId, deviceId)),
  );
  for (const scene of partial)
    notes.push(`The scene ${JSON.stringify(scene.name)} is in it without the devices that are gone.`);
  const kept = new Set(complete);
  const [applicable, left] = split(
    plateRules.list(siteId),
    ({ deviceId }) => deviceId === null || devices.owns(siteId, deviceId),
  );
  for (const rule of left)
    notes.push(`The plate rule for ${rule.formatted} is not in it: it is for a camera that is gone.`);
  return {
    rooms: rooms.list(siteId).map(({ name, icon, sort }) => ({ name, icon, sort })),
    devices: [...known]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ id, name, type, room, icon, favorite, hasPassword }) => ({
        id,
        name,
        type,
        room,
        icon,
        favorite,
        ...(hasPassword ? {} : brought(id)),
      })),
    scenes: allScenes.map((scene) => ({
      name: scene.name,
      icon: scene.icon,
      actions: kept.has(scene)
        ? [...scene.actions]
        : scene.actions.filter(({ deviceId }) => devices.owns(siteId, deviceId)),
      ...(scene.houseMode === null ? {} : { houseMode: scene.houseMode }),
    })),
    clients: [...clients.list()]
      .filter(({ status, family }) => status === "accepted" && family !== null)
      .sort((a, b) => a.id - b.id)
      .map(({ name, family, families, username }) => ({
        name,
        family: family ?? "",
        also: families.filter((one) => one !== family),
        username,
      })),
    plateRules: applicable.map(({ plate, kind, label, deviceId, validFrom, validTo, windows, enabled, earns }) => ({
      ...{
        plate,
        kind,
        label,
        deviceId,
        windows: windows.map(({ days, from, to }) => ({ days: [...days], from, to })),
        enabled,
        ...(earns === null ? {} : { earns }),
      },
      ...{ validFrom: isoTimeOrNull(validFrom), validTo: isoTimeOrNull(validTo) },
    })),
    // the same members, by name
    automations: whole.map((rule) => withSceneNames(written(rule), allScenes) as { name: string }),
  };
}

function written({ name, enabled, trigger, conditions, action, mode, cooldownSeconds }: Rule): object {
  return { name, enabled, trigger, conditions, action, mode, cooldownSeconds };
}

function keysOf({ access, clock }: ProvisionServices, accountId: number) {
  return access.keys
    .list(accountId)
    .filter(
      (key) =>
        key.accountId === accountId &&
        key.revokedAt === null &&
        key.rotatedTo === null &&
        (key.expiresAt === null || key.expiresAt > clock.now()),
    )
    .map(({ name, env, scopes, origins, expiresAt }) => ({
      ...{ name, env, origins: [...origins], expiresAt: isoTimeOrNull(expiresAt) },
      scopes: ALL_SCOPES.every((scope) => scopes.includes(scope)) ? ("all" as const) : [...scopes],
    }));
}

function webhooksOf({ webhooks }: ProvisionServices, siteId: number, env: "live" | "test") {
  return webhooks
    .list(siteId)
    .map(({ url, events, label, probe }) => ({ url, events: [...events], env, label, probe }));
}

function camerasOf({ cameras }: ProvisionServices, siteId: number) {
  return cameras
    .all()
    .filter((camera) => camera.siteId === siteId)
    .map(({ deviceId, enabled, direction, approach, insideGate, presented, source, gate }) => ({
      deviceId,
      enabled,
      direction,
      approach,
      insideGate,
      presented,
      source: sourceOf(source, deviceId),
      gate:
        gate === null
          ? null
          : { deviceId: gate.deviceId, command: escapedWithin(gate.command) as Record<string, unknown> }, // a command is an object
    }));
}

/** A camera's source with variables in place of its secrets. */
function sourceOf(source: object, deviceId: string): Record<string, unknown> {
  const shown = escapedWithin(shownSource(source).source) as Record<string, unknown>; // a source is an object
  const name = `CAMERA_${deviceId.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
  if (!("url" in source) || typeof source.url !== "string" || !URL.canParse(source.url)) return shown;
  const url = String(shown.url).replaceAll("=***", `=${variable(`${name}_SECRET`)}`);
  return { ...shown, url, ...(new URL(source.url).password === "" ? {} : { password: variable(`${name}_PASSWORD`) }) };
}

/** The same value with every text in it escaped: a dollar sign of the household is not a variable. */
function escapedWithin<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
    typeof inner === "string" ? escaped(inner) : inner,
  ) as Value; // plain JSON, the same members
}

function split<Item>(items: readonly Item[], holds: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter((item) => holds(item)), items.filter((item) => !holds(item))];
}
