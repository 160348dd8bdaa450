import { type Static, Type } from "typebox";
import { answer, Done, IdParams, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

const tag = "Other makes";
const count = (description: string) => Type.Integer({ minimum: 0, description });
const family = (description = "Name of a firmware family.") =>
  Type.String({ pattern: "^[a-z0-9]{1,32}$", description, examples: ["tasmota"] });

const BridgeFamilySchema = Type.Object(
  {
    name: family(),
    label: Type.String({ description: "As people know it.", examples: ["Tasmota"] }),
    source: Type.String({ description: "Where the family's protocol is documented." }),
    prefix: nullable(Type.String(), { description: "Base topic in use; null for families without one." }),
    defaultPrefix: nullable(Type.String(), {
      description: "Base topic unless the setting `bridge.prefixes` names another.",
    }),
    topics: Type.Array(Type.String(), { description: "Topic filters of the messages it understands." }),
    isGateway: Type.Boolean({ description: "Its credential holds everything below its base topic." }),
    readsPlates: Type.Boolean({ description: "Number plates that it reports may open gates." }),
    devices: count("Devices known of it."),
    clients: count("Clients of it that were accepted."),
  },
  { title: "BridgeFamily" },
);

/** A firmware family as the console shows it. */
export type BridgeFamily = Static<typeof BridgeFamilySchema>;

/** `GET /api/bridge/families`. */
export const listBridgeFamilies = defineRoute({
  method: "GET",
  path: "/api/bridge/families",
  operationId: "listBridgeFamilies",
  tag,
  summary: "List the firmware families that the hub speaks with",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "In order of preference: of two that see the same device the first keeps it.",
      schema: answer("families", Type.Array(BridgeFamilySchema), "BridgeFamilyList"),
    },
  },
});

const Pairing = Type.Object(
  {
    open: Type.Boolean(),
    until: nullable(dateTime(), { description: "When it closes by itself." }),
    waiting: count("Clients that wait to be accepted."),
  },
  { title: "BridgePairing" },
);
const OnePairing = answer("pairing", Pairing, "BridgePairingAnswer");

/** `GET /api/bridge/pairing`. */
export const getBridgePairing = defineRoute({
  method: "GET",
  path: "/api/bridge/pairing",
  operationId: "getBridgePairing",
  tag,
  summary: "Whether unknown clients are let in now",
  access: session,
  proof: "none",
  responses: { 200: { description: "The pairing window.", schema: OnePairing } },
});

/** `POST /api/bridge/pairing`. */
export const openBridgePairing = defineRoute({
  method: "POST",
  path: "/api/bridge/pairing",
  operationId: "openBridgePairing",
  tag,
  summary: "Let unknown clients in for some minutes",
  description:
    "Until the window closes, a client with any user name and password may connect; it waits to be accepted, may announce what it is, and does and hears nothing else. " +
    "A client without a password is refused.",
  access: session,
  proof: "none",
  body: Type.Object({ minutes: Type.Integer({ minimum: 1, maximum: 60 }) }, { ...closed, title: "BridgePairingInput" }),
  responses: { 200: { description: "The open window.", schema: OnePairing } },
  problems: ["unavailable"],
});

/** `DELETE /api/bridge/pairing`. */
export const closeBridgePairing = defineRoute({
  method: "DELETE",
  path: "/api/bridge/pairing",
  operationId: "closeBridgePairing",
  tag,
  summary: "Close the pairing window",
  description: "Clients that wait are cut off and let in no more; they stay in the list and can still be accepted.",
  access: session,
  proof: "none",
  responses: { 200: { description: "The closed window.", schema: OnePairing } },
});

const BridgeClient = Type.Object(
  {
    id: integerId(),
    username: Type.String(),
    name: Type.String({ description: "As the owner calls it; the user name until then." }),
    status: oneOf(["pending", "accepted", "refused"]),
    origin: oneOf(["paired", "made"], {
      description: "`paired`: it knocked while the window was open. `made`: its credential was made here.",
    }),
    family: nullable(family("Its family; null while nothing is known.")),
    families: Type.Array(family(), {
      description:
        "The families that it was accepted for, of one that waits those that it has shown. It speaks for no other.",
    }),
    clientId: nullable(Type.String(), { description: "MQTT client id of its last connection." }),
    address: nullable(Type.String(), { description: "Address of its last connection." }),
    connected: Type.Boolean(),
    firstSeen: nullable(dateTime()),
    lastSeen: nullable(dateTime()),
    devices: Type.Array(Type.String(), { description: "Ids of the devices that speak through it." }),
    announces: Type.Array(Type.Object({ family: family(), name: Type.String() }, { title: "BridgeAnnouncedDevice" }), {
      description:
        "Devices that it has shown while it waits. They become the hub's once it is accepted and announces them again.",
    }),
    topics: Type.Array(Type.String(), { description: "Some topics that it used last: they tell what it is." }),
  },
  { title: "BridgeClient" },
);
const OneClient = answer("client", BridgeClient, "BridgeClientAnswer");

