// @ts-check
/**
 * In place of tap's root where several files run in one process (several-tests.mjs): the test of the file that runs.
 * `export *` passes on the rest of tap.
 */
import root from "tap";

/** @type {import("tap").Test} */
let t = root;

export * from "tap";
export { t, t as default };

/** @param {import("tap").Test} test */
export const standFor = (test) => {
  t = test;
};
