import { Type } from "typebox";
import { answer, DeviceIdParams, Done, session } from "../../../core/api/console-common.ts";
import { closed, freeObject, nullable, oneOf, text, words } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { ADVICE } from "../../../core/plates/camera-advice.ts";
import { PlateRead } from "../resources/plate-read.ts";

const direction = nullable(oneOf(["in", "out"]));
const gateLink = nullable(
  Type.Object(
    {
      deviceId: Type.String({ minLength: 1, maxLength: 64 }),
      command: freeObject({ description: "As for the command endpoint.", examples: [{ open: true }] }),
    },
    { ...closed, title: "GateLink" },
  ),
  { description: "Device and command to send on `allow`, and only then." },
);
const presented = oneOf(["open", "ask", "refuse"], {
  description:
    "What follows when a listed plate seems to be presented, on paper or a screen, and not to come on a vehicle. A repeated picture counts at once, everything else once the lane is learned.",
});
/** A polygon in fractions of width and height. */
type Polygon = readonly (readonly [number, number])[];

/** What triggers a camera. */
export interface CameraWatch {
  readonly kind: "motion" | "periodic" | "loop" | "onvif" | "manual";
  readonly sensitivity?: number;
  readonly mask?: readonly Polygon[];
  readonly everySeconds?: number;
  readonly deviceId?: string;
  readonly field?: string;
  readonly value?: unknown;
  /** Of the camera's ONVIF service; its sign-in is the source's. */
  readonly address?: string;
}

/** Where pictures come from. */
export interface CameraSource {
  readonly kind: "native" | "snapshot" | "rtsp";
  readonly url?: string;
  /** Write-only: no answer has it. */
  readonly password?: string;
  readonly watch?: CameraWatch;
  readonly [member: string]: unknown;
}

const source = freeObject<CameraSource>({
  description:
    "Where its pictures come from: `{kind: native}` (MQTT captures and HTTP push), `{kind: snapshot, url, watch}` or `{kind: rtsp, url, watch}`; `watch` is motion (sensitivity, mask), periodic (everySeconds), loop (deviceId, field, value), onvif (address: the camera's own motion events) or manual. `password` is for the address's user and is only ever taken: answers have neither it nor one in the address, and `***` stands for one in a path or query. Where it is left out, the stored one stays as long as scheme, host, port and user do; for another address it has to be given again.",
  examples: [{ kind: "native" }],
});

/** How a camera at a gate is set up. */
const Camera = Type.Object(
  {
    deviceId: Type.String(),
    enabled: Type.Boolean(),
    direction: nullable(oneOf(["in", "out"]), {
      description: "Of an in or out lane; null where the track through the picture decides.",
    }),
    approach: nullable(oneOf(["in", "out"]), {
      description: "Which direction a vehicle has that comes closer; null: not known.",
    }),
    insideGate: Type.Boolean({ description: "An `in` read here means that the vehicle got in, also a denied one." }),
    gate: gateLink,
    presented,
    learned: Type.Object(
      {
        passes: Type.Integer({ minimum: 0, description: "Accepted passes that are kept, 200 at most." }),
        of: Type.Integer({ minimum: 1, description: "Passes after which the camera knows its lane." }),
      },
      { title: "CameraLearned", description: "What the camera has learned of where and how plates come." },
    ),
    source,
    hasPassword: Type.Boolean({ description: "Whether a password is stored for the source." }),
    state: oneOf(["native", "waiting", "ok", "trouble"], {
      description: "How its source fares; native: the camera sends by itself.",
    }),
    trouble: nullable(Type.String()),
    words: words(),
  },
  { title: "Camera" },
);

/** How the recogniser keeps up with the cameras. */
export const RecogniserState = Type.Object(
  {
    ready: Type.Boolean(),
    text: Type.String({ description: "In plain words, why plates are read or not." }),
    words: words(),
    waitingBursts: Type.Integer({ minimum: 0 }),
    waitingFrames: Type.Integer({ minimum: 0 }),
    framesDropped: Type.Integer({
      minimum: 0,
      description: "Frames given up since the start because too many waited.",
    }),
    timeouts: Type.Integer({ minimum: 0, description: "Bursts over their time budget since the start." }),
    frameMs: Type.Number({ minimum: 0, description: "Time of the latest frame." }),
    lastDecisionMs: nullable(Type.Number(), { description: "From the last frame's arrival to the latest decision." }),
  },
  { title: "RecogniserState" },
);

/** `GET /api/cameras`. */
export const listCameras = defineRoute({
  method: "GET",
  path: "/api/cameras",
  operationId: "listCameras",
  tag: "Cameras",
  summary: "List the cameras with their settings",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "By device name, with how the recogniser keeps up.",
      schema: Type.Object({ cameras: Type.Array(Camera), recogniser: RecogniserState }, { title: "CameraList" }),
    },
  },
});

