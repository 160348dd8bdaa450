import { isDeepStrictEqual } from "node:util";
import type { Base } from "../../core/base.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { OnDoubt } from "../../core/plates/doubts.ts";
import type { Direction } from "../../core/plates/reading.ts";
import type { HubKey } from "../../core/platform/hub-key.ts";
import type { AccessFeature } from "../access/feature.ts";
import { parseCameraSource } from "../cameras/camera-source.ts";
import { completedSource, openedSource, sealedSource, shownSource } from "../cameras/source-secrets.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import { BARRIER_TYPES } from "../devices/rules/device-types.ts";
import { meaningOf, movesGates } from "../devices/rules/gate-moves.ts";
import type { CameraRow } from "./tables/camera.ts";
import type { GateTables } from "./tables.ts";

/** What is set for one camera. */
export interface Camera {
  readonly deviceId: string;
  readonly siteId: number;
  /** False: its captures are not taken. */
  readonly enabled: boolean;
  /** One-way lane. */
  readonly direction: Direction | null;
  /** Direction of a car that comes towards the camera; used if the lane goes both ways. */
  readonly approach: Direction | null;
  /** A vehicle that is read here is already inside, so that even a denied one opens a visit. */
  readonly insideGate: boolean;
  /** Device and command that an allowed vehicle triggers. */
  readonly gate: { readonly deviceId: string; readonly command: object } | null;
  /** What follows when a listed plate seems to be presented, on paper or a screen, and not to come on a vehicle. */
  readonly presented: OnDoubt;
  /** Where pictures come from; its shape is checked by features/cameras/camera-source.ts. */
  readonly source: object;
}

/** A camera as the gate takes its pictures. */
export type ActingCamera = Omit<Camera, "source">;

/** What may be set; absent members stay as they are. */
export interface CameraEdit {
  readonly enabled?: boolean;
  readonly direction?: Direction | null;
  readonly approach?: Direction | null;
  readonly insideGate?: boolean;
  readonly gate?: { readonly deviceId: string; readonly command: object } | null;
  readonly presented?: OnDoubt;
  readonly source?: object;
}

/** The passwords in sources: what nobody gets back, and what the database has sealed. */
interface SourceSecrets {
  /** A source that somebody gave, with the stored password where it may stay. @throws Problem invalid_body. */
  complete(given: object, stored: object): object;
  seal(source: object, deviceId: string): object;
  open(stored: object, deviceId: string): object;
  /** Whether a stored source has secrets in clear, as earlier versions wrote them. */
  isOpen(stored: object): boolean;
}

interface Siblings {
  readonly tables: GateTables;
  readonly registry: DeviceRegistry;
  readonly access: AccessFeature;
}

/**
 * Settings of the account's cameras. A camera without any takes native captures, knows no direction and opens no gate.
 */
