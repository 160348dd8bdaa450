import { Table } from "../../../core/storage/table.ts";

/** A row of `camera`: how a device's pictures are taken and what they mean. */
export interface CameraRow {
  readonly deviceId: string;
  readonly siteId: number;
  readonly enabled: 0 | 1;
  readonly direction: "in" | "out" | null;
  readonly approach: "in" | "out" | null;
  readonly insideGate: 0 | 1;
  readonly gateDeviceId: string | null;
  /** JSON object as it is published. */
  readonly gateCommand: string | null;
  /** JSON, see features/cameras/camera-source.ts. */
  readonly source: string;
  readonly updatedAt: number;
  /** Type of the device when a person made it a camera. */
  readonly madeOf: string;
  /** Type of the gate's device when a person named it. */
  readonly gateType: string | null;
  /** What follows when a listed plate seems to be presented. */
  readonly presented: "open" | "ask" | "refuse";
}

const COLUMNS = `device_id AS deviceId, site_id AS siteId, enabled, direction, approach, inside_gate AS insideGate,
  gate_device_id AS gateDeviceId, gate_command AS gateCommand, source, updated_at AS updatedAt,
  made_of AS madeOf, gate_type AS gateType, presented`;

/** All SQL of the table `camera`. Writing methods belong inside a write job. */
export class CameraTable extends Table {
  /** Every camera of the hub, by device id. */
  readonly all = this.sql.all<[], CameraRow>(`SELECT ${COLUMNS} FROM camera ORDER BY device_id`);

  /** Every device that a camera of its household opens, also one that is switched off. */
  readonly opened = this.sql.all<[], { deviceId: string }>(
    "SELECT DISTINCT gate_device_id AS deviceId FROM camera WHERE gate_device_id IS NOT NULL",
  );

  /** One camera; null when nothing is set for the device. */
  readonly find = this.sql.first<[deviceId: string], CameraRow>(`SELECT ${COLUMNS} FROM camera WHERE device_id = ?`);

  readonly #looking = this.sql.first<[siteId: number], { found: number }>(
    "SELECT 1 AS found FROM camera WHERE site_id = ? AND presented <> 'open' LIMIT 1",
  );

  /** Whether any camera of a household looks at how plates come. */
  areLookedAt(siteId: number): boolean {
    return this.#looking(siteId) !== null;
  }

  /** Stores or replaces what is set for a camera. */
  readonly put = this.sql.run<
    [row: CameraRow]
  >(`INSERT OR REPLACE INTO camera (device_id, site_id, enabled, direction, approach, inside_gate, gate_device_id, gate_command, source, updated_at, made_of, gate_type, presented)
       VALUES (@deviceId, @siteId, @enabled, @direction, @approach, @insideGate, @gateDeviceId, @gateCommand, @source, @updatedAt, @madeOf, @gateType, @presented)`);

  /** Like {@link put}, but what the row held before is overwritten in the file too. */
  putErasing(row: CameraRow): void {
    const { raw } = this.database;
    raw.pragma("secure_delete = ON");
    try {
      this.put(row);
    } finally {
      raw.pragma("secure_delete = OFF");
    }
  }
}
