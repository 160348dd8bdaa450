import type { Base } from "../../core/base.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { readEstateConfig } from "./config.ts";

/** A hub's membership of an estate. */
interface EstateMembership {
  readonly estate: string;
  readonly hub: string;
  readonly name: string;
  readonly part: string;
  readonly role: "gate" | "manager";
}

/** How a hub joins an estate with an invitation's code. */
export interface EstateEntry {
  /** Null if the hub is in none. */
  readonly present: () => EstateMembership | null;
  /** Whether a text is a valid code. */
  readonly isCode: (code: string) => Promise<boolean>;
  /**
   * Asks the inviting hub; nothing takes effect before `take`. Asking again with the same code gives the same result.
   * @throws Problem forbidden, unavailable
   */
  readonly ask: (
    code: string,
  ) => Promise<{ readonly membership: EstateMembership; readonly take: () => Promise<void> }>;
}

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
