/**
 * The protocol between the hub and the Matter process for devices that join the hub. Both sides import this file; it
 * knows no Matter library.
 */
import { Type } from "typebox";
import { ATTRIBUTE_NAMES, type AttributeName, type Plain } from "./clusters.ts";
import { COMMANDED, type CommandedCluster } from "./commanded.ts";
import { MOST_ENDPOINTS } from "./node-view.ts";

const NODE = Type.String({ pattern: "^[0-9a-f]{16}$" });
const ENDPOINT = Type.Integer({ minimum: 0, maximum: 65_535 });
const NAME = Type.Unsafe<AttributeName>(Type.Enum([...ATTRIBUTE_NAMES]));
const PLAIN = Type.Union([Type.Number(), Type.Boolean(), Type.String({ maxLength: 400 }), Type.Null()]);
const VALUES = Type.Unsafe<Partial<Record<AttributeName, Plain>>>(
  Type.Object(Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, Type.Optional(PLAIN)])), {
    additionalProperties: false,
  }),
);
const NUMBERS = Type.Array(ENDPOINT, { maxItems: MOST_ENDPOINTS });

/** Why a device did not join. */
const JOIN_FAILURES = ["not_found", "wrong_code", "refused", "full", "cancelled", "failed"] as const;

/** One of {@link JOIN_FAILURES}. */
export type JoinFailure = (typeof JOIN_FAILURES)[number];

const STEP = Type.Object({
  endpoint: ENDPOINT,
  cluster: Type.Unsafe<CommandedCluster>(Type.Enum([...COMMANDED])),
  invoke: Type.Optional(Type.String({ maxLength: 64 })),
  fields: Type.Optional(Type.Object({}, { additionalProperties: true })),
  write: Type.Optional(Type.String({ maxLength: 64 })),
  value: Type.Optional(Type.Number()),
});

/** The hub's calls to the process. */
export const CONTROLLER_TO_PROCESS = {
  /** Once for each run of the process: nodes that were removed while it did not run. It connects to the others. */
  "controller.resume": { input: Type.Object({ removed: Type.Array(NODE, { maxItems: 1_000 }) }), output: Type.Null() },
  /** Finds the device of a code and takes it into the hub's fabric; resolves when that is done or has failed. */
  "controller.join": {
    input: Type.Object({ code: Type.String({ minLength: 1, maxLength: 512 }) }),
    output: Type.Union([
      Type.Object({ node: NODE }),
      Type.Object({
        failed: Type.Unsafe<JoinFailure>(Type.Enum([...JOIN_FAILURES])),
        text: Type.String({ maxLength: 300 }),
      }),
    ]),
  },
  "controller.cancel": { input: Type.Null(), output: Type.Null() },
  "controller.command": {
    input: Type.Object({ node: NODE, steps: Type.Array(STEP, { minItems: 1, maxItems: 32 }) }),
    output: Type.Null(),
  },
  /**
   * Takes a node out of the fabric. `reached` false: it was offline, and keeps its knowledge of the hub until it is
   * reset.
   */
  "controller.leave": { input: Type.Object({ node: NODE }), output: Type.Object({ reached: Type.Boolean() }) },
} as const;

/** The process's calls to the hub. */
export const CONTROLLER_TO_HUB = {
  /** The progress of a joining device. */
  "controller.step": {
    input: Type.Object({ step: Type.Union([Type.Literal("joining"), Type.Literal("reading")]) }),
    output: Type.Null(),
  },
  /** A complete node: after it has joined, after each start, and when its endpoints have changed. */
  "controller.node": {
    input: Type.Object({
      node: NODE,
      endpoints: Type.Array(
        Type.Object({
          number: ENDPOINT,
          deviceTypes: Type.Array(Type.Integer({ minimum: 0, maximum: 0xffff_ffff }), { maxItems: 16 }),
          parts: NUMBERS,
          values: VALUES,
        }),
        { maxItems: MOST_ENDPOINTS },
      ),
    }),
    output: Type.Null(),
  },
  /** Changed values, and button presses. */
  "controller.report": {
    input: Type.Object({
      node: NODE,
      values: Type.Array(Type.Object({ endpoint: ENDPOINT, name: NAME, value: PLAIN }), { maxItems: 4_000 }),
      pressed: Type.Array(Type.Object({ endpoint: ENDPOINT, how: Type.String({ maxLength: 16 }) }), { maxItems: 32 }),
    }),
    output: Type.Null(),
  },
  "controller.reach": { input: Type.Object({ node: NODE, online: Type.Boolean() }), output: Type.Null() },
  /** The node reports that it has left, or the fabric does not know it. */
  "controller.gone": { input: Type.Object({ node: NODE }), output: Type.Null() },
} as const;
