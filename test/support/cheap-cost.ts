import type { ScryptCost } from "../../src/features/access/password.ts";

/** What hashing a password costs where a test can pay it many times. */
export const CHEAP_COST: ScryptCost = { ln: 10, r: 8, p: 1 };
