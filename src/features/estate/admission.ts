import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Base } from "../../core/base.ts";
import { Problem } from "../../core/kernel/problem.ts";

/** Admits hubs to the estate whose keys are on this hub; its code is loaded for the first invitation. */
export function estateAdmission(base: Base) {
  const { dataFolder, clock } = base;
  return async (secret: string, publicKey: string) => {
    // load nothing for an unauthenticated client
    if (!keepsEstate(base)) throw new Problem("not_found", "No estate was made on this hub.");
    const [{ EstateAuthority }, { EstateMembers }, { estateFolder }] = await Promise.all([
      import("./setup/authority.ts"),
      import("./setup/invitations.ts"),
      import("./setup/joining.ts"),
    ]);
    const folder = estateFolder(dataFolder);
    const authority = await EstateAuthority.open(folder);
    if (authority === null) throw new Problem("not_found", "No estate was made on this hub.");
    return new EstateMembers(folder, authority).admit(secret, publicKey, clock.now());
  };
}

/** Whether the estate's keys are on this hub. */
export function keepsEstate({ dataFolder }: Base): boolean {
  return existsSync(join(dataFolder, "estate", "authority.json"));
}
