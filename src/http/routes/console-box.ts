import type { ProvisionDocument } from "../../contract/resources/provision.js";
import { backupBox, provisionBox, resetOwnerBox } from "../../contract/routes/console-box.js";
import { type BoundRoute, bindOpen } from "../exchange.js";

/** What the routes of the control socket ask of the hub. */
export interface BoxService {
  /** Applies a set-up document; answers it with what was made. */
  readonly provision: (document: ProvisionDocument) => Promise<object>;
  /** Sets an owner's password (null: the first account's). */
  readonly resetOwner: (email: string | null, password: string) => Promise<{ readonly email: string }>;
  /** Writes a backup file; answers its manifest. */
  readonly backup: (file: string) => Promise<object>;
}

/** Routes of the box itself, on the control socket only. */
export function boxRoutes(service: BoxService): BoundRoute[] {
  return [
    bindOpen(provisionBox, async ({ body }) => ({ status: 200, body: await service.provision(body) })),
    bindOpen(resetOwnerBox, async ({ body }) => {
      const { email } = await service.resetOwner(body.email ?? null, body.password);
      return { status: 200, body: { email } };
    }),
    bindOpen(backupBox, async ({ body }) => ({ status: 200, body: await service.backup(body.file) })),
  ];
}
