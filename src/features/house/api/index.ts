/** The files with routes, one line each, for the types of the console's calls. */
export type Routes = typeof import("./console-house.ts");