/** Addresses of pictures at cameras of one maker. */
export const CameraPreset = Type.Object(
  {
    id: Type.String(),
    maker: Type.String(),
    user: nullable(Type.String(), { description: "The usual user name; null where there is none." }),
    note: nullable(Type.String(), { description: "What has to be switched on in the camera first." }),
    addresses: Type.Array(
      Type.Object(
        {
          kind: oneOf(["snapshot", "rtsp"]),
          label: oneOf(["main", "small", "picture"]),
          url: Type.String({
            description:
              "With `{host}`, `{user}`, `{password}`, `{channel}` or `{name}` to be filled in, percent-encoded.",
          }),
        },
        { title: "CameraPresetAddress" },
      ),
    ),
  },
  { title: "CameraPreset" },
);

/** `GET /api/cameras/presets`. */
export const listCameraPresets = defineRoute({
  method: "GET",
  path: "/api/cameras/presets",
  operationId: "listCameraPresets",
  tag: "Cameras",
  summary: "List the addresses that cameras of common makers use",
  access: session,
  proof: "none",
  responses: {
    200: { description: "By maker.", schema: answer("presets", Type.Array(CameraPreset), "CameraPresetList") },
  },
});

/** A camera that answered a search of the network. */
export const FoundCamera = Type.Object(
  {
    endpoint: Type.String({ description: "The camera's own permanent name." }),
    address: Type.String({ description: "Its ONVIF address, for `inspectCamera` and for `watch: {kind: onvif}`." }),
    host: Type.String(),
    name: nullable(Type.String()),
    hardware: nullable(Type.String()),
    deviceIds: Type.Array(Type.String(), { description: "Cameras of the hub whose source has this host." }),
  },
  { title: "FoundCamera" },
);

/** `GET /api/cameras/discover`. */
export const discoverCameras = defineRoute({
  method: "GET",
  path: "/api/cameras/discover",
  operationId: "discoverCameras",
  tag: "Cameras",
  summary: "Search the network for ONVIF cameras",
  description: "Takes about three seconds. Cameras whose ONVIF is switched off, or in another network, do not answer.",
  access: session,
  proof: "none",
  responses: {
    200: { description: "By host.", schema: answer("cameras", Type.Array(FoundCamera), "FoundCameraList") },
  },
});

/** What an ONVIF camera says of itself. */
export const InspectedCamera = Type.Object(
  {
    maker: nullable(Type.String()),
    model: nullable(Type.String()),
    firmware: nullable(Type.String()),
    hasMotionEvents: Type.Boolean({ description: "Whether `watch: {kind: onvif}` can be used." }),
    profiles: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          encoding: nullable(Type.String()),
          width: nullable(Type.Integer()),
          height: nullable(Type.Integer()),
          streamUrl: nullable(Type.String()),
          snapshotUrl: nullable(Type.String()),
        },
        { title: "CameraProfile" },
      ),
      { description: "The largest picture first. The addresses carry the sign-in that was given." },
    ),
  },
  { title: "InspectedCamera" },
);

/** `POST /api/cameras/inspect`. */
export const inspectCamera = defineRoute({
  method: "POST",
  path: "/api/cameras/inspect",
  operationId: "inspectCamera",
  tag: "Cameras",
  summary: "Ask an ONVIF camera for its addresses",
  access: session,
  proof: "none",
  body: Type.Object(
    {
      address: text(500, {
        description: "As `discoverCameras` gives it, or just the camera's host.",
        examples: ["192.168.1.64"],
      }),
      user: Type.Optional(text(64, { minLength: 0 })),
      password: Type.Optional(Type.String({ maxLength: 128, format: "password" })),
    },
    { ...closed, title: "CameraInspection" },
  ),
  responses: {
    200: { description: "What the camera says.", schema: answer("camera", InspectedCamera, "InspectedCameraAnswer") },
  },
  problems: ["conflict"],
});

/** `PATCH /api/cameras/{id}`. */
export const editCamera = defineRoute({
  method: "PATCH",
  path: "/api/cameras/{id}",
  operationId: "editCamera",
  tag: "Cameras",
  summary: "Set up a camera",
  access: session,
  proof: {
    when: "the source, the gate, or what follows for presented plates changes",
    needed: ({ source: from, gate, presented: follows }) =>
      from !== undefined || gate !== undefined || follows !== undefined,
  },
  params: DeviceIdParams,
  body: Type.Object(
    {
      enabled: Type.Optional(Type.Boolean()),
      direction: Type.Optional(direction),
      approach: Type.Optional(direction),
      insideGate: Type.Optional(Type.Boolean()),
      gate: Type.Optional(gateLink),
      presented: Type.Optional(presented),
      source: Type.Optional(source),
    },
    { ...closed, minProperties: 1, title: "CameraPatch" },
  ),
  responses: { 200: { description: "The camera.", schema: answer("camera", Camera, "CameraAnswer") } },
  problems: ["device_not_found", "unknown_device"],
});

