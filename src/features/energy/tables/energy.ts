import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `energy_role`: what a device's meter measures, as the owner said. */
export interface EnergyRoleRow {
  readonly deviceId: string;
  readonly role: string;
  readonly behind: string | null;
  readonly reversed: 0 | 1;
}

/** All SQL of `energy_role` and `energy_tariff`. Writing methods belong inside a write job. */
export class EnergyTable extends tableOf(prepare) {
  /** The roles of a site's devices. */
  roles(siteId: number): EnergyRoleRow[] {
    return this.sql.roles.all(siteId);
  }

  /** A site's tariff, JSON; null while none is set. */
  tariff(siteId: number): string | null {
    return this.sql.tariff.get(siteId)?.tariff ?? null;
  }

  /** Replaces everything a site says about its energy; `tariff` null removes the prices. */
  replace(siteId: number, roles: readonly EnergyRoleRow[], tariff: string | null): void {
    this.sql.removeRoles.run(siteId);
    for (const row of roles) this.sql.putRole.run(row);
    this.sql.removeTariff.run(siteId);
    if (tariff !== null) this.sql.putTariff.run(siteId, tariff);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    roles: raw.prepare<[number], EnergyRoleRow>(
      "SELECT device_id AS deviceId, role, behind, reversed FROM energy_role JOIN device ON device.id = device_id WHERE device.site_id = ? ORDER BY device_id",
    ),
    removeRoles: raw.prepare<[number]>(
      "DELETE FROM energy_role WHERE device_id IN (SELECT id FROM device WHERE site_id = ?)",
    ),
    putRole: raw.prepare<[EnergyRoleRow]>(
      "INSERT INTO energy_role (device_id, role, behind, reversed) VALUES (@deviceId, @role, @behind, @reversed)",
    ),
    tariff: raw.prepare<[number], { tariff: string }>("SELECT tariff FROM energy_tariff WHERE site_id = ?"),
    removeTariff: raw.prepare<[number]>("DELETE FROM energy_tariff WHERE site_id = ?"),
    putTariff: raw.prepare<[number, string]>("INSERT INTO energy_tariff (site_id, tariff) VALUES (?, ?)"),
  };
}