export class CameraSettings implements Service {
  readonly name = "camera settings";
  readonly #base: Base;
  readonly #siblings: Siblings;
  readonly #secrets: SourceSecrets;
  #onChanged: (camera: Camera) => void = () => {};
  #unsubscribe: () => void = () => {};

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
    this.#secrets = sourceSecrets(base.hubKey);
  }

  /** Calls `listener` after a change is stored, so that the camera's source is restarted. */
  onChanged(listener: (camera: Camera) => void): void {
    this.#onChanged = listener;
  }

  /** Names of the gates that a camera opens, or all cameras of the household. */
  gateNames(siteId: number, deviceId: string | null): string[] {
    const gates = [...this.withSettings()]
      .filter((id) => deviceId === null || id === deviceId)
      .map((id) => this.find(id));
    const own = gates.flatMap((camera) =>
      camera?.siteId === siteId && camera.enabled && camera.gate !== null ? [camera.gate.deviceId] : [],
    );
    return [...new Set(own)].flatMap((id) => this.#siblings.registry.find(id)?.name ?? []);
  }

  /** Seals the passwords that an earlier version stored as they are, and calls the relays gates that it let cameras open. */
  async start(): Promise<void> {
    const { bus, database } = this.#base;
    const { tables } = this.#siblings;
    this.#tellOpened();
    this.#unsubscribe = bus.on("device.edited", this.name, ({ what }) => {
      if (what === "removed") this.#tellOpened();
    });
    // one that people no longer call a gate was one when they named it
    const relays = (database.state === "ok" ? this.#set() : []).filter(
      (row) => !BARRIER_TYPES.has(row.gateType ?? "") && this.#movesGate(this.#toCamera(row).gate),
    );
    if (relays.length > 0)
      await database.write(() => {
        for (const row of relays)
          if (this.#becomesGate(this.#toCamera(row))) tables.cameras.put({ ...row, gateType: "gate" });
      });
    // written by edit(), as below
    const open = tables.cameras.all().filter((row) => this.#secrets.isOpen(JSON.parse(row.source) as object));
    if (open.length === 0 || database.state !== "ok") return;
    await database.write(() => {
      for (const row of open)
        tables.cameras.putErasing({
          ...row,
          source: JSON.stringify(this.#secrets.seal(JSON.parse(row.source) as object, row.deviceId)),
        });
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
  }

  /** Tells the devices which of them cameras open: at the start, and after a change or the removal of a device. */
  #tellOpened(): void {
    const { registry, tables } = this.#siblings;
    registry.setOpened(new Set(tables.cameras.opened().map(({ deviceId }) => deviceId)));
  }

  /** Whether frames of this camera are compared with others: some camera of its household asks or refuses. */
  comparesFrames(deviceId: string): boolean {
    const camera = this.find(deviceId);
    return camera !== null && this.#siblings.tables.cameras.areLookedAt(camera.siteId);
  }

  /** Every camera with settings. */
  all(): Camera[] {
    return this.#set().map((row) => this.#toCamera(row));
  }

  /** Ids of the cameras that have settings, of all households. */
  withSettings(): ReadonlySet<string> {
    return new Set(this.#set().map((row) => row.deviceId));
  }

  /** Settings of a camera of whichever household; null when the device is no camera, or no longer. */
  find(deviceId: string): Camera | null {
    const row = this.#standing(deviceId);
    return row === null || "source" in row ? row : this.#toCamera(row.set);
  }

  /**
   * A camera as it is at this moment, for a decision: null when it is switched off or no longer a camera. It names no
   * gate if that device no longer is one.
   */
  acting(deviceId: string): ActingCamera | null {
    const row = this.#standing(deviceId);
    if (row === null || "source" in row) return row;
    const camera = toCamera(row.set);
    if (!camera.enabled) return null;
    return this.#isStillGate(row.set) ? camera : { ...camera, gate: null };
  }

  /** What is set for a camera, or what holds where nothing is; null when the device is no camera, or no longer. */
  #standing(deviceId: string): Camera | { readonly set: CameraRow } | null {
    const set = this.#siblings.tables.cameras.find(deviceId);
    if (set !== null && this.#isStillCamera(set)) return { set };
    const device = this.#siblings.registry.find(deviceId);
    return set === null && device?.type === "camera" ? { ...UNSET, deviceId, siteId: device.siteId } : null;
  }

  #set(): CameraRow[] {
    return this.#siblings.tables.cameras.all().filter((row) => this.#isStillCamera(row));
  }

  /** A person made it a camera, and neither a person nor the device has made something else of it since. */
  #isStillCamera({ deviceId, madeOf }: CameraRow): boolean {
    const type = this.#siblings.registry.find(deviceId)?.type;
    return type === "camera" || (type !== undefined && type === madeOf);
  }

  /** A relay that opens a gate may call itself what it likes; a gate is a gate until a person says otherwise. */
  #isStillGate({ gateDeviceId, gateType }: CameraRow): boolean {
    const type = gateDeviceId === null ? undefined : this.#siblings.registry.find(gateDeviceId)?.type;
    if (type === undefined) return false;
    return gateType === null || !BARRIER_TYPES.has(gateType) || BARRIER_TYPES.has(type);
  }

  /** Whether what a camera opens is a relay or a shutter by its type, and the command is the one that opens a gate. */
  #movesGate(gate: Camera["gate"]): boolean {
    const device = gate === null ? null : this.#siblings.registry.find(gate.deviceId);
    if (gate === null || device === null || device.type === "gate" || !movesGates(device)) return false;
    return meaningOf({ ...device, type: "gate" }, { ...gate.command }).open === true;
  }

  /** Inside a job: what a camera opens is a gate from then on, for everybody. */
  #becomesGate({ siteId, gate }: Camera): boolean {
    if (gate === null || !this.#movesGate(gate)) return false;
    this.#siblings.registry.update(siteId, gate.deviceId, { type: "gate" });
    return true;
  }

  /** @throws Problem device_not_found when the household has no such camera. */
  get(siteId: number, deviceId: string): Camera {
    const camera = this.find(deviceId);
    if (camera === null || camera.siteId !== siteId) throw new Problem("device_not_found", "There is no such camera.");
    return camera;
  }

  /** Whether the device is a camera of the household. */
  isCamera(siteId: number, deviceId: string): boolean {
    return this.find(deviceId)?.siteId === siteId;
  }

  /**
   * Changes what is set for a device of the household and makes it a camera if it was none. `actor`: who does, as in the
   * audit list; absent: the simulated household, which has none.
   * @throws Problem device_not_found; unknown_device when the gate is no device of the household; invalid_body for a
   *   bad source.
   */
  async edit(siteId: number, deviceId: string, edit: CameraEdit, actor?: string): Promise<Camera> {
    return this.#base.database.write(() => this.update(siteId, deviceId, edit, actor).camera);
  }

  /** As {@link edit}, inside a job; says whether anything changes. */
  update(
    siteId: number,
    deviceId: string,
    edit: CameraEdit,
    actor?: string,
  ): { readonly camera: Camera; readonly changed: boolean } {
    const { database, clock } = this.#base;
    const { tables } = this.#siblings;
    const known = this.#siblings.registry.find(deviceId);
    if (known === null || known.siteId !== siteId) throw new Problem("device_not_found", "There is no such device.");
    const given = Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined));
    const before = this.find(deviceId) ?? { ...UNSET, deviceId, siteId };
    const source = edit.source === undefined ? before.source : this.#secrets.complete(edit.source, before.source);
    const wanted: Camera = { ...before, ...given, source };
    const gate = wanted.gate === null ? null : this.#siblings.registry.find(wanted.gate.deviceId);
    if (wanted.gate !== null && gate?.siteId !== siteId) throw unknownDevice("/gate/deviceId");
    const becomesGate = this.#becomesGate(wanted);
    const next = becomesGate ? { ...wanted, gate: wanted.gate && { ...wanted.gate, command: { open: true } } } : wanted;
    parseCameraSource(next.source);
    const row = tables.cameras.find(deviceId);
    const gateType = becomesGate ? "gate" : (gate?.type ?? null);
    const types = {
      madeOf: known.type,
      gateType: edit.gate === undefined ? (row?.gateType ?? gateType) : gateType,
    };
    const isAsBefore = row !== null && row.madeOf === types.madeOf && row.gateType === types.gateType;
    if (isAsBefore && isDeepStrictEqual(next, before)) return { camera: next, changed: false };
    tables.cameras.put({
      ...toRow(next, clock.now()),
      ...types,
      source: JSON.stringify(this.#secrets.seal(next.source, deviceId)),
    });
    if (!isDeepStrictEqual(next.source, before.source)) tables.lanes.forget(deviceId); // it looks elsewhere
    if (actor !== undefined) this.#audit(before, next, actor);
    // As it stands then: the audit line of this very edit may have ended it, with the right of who made it.
    database.committed(() => this.#tellOpened());
    database.committed(() => this.#onChanged(this.find(deviceId) ?? next));
    return { camera: next, changed: true };
  }

  /** Writes who changed what decides over the gate: from where pictures come, which gate they open, and whether they do. */
  #audit(before: Camera, next: Camera, actor: string): void {
    const { siteId, deviceId, gate, source, enabled, presented } = next;
    const record = (action: string, detail: object): void =>
      this.#siblings.access.recordAudit({
        siteId,
        actor,
        action,
        target: deviceId,
        detail,
        at: this.#base.clock.now(),
      });
    if (!isDeepStrictEqual(source, before.source)) record("camera.source_set", originOf(source));
    if (!isDeepStrictEqual(gate, before.gate)) record("camera.gate_set", { gate: gate?.deviceId ?? null });
    if (presented !== before.presented) record("camera.presented_set", { presented });
    if (enabled !== before.enabled) record(enabled ? "camera.enabled" : "camera.disabled", {});
  }

  #toCamera(row: CameraRow): Camera {
    // written by edit()
    return { ...toCamera(row), source: this.#secrets.open(JSON.parse(row.source) as object, row.deviceId) };
  }
}

