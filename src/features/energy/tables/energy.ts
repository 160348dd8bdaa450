import { Table } from "../../../core/storage/table.ts";

/** A row of `energy_role`: what a device's meter measures, as the owner stated. */
export interface EnergyRoleRow {
  readonly deviceId: string;
  readonly role: string;
  readonly behind: string | null;
  readonly reversed: 0 | 1;
}

/** All SQL of `energy_role` and `energy_tariff`. Writing methods belong inside a write job. */
export class EnergyTable extends Table {
  readonly #removeRoles = this.sql.statement<[number]>(
    "DELETE FROM energy_role WHERE device_id IN (SELECT id FROM device WHERE site_id = ?)",
  );
  readonly #putRole = this.sql.statement<[EnergyRoleRow]>(
    "INSERT INTO energy_role (device_id, role, behind, reversed) VALUES (@deviceId, @role, @behind, @reversed)",
  );
  readonly #removeTariff = this.sql.statement<[number]>("DELETE FROM energy_tariff WHERE site_id = ?");
  readonly #putTariff = this.sql.statement<[number, string]>(
    "INSERT INTO energy_tariff (site_id, tariff) VALUES (?, ?)",
  );

  /** The roles of a site's devices. */
  readonly roles = this.sql.all<[siteId: number], EnergyRoleRow>(
    "SELECT device_id AS deviceId, role, behind, reversed FROM energy_role JOIN device ON device.id = device_id WHERE device.site_id = ? ORDER BY device_id",
  );

  /** A site's tariff, JSON; null while none is set. */
  readonly tariff = this.sql.value<[siteId: number], string | null>(
    "SELECT tariff FROM energy_tariff WHERE site_id = ?",
    null,
  );

  /** Replaces all of a site's energy settings; `tariff` null removes the prices. */
  replace(siteId: number, roles: readonly EnergyRoleRow[], tariff: string | null): void {
    this.#removeRoles.run(siteId);
    for (const row of roles) this.#putRole.run(row);
    this.#removeTariff.run(siteId);
    if (tariff !== null) this.#putTariff.run(siteId, tariff);
  }
}
