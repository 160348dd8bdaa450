/** The files with routes, one line each, for the types of the console's calls. */
export type Routes =
  | typeof import("./commands.ts")
  | typeof import("./console-devices.ts")
  | typeof import("./console-rooms.ts")
  | typeof import("./devices.ts")
  | typeof import("./rooms.ts");
