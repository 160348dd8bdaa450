import type { Clock } from "../../../core/kernel/clock.ts";
import type { Database } from "../../../core/storage/database.ts";
import { IssuedTable } from "../../access/tables/issued.ts";
import type { MatterFabricRow, MatterTables } from "../tables/matter.ts";
import type { BridgeSituation } from "./calls.ts";
import { fabricName } from "./vendors.ts";

/** The id of the last joining window in the table `issued`: see the console's route that opens it. */
const WINDOW = { kind: "matter_window", id: "Matter" } as const;

/** Homes that have left whose names are kept for the history. */
export const LEFT_KEPT = 100;

/** A home that has joined. */
export interface JoinedFabric {
  readonly id: number;
  readonly name: string;
  readonly vendorId: number;
  readonly joinedAt: number;
}

/** Homes that have joined, oldest first. */
export function joinedFabrics(tables: Pick<MatterTables, "fabrics">): JoinedFabric[] {
  return tables
    .fabrics()
    .flatMap(({ id, name, vendorId, joinedAt, leftAt }) => (leftAt === null ? [{ id, name, vendorId, joinedAt }] : []));
}

/** Records who has joined and who has left, as the node reports. */
export async function noteFabrics(
  fabrics: BridgeSituation["fabrics"],
  { database, tables, clock }: { readonly database: Database; readonly tables: MatterTables; readonly clock: Clock },
): Promise<void> {
  const issued = new IssuedTable(database);
  const known = tables.fabrics().filter(({ leftAt }) => leftAt === null);
  const now = clock.now();
  const joined = fabrics.map((fabric): Omit<MatterFabricRow, "id" | "leftAt"> => {
    const before = known.find((row) => row.fabric === fabric.fabric);
    const name = distinct(fabricName(fabric.vendorId, fabric.label), fabric.index, fabrics);
    return {
      fabric: fabric.fabric,
      fabricIndex: fabric.index,
      vendorId: fabric.vendorId,
      name,
      joinedAt: before?.joinedAt ?? now,
    };
  });
  const changed = joined.filter(
    (row) =>
      !known.some(
        (before) => before.fabric === row.fabric && before.fabricIndex === row.fabricIndex && before.name === row.name,
      ),
  );
  const left = known.filter((before) => !joined.some((row) => row.fabric === before.fabric));
  if (changed.length === 0 && left.length === 0) return;
  await database.write(() => {
    for (const row of changed) tables.putFabric(row);
    const isNew = ({ fabric }: MatterFabricRow): boolean =>
      changed.some((row) => row.fabric === fabric) && !known.some((before) => before.fabric === fabric);
    // issued by the opener of the window that let it in
    for (const { id } of tables.fabrics().filter(isNew)) issued.inherit("matter_home", String(id), WINDOW);
    for (const row of left) tables.fabricLeft(row.id, now);
    tables.trimFabrics(LEFT_KEPT);
  });
}

/** Numbers homes of the same maker. */
function distinct(name: string, index: number, fabrics: BridgeSituation["fabrics"]): string {
  const alike = fabrics
    .filter((other) => fabricName(other.vendorId, other.label) === name)
    .sort((a, b) => a.index - b.index);
  const at = alike.findIndex((other) => other.index === index);
  return at <= 0 ? name : `${name} ${at + 1}`;
}
