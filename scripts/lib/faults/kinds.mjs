// @ts-check
/**
 * Every kind of fault. Each gets a complete household and applies its fault; invariants.mjs checks the conditions
 * afterwards.
 */
import { clockFaults } from "./kinds-clock.mjs";
import { diskFaults } from "./kinds-disk.mjs";
import { fileFaults } from "./kinds-files.mjs";
import { killFaults } from "./kinds-kill.mjs";
import { namespaceFaults } from "./kinds-namespace.mjs";
import { networkFaults } from "./kinds-network.mjs";
import { outsideFaults } from "./kinds-outside.mjs";
import { startFaults } from "./kinds-start.mjs";

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {boolean} [quick] in the short form
 * @property {() => string | null} [lacks] what this machine lacks for it
 * @property {(house: import("./household.mjs").Household) => void} [mount] puts a disk of its own under the data folder
 * @property {(house: import("./household.mjs").Household, random: import("./random.mjs").Random, tools: Tools) =>
 *   Promise<string>} run does the harm, answers what it did
 *
 * @typedef {object} Tools
 * @property {string} scratch
 * @property {string | null} faultyDisk the compiled library
 * @property {string | null} lossyCable the compiled program
 */

/** @type {readonly Fault[]} */
export const FAULTS = [
  ...clockFaults,
  ...diskFaults,
  ...fileFaults,
  ...killFaults,
  ...networkFaults,
  ...namespaceFaults,
  ...outsideFaults,
  ...startFaults,
];
