import { type Static, Type } from "typebox";
import { dateTime, nullable, oneOf } from "../resources/fields.js";
import { defineRoute } from "../route.js";
import { DeviceIdParams, person, session } from "./console-common.js";

/** Largest picture that can be tried. */
const MAX_PICTURE_BYTES = 4 * 1024 * 1024;

/** A plate where it is in the picture. */
export const SeenPlate = Type.Object(
  {
    plate: nullable(Type.String(), { description: "Normalised; null where no plate could be made out." }),
    formatted: nullable(Type.String()),
    text: Type.String({ description: "Letters and digits as seen, before any correction." }),
    status: oneOf(["recognised", "unrecognised"]),
    confidence: Type.Integer({ minimum: 0, maximum: 100 }),
    corners: Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
      minItems: 4,
      maxItems: 4,
      description: "Top left, top right, bottom right, bottom left, as shares of the picture's width and height.",
    }),
  },
  { title: "SeenPlate" },
);

/** A plate in a picture as a value. */
export type SeenPlate = Static<typeof SeenPlate>;

const seen = {
  plates: Type.Array(SeenPlate, { description: "Recognised ones first." }),
  reason: nullable(Type.String(), { description: "Why nothing was recognised, in the words of a plate read; null when something was." }),
  tookMs: Type.Integer({ minimum: 0 }),
};

/** `GET /api/cameras/{id}/frame`. */
export const getCameraFrame = defineRoute({
  method: "GET",
  path: "/api/cameras/{id}/frame",
  operationId: "getCameraFrame",
  tag: "Cameras",
  summary: "The latest picture of a camera",
  description:
    '`fresh=true` asks the camera once, unless its picture is younger than a second: a source of the hub is looked through, a native camera is sent `{"capture":true}`. Last-Modified says when the picture came. Pictures shown here are kept in memory only.',
  access: person,
  params: DeviceIdParams,
  query: Type.Object({ fresh: Type.Optional(Type.Boolean({ default: false })) }),
  responses: { 200: { description: "The picture.", contentType: "image/jpeg" }, 204: { description: "There is none yet." } },
  problems: ["device_not_found"],
});

/** `POST /api/cameras/{id}/preview`. */
export const previewCamera = defineRoute({
  method: "POST",
  path: "/api/cameras/{id}/preview",
  operationId: "previewCamera",
  tag: "Cameras",
  summary: "Look through a camera and say where plates are, without keeping or deciding anything",
  access: session,
  params: DeviceIdParams,
  responses: {
    200: {
      description: "The picture that was read, and the plates in it. Null without a picture.",
      schema: Type.Object(
        {
          preview: nullable(Type.Object({ at: dateTime(), jpeg: Type.String({ description: "The picture, base64." }), ...seen }, { title: "CameraPreview" })),
        },
        { title: "CameraPreviewAnswer" },
      ),
    },
  },
  problems: ["device_not_found", "unavailable"],
});

/** `POST /api/plates/try`. */
export const tryPicture = defineRoute({
  method: "POST",
  path: "/api/plates/try",
  operationId: "tryPicture",
  tag: "Plates",
  summary: "Read the plates of a picture, without keeping or deciding anything",
  access: session,
  bodyType: "image/jpeg",
  maxBodyBytes: MAX_PICTURE_BYTES,
  responses: { 200: { description: "The plates in it.", schema: Type.Object(seen, { title: "PictureTried" }) } },
  problems: ["unavailable"],
});