const SetupStep = Type.Object(
  {
    title: Type.String(),
    kind: oneOf(["url", "command", "file", "form"], {
      description:
        "`url`: open it in a browser. `command`: paste it into the firmware's console. `file`: part of its configuration. `form`: values for its web page.",
    }),
    text: Type.String(),
  },
  { title: "BridgeSetupStep" },
);
const MadeClient = Type.Object(
  {
    client: BridgeClient,
    username: Type.String(),
    password: Type.String({ description: "Shown this once." }),
    steps: Type.Array(SetupStep, {
      description: "How the device is told, with this hub's address, user name and password filled in.",
    }),
  },
  { title: "BridgeClientMade" },
);

/** `GET /api/bridge/clients`. */
export const listBridgeClients = defineRoute({
  method: "GET",
  path: "/api/bridge/clients",
  operationId: "listBridgeClients",
  tag,
  summary: "List the clients of other makes",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "Waiting ones first, then by name.",
      schema: answer("clients", Type.Array(BridgeClient), "BridgeClientList"),
    },
  },
});

/** `POST /api/bridge/clients`. */
export const createBridgeClient = defineRoute({
  method: "POST",
  path: "/api/bridge/clients",
  operationId: "createBridgeClient",
  tag,
  summary: "Make a credential for a device of another make",
  description: "With the lines to paste. It works at once, whether the pairing window is open or not.",
  access: session,
  proof: "set-up",
  body: Type.Object({ family: family(), name: text(80) }, { ...closed, title: "BridgeClientInput" }),
  responses: { 201: { description: "The credential.", schema: MadeClient } },
  problems: ["limit_reached"],
});

/** `POST /api/bridge/clients/{id}/accept`. */
export const acceptBridgeClient = defineRoute({
  method: "POST",
  path: "/api/bridge/clients/{id}/accept",
  operationId: "acceptBridgeClient",
  tag,
  summary: "Accept a client",
  description:
    "From now on it may connect with the password that it knocked with, and speak for its own devices of these makes. Its connections end, so that it begins anew.",
  access: session,
  proof: "set-up",
  params: IdParams,
  body: Type.Object(
    {
      name: Type.Optional(text(80)),
      family: Type.Optional(
        family("Needed where it has not shown it yet, and for Frigate, whose plates may open a gate."),
      ),
      also: Type.Optional(
        Type.Array(family(), {
          maxItems: 16,
          description: "Further families under the same user name and password; without it those that it has shown.",
        }),
      ),
    },
    { ...closed, title: "BridgeClientAcceptance" },
  ),
  responses: { 200: { description: "The accepted client.", schema: OneClient } },
  problems: ["not_found"],
});

/** `POST /api/bridge/clients/{id}/refuse`. */
export const refuseBridgeClient = defineRoute({
  method: "POST",
  path: "/api/bridge/clients/{id}/refuse",
  operationId: "refuseBridgeClient",
  tag,
  summary: "Refuse a client",
  description:
    "It is disconnected and does not come in again under this user name, unless it is accepted or removed later. Nothing of it stays retained.",
  access: session,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "The refused client.", schema: OneClient } },
  problems: ["not_found"],
});

/** `POST /api/bridge/clients/{id}/password`. */
export const renewBridgeClientPassword = defineRoute({
  method: "POST",
  path: "/api/bridge/clients/{id}/password",
  operationId: "renewBridgeClientPassword",
  tag,
  summary: "Give a client a new password",
  description: "The old one ends at once; the answer has the lines to paste again.",
  access: session,
  proof: "fresh",
  params: IdParams,
  responses: { 200: { description: "The credential.", schema: MadeClient } },
  problems: ["not_found", "conflict"],
});

