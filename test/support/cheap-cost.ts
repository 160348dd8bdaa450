import type { ScryptCost } from "../../src/features/access/password.ts";

/** A password hashing cost that a test can pay many times. */
export const CHEAP_COST: ScryptCost = { ln: 10, r: 8, p: 1 };
