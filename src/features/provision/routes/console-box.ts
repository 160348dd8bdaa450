import { type BoundRoute, bindOpen } from "../../../core/http/exchange.ts";
import { backupBox, exportBox, provisionBox, provisionPrintedBox, resetOwnerBox } from "../api/console-box.ts";
import type { ProvisionDocument, ProvisionHow } from "../resources/provision.ts";

/** Routes of the host itself, on the control socket only. */
export function boxRoutes(service: {
  /**
   * Applies a set-up document, all of it or nothing; returns it with the created values, and those created earlier and
   * not confirmed.
   */
  readonly provision: (
    document: ProvisionDocument,
    how: ProvisionHow,
  ) => Promise<{ readonly result: object; readonly earlier: readonly object[] }>;
  /** The created values have been printed. */
  readonly provisionPrinted: () => Promise<void>;
  /** The hub's set-up as a document. */
  readonly export: () => { readonly document: object; readonly notes: readonly string[] };
  /** Sets an owner's password (null: the first account's). */
  readonly resetOwner: (email: string | null, password: string) => Promise<{ readonly email: string }>;
  /** Writes a backup file; returns its manifest. */
  readonly backup: (file: string) => Promise<object>;
}): BoundRoute[] {
  return [
    bindOpen(provisionBox, async ({ body, query }) => {
      const { dryRun = false, resetOwnerPassword = false } = query;
      return { status: 200, body: await service.provision(body, { dryRun, resetOwnerPassword }) };
    }),
    bindOpen(provisionPrintedBox, async () => {
      await service.provisionPrinted();
      return { status: 200, body: { done: true } };
    }),
    bindOpen(exportBox, () => ({ status: 200, body: service.export() })),
    bindOpen(resetOwnerBox, async ({ body }) => {
      const { email } = await service.resetOwner(body.email ?? null, body.password);
      return { status: 200, body: { email } };
    }),
    bindOpen(backupBox, async ({ body }) => ({ status: 200, body: await service.backup(body.file) })),
  ];
}
