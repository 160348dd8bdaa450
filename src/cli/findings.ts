import type { Settings } from "../core/settings/schema.ts";
import type { CliIo } from "./command.ts";

/** What one check of `gatehouse doctor` found. */
export interface Finding {
  readonly code: string;
  readonly level: "ok" | "warning" | "failed";
  /** What was found; for levels other than ok, with what to do. */
  readonly text: string;
}

/** What the checks look at. */
export interface Patient {
  readonly io: CliIo;
  readonly settings: Settings;
  readonly dataFolder: string;
  readonly models: string;
  readonly running: boolean;
}

/** One check. */
export type Check = (patient: Patient) => Finding | Promise<Finding>;

/** Nothing is wrong. */
export function ok(code: string, text: string): Finding {
  return { code, level: "ok", text };
}

/** Something is not as it should be, but the hub runs all the same. */
export function warning(code: string, text: string): Finding {
  return { code, level: "warning", text };
}

/** Something that the settings ask for cannot work. */
export function bad(code: string, text: string): Finding {
  return { code, level: "failed", text };
}
