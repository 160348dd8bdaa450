// @ts-check
/**
 * Loaded into the hubs that tests start (--require): scrypt takes a few milliseconds in them instead of some tenths of a
 * second. What such a hub has hashed, only another one like it can compare.
 */
const crypto = require("node:crypto");
const { syncBuiltinESMExports } = require("node:module");

const { scrypt } = crypto;
const MOST_N = 2 ** 10;

Object.assign(crypto, {
  /** @type {typeof scrypt} */
  scrypt: (
    /** @type {crypto.BinaryLike} */ password,
    /** @type {crypto.BinaryLike} */ salt,
    /** @type {number} */ length,
    /** @type {crypto.ScryptOptions} */ { N = MOST_N, ...rest },
    /** @type {(error: Error | null, key: Buffer) => void} */ done,
  ) => scrypt(password, salt, length, { ...rest, N: Math.min(N, MOST_N), p: 1 }, done),
});
syncBuiltinESMExports();
