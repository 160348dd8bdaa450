// @ts-check
/**
 * Stands in the tests for tap's `tcompare` (bundle-packages.mjs). There, a text in a pattern matches any text that it is
 * part of: `{ code: "conflict" }` would match the code `conflicting` too, and no test would notice a code that has become
 * another. Codes, and what else programs compare, have to be equal here; what a message says may still be told by a part
 * of it.
 */
import { Match } from "tcompare";

const COMPARED = new Set(
  "code reason kind status outcome result field event type id name key op do topic family plate direction decision role mode scope metric method action actor deviceId clientId username eventId bindingState phase moving".split(
    " ",
  ),
);
const matches = Match.prototype.test;

Match.prototype.test = function () {
  const { object, expect, key } = this;
  if (typeof expect === "string" && typeof object === "string" && COMPARED.has(key)) return object === expect;
  return matches.call(this);
};

export * from "tcompare";
