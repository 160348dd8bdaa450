import type { Family } from "./family.js";

/** Every family the hub knows. Where two see the same device (its hardware address), the one further up keeps it. */
export const FAMILIES: readonly Family[] = [];
