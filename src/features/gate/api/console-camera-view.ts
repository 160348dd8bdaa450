import { type Static, Type } from "typebox";
import { DeviceIdParams, person, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, freeObject, nullable, oneOf, words } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

/** Largest picture that can be tried. */
const MAX_PICTURE_BYTES = 4 * 1024 * 1024;

const Corner = Type.Unsafe<readonly [x: number, y: number]>(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }));

/** A plate where it is in the picture. */
export const SeenPlate = Type.Object(
  {
    plate: nullable(Type.String(), { description: "Normalised; null where no plate could be made out." }),
    formatted: nullable(Type.String()),
    text: Type.String({ description: "Letters and digits as seen, before any correction." }),
    status: oneOf(["recognised", "unrecognised"]),
    confidence: Type.Integer({ minimum: 0, maximum: 100 }),
    corners: Type.Array(Corner, {
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
  reason: nullable(Type.String(), {
    description: "Why nothing was recognised, in the words of a plate read; null when something was.",
  }),
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
  proof: "none",
  params: DeviceIdParams,
  query: Type.Object({ fresh: Type.Optional(Type.Boolean({ default: false })) }),
  responses: {
    200: { description: "The picture.", contentType: "image/jpeg" },
    204: { description: "There is none yet." },
  },
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
  proof: "none",
  params: DeviceIdParams,
  responses: {
    200: {
      description: "The picture that was read, and the plates in it. Null without a picture.",
      schema: Type.Object(
        {
          preview: nullable(
            Type.Object(
              { at: dateTime(), jpeg: Type.String({ description: "The picture, base64." }), ...seen },
              { title: "CameraPreview" },
            ),
          ),
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
  proof: "none",
  bodyType: "image/jpeg",
  maxBodyBytes: MAX_PICTURE_BYTES,
  responses: { 200: { description: "The plates in it.", schema: Type.Object(seen, { title: "PictureTried" }) } },
  problems: ["unavailable"],
});

/** `POST /api/cameras/look`. */
export const lookThroughSource = defineRoute({
  method: "POST",
  path: "/api/cameras/look",
  operationId: "lookThroughSource",
  tag: "Cameras",
  summary: "Fetch one picture from an address, before it is set for a camera",
  description: "For the set-up of a camera. Nothing is kept. A stream may take some seconds until its first picture.",
  access: session,
  proof: "none",
  body: Type.Object(
    {
      source: freeObject({
        description: "`{kind: snapshot, url}` or `{kind: rtsp, url}`.",
        examples: [{ kind: "snapshot", url: "http://192.168.1.30/snapshot.jpg" }],
      }),
    },
    { ...closed, title: "SourceLook" },
  ),
  responses: {
    200: {
      description: "The picture, or why there is none.",
      schema: Type.Object(
        {
          picture: nullable(
            Type.Object(
              {
                jpeg: Type.String({ description: "The picture, at most 960 pixels wide, base64." }),
                width: Type.Integer({ description: "Of the camera's own picture, in pixels." }),
                height: Type.Integer(),
              },
              { title: "SourcePicture" },
            ),
          ),
          trouble: nullable(Type.String(), { description: "In words for the owner." }),
          words: words(),
        },
        { title: "SourceLookAnswer" },
      ),
    },
  },
  problems: ["unavailable"],
});
