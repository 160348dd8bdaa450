import { type BoundRoute, bindOpen } from "../../../core/http/exchange.ts";
import { CLI_ACTOR } from "../../access/ports.ts";
import { backupBox, exportBox, provisionBox, provisionPrintedBox, resetOwnerBox } from "../api/console-box.ts";
import { exportDocument } from "../export.ts";
import { provision } from "../provision.ts";
import type { ProvisionServices } from "../services.ts";

/** Routes of the host itself, on the control socket only. */
export function boxRoutes(services: ProvisionServices): BoundRoute[] {
  const { database, access, backups, unprinted } = services;
  return [
    bindOpen(provisionBox, async ({ body, query }) => {
      const { dryRun = false, resetOwnerPassword = false } = query;
      return { status: 200, body: await provision(body, services, { dryRun, resetOwnerPassword }) };
    }),
    bindOpen(provisionPrintedBox, async () => {
      await database.write(() => unprinted.clear());
      return { status: 200, body: { done: true } };
    }),
    bindOpen(exportBox, () => ({ status: 200, body: exportDocument(services) })),
    bindOpen(resetOwnerBox, async ({ body }) => {
      const { email } = await access.signIn.reset(body.email ?? null, body.password, CLI_ACTOR);
      return { status: 200, body: { email } };
    }),
    bindOpen(backupBox, async ({ body }) => ({ status: 200, body: await backups.writeTo(body.file) })),
  ];
}
