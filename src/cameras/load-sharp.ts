import { expectModule, noteModuleTrouble } from "../kernel/native-modules.js";

/**
 * The library of pictures, which takes memory from its first use on.
 * @throws Error in one line if it cannot be loaded
 */
export async function loadSharp(): Promise<typeof import("sharp").default> {
  expectModule("sharp");
  try {
    return (await import("sharp")).default;
  } catch (error) {
    const [why = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    noteModuleTrouble("sharp", why);
    throw new Error(why, { cause: error });
  }
}