/** `POST /api/cameras/{id}/capture`. */
export const captureNow = defineRoute({
  method: "POST",
  path: "/api/cameras/{id}/capture",
  operationId: "captureNow",
  tag: "Cameras",
  summary: "Look through a camera now",
  access: session,
  proof: "none",
  params: DeviceIdParams,
  responses: { 202: { description: "It looks; the read follows.", schema: Done } },
  problems: ["device_not_found", "conflict"],
});

/** `POST /api/cameras/{id}/burst`. */
export const pushBurst = defineRoute({
  method: "POST",
  path: "/api/cameras/{id}/burst",
  operationId: "pushBurst",
  tag: "Cameras",
  summary: "Send pictures of one capture",
  description:
    "One `image/jpeg`, or up to 12 file parts of `multipart/form-data` in order. Answers once they are read, decided and stored. A camera may send its own with its MQTT user name and password (Basic authentication, sent with the first request); what was read is not told to it.",
  access: { kind: "session", device: true },
  proof: "none",
  params: DeviceIdParams,
  query: Type.Object({
    direction: Type.Optional(oneOf(["in", "out"])),
    trigger: Type.Optional(oneOf(["motion", "loop", "manual", "periodic"])),
  }),
  bodyType: "image/jpeg, multipart/form-data",
  maxBodyBytes: 16 * 1024 * 1024,
  responses: {
    201: {
      description: "What was read.",
      schema: Type.Object({ captureId: Type.Integer(), reads: Type.Array(PlateRead) }, { title: "BurstAnswer" }),
    },
  },
  problems: ["device_not_found", "limit_reached"],
});

const HourQuality = Type.Object(
  {
    hour: Type.Integer({ minimum: 0, maximum: 23, description: "By the clock of the house." }),
    plates: Type.Integer({ minimum: 1 }),
    read: Type.Integer({ minimum: 0, description: "Of these, those that were read, and not corrected." }),
    letterPx: Type.Integer({ description: "Height of the letters in the stored picture. Medians, as below." }),
    smear: Type.Number({ description: "Width of an edge as a share of the letters' height." }),
    light: Type.Integer({ description: "Grey of the plate's brightest parts, 0 to 255." }),
    tilt: Type.Integer({ description: "Degrees." }),
    glare: Type.Integer({ minimum: 0, maximum: 100, description: "Percent of the plates with washed out parts." }),
  },
  { title: "HourQuality" },
);

const CameraAdvice = Type.Object(
  {
    code: oneOf(ADVICE),
    share: Type.Integer({ minimum: 0, maximum: 100, description: "Percent of the plates that it concerns." }),
    hours: nullable(Type.Object({ from: Type.Integer(), to: Type.Integer() }, { title: "AdviceHours" }), {
      description: "Hours of the day that it concerns; null: all.",
    }),
    values: freeObject<{ readonly [name: string]: number }>({
      description: "Figures: `px`, `closer` (percent), `zoom`, `degrees`, `glare` (percent).",
    }),
  },
  { title: "CameraAdvice" },
);

/** `GET /api/cameras/{id}/doctor`. */
export const diagnoseCamera = defineRoute({
  method: "GET",
  path: "/api/cameras/{id}/doctor",
  operationId: "diagnoseCamera",
  tag: "Cameras",
  summary: "Say what to change about a camera, by the plates that it has seen",
  description: "From the stored pictures of the last seven days, at most 48 of them. Kept for ten minutes.",
  access: session,
  proof: "none",
  params: DeviceIdParams,
  responses: {
    200: {
      description: "The findings.",
      schema: answer(
        "diagnosis",
        Type.Object(
          {
            plates: Type.Integer({ minimum: 0, description: "That were measured." }),
            empty: Type.Integer({ minimum: 0, description: "Bursts without any plate." }),
            bursts: Type.Integer({ minimum: 0, description: "All bursts that were looked at." }),
            hours: Type.Array(HourQuality),
            advice: Type.Array(CameraAdvice, { description: "The most common first." }),
          },
          { title: "CameraDiagnosis" },
        ),
        "CameraDiagnosisAnswer",
      ),
    },
  },
  problems: ["device_not_found", "unavailable"],
});
