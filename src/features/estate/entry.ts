import type { Base } from "../../core/base.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { EstateEntry } from "../provision/services.ts";
import { readEstateConfig } from "./config.ts";

/** Joins the hub to an estate by a code; the code for that is loaded when needed. */
export function estateEntry({ dataFolder }: Base): EstateEntry {
  return {
    present: () => {
      const known = readEstateConfig(dataFolder);
      if (known === null) return null;
      const { estate, hub, name, part, role } = known;
      return { estate, hub, name, part, role };
    },
    isCode: async (code) => (await codes()).readCode(code) !== null,
    ask: async (text) => {
      const code = (await codes()).readCode(text);
      if (code === null) throw new Problem("invalid_body", { code: "refusal.estate.code" });
      const { askToJoin, joiningKey, writeMembership } = await import("./setup/joining.ts");
      const { publicKey, seed } = await joiningKey(dataFolder);
      const admission = await askToJoin(code, publicKey);
      const { estate, hub, name, part, role } = admission;
      return {
        membership: { estate, hub, name, part, role },
        take: () => writeMembership(dataFolder, admission, seed),
      };
    },
  };
}

function codes(): Promise<typeof import("./setup/invitation-code.ts")> {
  return import("./setup/invitation-code.ts");
}
