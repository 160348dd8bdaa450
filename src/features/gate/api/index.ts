/** The files with routes, one line each, for the types of the console's calls. */
export type Routes =
  | typeof import("./console-camera-view.ts")
  | typeof import("./console-cameras.ts")
  | typeof import("./console-gate.ts")
  | typeof import("./console-plates.ts")
  | typeof import("./console-reads.ts")
  | typeof import("./gate-questions.ts")
  | typeof import("./guest-passes.ts")
  | typeof import("./plate-rules.ts")
  | typeof import("./plates.ts")
  | typeof import("./vehicles.ts");
