/** The files with routes, one line each, for the types of the console's calls. */
export type Routes =
  | typeof import("./account.ts")
  | typeof import("./audit.ts")
  | typeof import("./authority.ts")
  | typeof import("./console-keys.ts")
  | typeof import("./console-me.ts")
  | typeof import("./console-passkeys.ts")
  | typeof import("./console-persons.ts")
  | typeof import("./console-reset.ts")
  | typeof import("./console-session.ts")
  | typeof import("./console-site.ts")
  | typeof import("./pairing.ts");
