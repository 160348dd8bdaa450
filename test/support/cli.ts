import { runCli } from "../../src/cli/cli.ts";
import { CHEAP_COST } from "./cheap-cost.ts";
import { PROJECT_ROOT } from "./database.ts";

/** The result of a command. */
export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `gatehouse …` in this process on a data folder. */
export async function gatehouse(
  dataFolder: string,
  argv: readonly string[],
  options: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<CliResult> {
  let out = "";
  let err = "";
  const code = await runCli(argv, {
    env: { GATEHOUSE_DATA: dataFolder, GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true", ...options.env },
    out: (text) => (out += text),
    err: (text) => (err += text),
    readInput: async () => options.input ?? "",
    projectFolder: PROJECT_ROOT,
    version: "0.0.0",
    passwordCost: CHEAP_COST,
  });
  return { code, out, err };
}
