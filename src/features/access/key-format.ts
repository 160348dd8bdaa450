import type { Env } from "../../core/api/caller.ts";
import { crc32Base62, randomBase62 } from "../../core/kernel/ids.ts";

const SHAPE = /^gth_(live|test)_[0-9A-Za-z]{36}$/;
const RANDOM_LENGTH = 30;

/**
 * A new API key: `gth_live_` or `gth_test_`, 30 random base62 digits (178 bits), 6 digits of CRC-32 over all before
 * them.
 */
export function makeKeyText(env: Env): string {
  const body = `gth_${env}_${randomBase62(RANDOM_LENGTH)}`;
  return body + crc32Base62(body);
}

/** Whether `text` has the form of a key. Its check digits are for programs that look for keys in what people publish. */
export function isKeyText(text: string): boolean {
  return SHAPE.test(text);
}

/** The part of a key that may always be shown: enough to recognise it, too little to use it. */
export function shownPartsOf(text: string): { readonly prefix: string; readonly lastFour: string } {
  return { prefix: text.slice(0, "gth_live_".length + 4), lastFour: text.slice(-4) };
}
