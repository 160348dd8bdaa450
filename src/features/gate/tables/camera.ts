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
}

const COLUMNS = `device_id AS deviceId, site_id AS siteId, enabled, direction, approach, inside_gate AS insideGate,
  gate_device_id AS gateDeviceId, gate_command AS gateCommand, source, updated_at AS updatedAt,
  made_of AS madeOf, gate_type AS gateType`;

/** All SQL of the table `camera`. Writing methods belong inside a write job. */
export class CameraTable extends Table {
  /** Every camera of the hub, by device id. */
  readonly all = this.sql.all<[], CameraRow>(`SELECT ${COLUMNS} FROM camera ORDER BY device_id`);

  /** One camera; null when nothing is set for the device. */
  readonly find = this.sql.first<[deviceId: string], CameraRow>(`SELECT ${COLUMNS} FROM camera WHERE device_id = ?`);

  /** Stores or replaces what is set for a camera. */
  readonly put = this.sql.run<
    [row: CameraRow]
  >(`INSERT OR REPLACE INTO camera (device_id, site_id, enabled, direction, approach, inside_gate, gate_device_id, gate_command, source, updated_at, made_of, gate_type)
       VALUES (@deviceId, @siteId, @enabled, @direction, @approach, @insideGate, @gateDeviceId, @gateCommand, @source, @updatedAt, @madeOf, @gateType)`);

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
