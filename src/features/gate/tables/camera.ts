import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

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
}

const COLUMNS = `device_id AS deviceId, site_id AS siteId, enabled, direction, approach, inside_gate AS insideGate,
  gate_device_id AS gateDeviceId, gate_command AS gateCommand, source, updated_at AS updatedAt,
  made_of AS madeOf, gate_type AS gateType`;

/** All SQL of the table `camera`. Writing methods belong inside a write job. */
export class CameraTable extends tableOf(prepare) {
  /** Every camera of the hub, by device id. */
  all(): CameraRow[] {
    return this.sql.all.all();
  }

  /** One camera; null when nothing is set for the device. */
  find(deviceId: string): CameraRow | null {
    return this.sql.find.get(deviceId) ?? null;
  }

  /** Stores or replaces what is set for a camera. */
  put(row: CameraRow): void {
    this.sql.put.run(row);
  }

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

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], CameraRow>(`SELECT ${COLUMNS} FROM camera ORDER BY device_id`),
    find: raw.prepare<[string], CameraRow>(`SELECT ${COLUMNS} FROM camera WHERE device_id = ?`),
    put: raw.prepare<[CameraRow]>(
      `INSERT OR REPLACE INTO camera (device_id, site_id, enabled, direction, approach, inside_gate, gate_device_id, gate_command, source, updated_at, made_of, gate_type)
       VALUES (@deviceId, @siteId, @enabled, @direction, @approach, @insideGate, @gateDeviceId, @gateCommand, @source, @updatedAt, @madeOf, @gateType)`,
    ),
  };
}
