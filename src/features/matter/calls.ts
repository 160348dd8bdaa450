/**
 * The protocol between the hub and the Matter process: every shape is here or in the `calls.ts` of a part, and checked
 * on receipt. Both sides import this file; it knows no Matter library.
 */
import { Type } from "typebox";
import { BRIDGE_TO_HUB, BRIDGE_TO_PROCESS } from "./bridge/calls.ts";
import { CONTROLLER_TO_HUB, CONTROLLER_TO_PROCESS } from "./controller/calls.ts";

/** No content. */
const NOTHING = Type.Null();

const LEVEL = Type.Union([Type.Literal("debug"), Type.Literal("info"), Type.Literal("warn"), Type.Literal("error")]);

/** The hub's calls to the process. */
export const TO_PROCESS = {
  /** The first call: opens storage and the network, and starts every part. */
  "host.start": {
    input: Type.Object({
      /** Its own folder in the data folder, absolute. */
      folder: Type.String({ minLength: 1, maxLength: 4_096 }),
      /** UDP port of the bridge; 0 takes any free one. */
      port: Type.Integer({ minimum: 0, maximum: 65_535 }),
      /** The network interface that Matter is limited to; empty: all. */
      networkInterface: Type.String({ maxLength: 64 }),
      logLevel: LEVEL,
      /** The hub's, shown in apps. */
      version: Type.String({ maxLength: 64 }),
      serial: Type.String({ minLength: 1, maxLength: 32 }),
    }),
    output: NOTHING,
  },
  /** Closes everything in an orderly way; the process ends afterwards. */
  "host.stop": { input: NOTHING, output: NOTHING },
  ...BRIDGE_TO_PROCESS,
  ...CONTROLLER_TO_PROCESS,
} as const;

/** The process's calls to the hub. */
export const TO_HUB = {
  /** Comes every few seconds; a process that falls silent is ended. */
  "host.figures": {
    input: Type.Object({
      rssBytes: Type.Integer({ minimum: 0 }),
      heapBytes: Type.Integer({ minimum: 0 }),
      loopDelayMs: Type.Number({ minimum: 0 }),
    }),
    output: NOTHING,
  },
  "host.log": {
    input: Type.Object({
      level: LEVEL,
      facility: Type.String({ maxLength: 80 }),
      text: Type.String({ maxLength: 2_000 }),
    }),
    output: NOTHING,
  },
  ...BRIDGE_TO_HUB,
  ...CONTROLLER_TO_HUB,
} as const;
