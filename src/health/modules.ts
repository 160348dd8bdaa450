import { brokenModules, type NativeModule } from "../kernel/native-modules.js";
import type { HealthText } from "../text/keys.js";
import type { HealthCheck } from "./health.js";

/** Whether the compiled parts of the program can be used, and what does not work without them. */
export function modulesCheck(broken = brokenModules): HealthCheck {
  return {
    code: "modules",
    check: () => {
      const names = broken();
      return names.length === 0
        ? { level: "ok", words: { code: "modules.ok" } }
        : { level: "degraded", words: lackOf(names) };
    },
  };
}

function lackOf(broken: readonly NativeModule[]): HealthText {
  const lacks = (...names: NativeModule[]): string => (names.some((name) => broken.includes(name)) ? "yes" : "no");
  return {
    code: "modules.broken",
    names: broken.join(", "),
    reading: lacks("sharp", "onnxruntime-node"),
    pictures: lacks("sharp"),
    notifying: lacks("unix-dgram"),
  };
}
