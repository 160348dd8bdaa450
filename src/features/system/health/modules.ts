import type { HealthCheck } from "../../../core/health/health.ts";
import { brokenModules, type NativeModule } from "../../../core/kernel/native-modules.ts";
import type { HealthText } from "../../../core/text/keys.ts";

/** Whether the compiled parts of the program are usable, and what does not work without them. */
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
