/** The files with routes, one line each, for the types of the console's calls. */
export type Routes =
  | typeof import("./console-hints.ts")
  | typeof import("./console-history.ts")
  | typeof import("./console-logs.ts")
  | typeof import("./console-network.ts")
  | typeof import("./console-overview.ts")
  | typeof import("./console-system.ts")
  | typeof import("./console-wear.ts")
  | typeof import("./health.ts")
  | typeof import("./stream.ts");