/** `DELETE /api/bridge/clients/{id}`. */
export const removeBridgeClient = defineRoute({
  method: "DELETE",
  path: "/api/bridge/clients/{id}",
  operationId: "removeBridgeClient",
  tag,
  summary: "Forget a client",
  description: "It is disconnected; its devices stay until they are removed.",
  access: session,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "Forgotten.", schema: Done } },
  problems: ["not_found"],
});

const BridgedDeviceSchema = Type.Object(
  {
    deviceId: Type.String(),
    family: family(),
    name: Type.String(),
    online: Type.Boolean(),
    manufacturer: nullable(Type.String()),
    model: nullable(Type.String()),
    firmware: nullable(Type.String()),
    address: nullable(Type.String(), { description: "Its own address on the LAN, where it tells it." }),
    hardware: Type.Array(Type.String(), { description: "MAC or IEEE addresses." }),
    clientId: nullable(integerId(), { description: "The client it speaks through; null while that is not known." }),
    alsoSeenBy: Type.Array(family(), {
      description: "Further families that announce the same device; the hub listens to `family` alone.",
    }),
    estimatedEnergy: Type.Boolean({
      description: "Some of its energy was counted over a gap or a reset and is an estimate.",
    }),
  },
  { title: "BridgedDevice" },
);

/** A bridged device as the console shows it. */
export type BridgedDevice = Static<typeof BridgedDeviceSchema>;

/** `GET /api/bridge/devices`. */
export const listBridgedDevices = defineRoute({
  method: "GET",
  path: "/api/bridge/devices",
  operationId: "listBridgedDevices",
  tag,
  summary: "List the devices of other makes",
  access: session,
  proof: "none",
  responses: {
    200: { description: "By name.", schema: answer("devices", Type.Array(BridgedDeviceSchema), "BridgedDeviceList") },
  },
});

const BridgeProblem = Type.Object(
  {
    family: family(),
    topic: Type.String(),
    reason: Type.String({ description: "In plain words." }),
    count: Type.Integer({ minimum: 1 }),
    lastAt: dateTime(),
    example: nullable(Type.String(), { description: "Start of the last such message." }),
  },
  { title: "BridgeProblem" },
);

/** `GET /api/bridge/problems`. */
export const listBridgeProblems = defineRoute({
  method: "GET",
  path: "/api/bridge/problems",
  operationId: "listBridgeProblems",
  tag,
  summary: "Messages that should have meant something and did not",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "The 200 latest kinds since the start, newest first.",
      schema: answer("problems", Type.Array(BridgeProblem), "BridgeProblemList"),
    },
  },
});

/** `DELETE /api/bridge/problems`. */
export const clearBridgeProblems = defineRoute({
  method: "DELETE",
  path: "/api/bridge/problems",
  operationId: "clearBridgeProblems",
  tag,
  summary: "Empty the list of problems",
  access: session,
  proof: "none",
  responses: { 200: { description: "Emptied.", schema: Done } },
});

const OrphanedTopic = Type.Object(
  {
    topic: Type.String(),
    bytes: count("Length of the message."),
    example: nullable(Type.String(), { description: "Its start, where it is text." }),
    family: nullable(family("The family that would understand it.")),
  },
  { title: "BridgeGhost" },
);

/** `GET /api/bridge/ghosts`. */
export const listOrphanedTopics = defineRoute({
  method: "GET",
  path: "/api/bridge/ghosts",
  operationId: "listBridgeGhosts",
  tag,
  summary: "Retained messages that belong to no device",
  description: "Left behind by devices that are gone: they announce them again at every start.",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "By topic; 1,000 at most.",
      schema: Type.Object(
        { ghosts: Type.Array(OrphanedTopic), total: count("All of them.") },
        { title: "BridgeGhostList" },
      ),
    },
  },
});

/** `POST /api/bridge/ghosts/clear`. */
export const clearOrphanedTopics = defineRoute({
  method: "POST",
  path: "/api/bridge/ghosts/clear",
  operationId: "clearBridgeGhosts",
  tag,
  summary: "Clear retained messages that belong to no device",
  description: "`topics`: these; without it all. A topic that is not orphaned is left alone.",
  access: session,
  proof: "none",
  body: Type.Object(
    {
      topics: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), { minItems: 1, maxItems: 1000 }),
      ),
    },
    { ...closed, title: "BridgeGhostSelection" },
  ),
  responses: {
    200: {
      description: "How many went.",
      schema: Type.Object({ cleared: count("Topics cleared.") }, { title: "BridgeGhostsCleared" }),
    },
  },
});