const UNSET = {
  enabled: true,
  direction: null,
  approach: null,
  insideGate: false,
  gate: null,
  presented: "ask",
  source: { kind: "native" },
} as const;

/** Kind and host of a source: a path or query may hold a password. */
function originOf(source: object): object {
  const kind = "kind" in source ? source.kind : null;
  const url = "url" in source && typeof source.url === "string" ? URL.parse(source.url) : null;
  return url === null ? { kind } : { kind, host: url.host };
}

/** The answer where a device is named that the household does not have, or that is no camera. */
export function unknownDevice(field: string): Problem {
  const message = "The named device is not known, or is of the wrong kind.";
  return new Problem("unknown_device", message, { details: [{ field, code: "unknown_device", message }] });
}

function toCamera(row: CameraRow): ActingCamera {
  const gate =
    row.gateDeviceId === null || row.gateCommand === null
      ? null
      : { deviceId: row.gateDeviceId, command: JSON.parse(row.gateCommand) as object }; // written by toRow
  return {
    deviceId: row.deviceId,
    siteId: row.siteId,
    enabled: row.enabled === 1,
    direction: row.direction,
    approach: row.approach,
    insideGate: row.insideGate === 1,
    gate,
    presented: row.presented,
  };
}

function toRow(camera: Camera, now: number): Omit<CameraRow, "source" | "madeOf" | "gateType"> {
  return {
    deviceId: camera.deviceId,
    siteId: camera.siteId,
    enabled: camera.enabled ? 1 : 0,
    direction: camera.direction,
    approach: camera.approach,
    insideGate: camera.insideGate ? 1 : 0,
    gateDeviceId: camera.gate?.deviceId ?? null,
    gateCommand: camera.gate === null ? null : JSON.stringify(camera.gate.command),
    presented: camera.presented,
    updatedAt: now,
  };
}

/** The passwords of cameras, sealed with the hub's key. */
function sourceSecrets(hubKey: HubKey): SourceSecrets {
  const context = (deviceId: string): string => `camera ${deviceId}`;
  return {
    complete: completedSource,
    seal: (source, deviceId) =>
      sealedSource(source, (text) => hubKey.seal(Buffer.from(text), context(deviceId)).toString("base64")),
    open: (stored, deviceId) =>
      openedSource(stored, (sealed) => hubKey.open(Buffer.from(sealed, "base64"), context(deviceId)).toString()),
    isOpen: (stored) => !("sealedUrl" in stored) && shownSource(stored).hasPassword,
  };
}
