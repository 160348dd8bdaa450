import { Type } from "typebox";
import { defineRoute } from "../../../core/api/route.ts";
import { STREAM_EVENT_NAMES, STREAM_EVENTS, STREAM_SCHEMAS } from "../../../core/api/stream-event.ts";

/** `GET /v1/stream`. */
export const streamEvents = defineRoute({
  method: "GET",
  path: "/v1/stream",
  operationId: "streamEvents",
  tag: "Live",
  summary: "What happens, as it happens",
  description: [
    "Server-sent events. Each has the members of a webhook's delivery: `id`, `event`, `deviceId`, `data`, `at`. A credential is told what its scopes reach: `devices:read` of states, presence and edits, `telemetry:read` of samples, `events:read` of the feed and of what devices say, `plates:read` of reads, visits and occupancy, `scenes:read` of scenes. One that can hear nothing of what it asks for gets 403.",
    "First comes what was missed since `Last-Event-ID`, then `stream.ready`: load what you show after it. The hub keeps an hour, within bounds (10,000 events of a household, and 5,000 samples; a restart keeps none). What it no longer has it says: `stream.gap` names the events that may be missing, and why; load what you show again.",
    "Every 15 seconds comes a comment, with the id to resume from. The stream ends when the credential ends, and when a reader takes nothing for half a minute. Of one credential ten streams are open at a time, of all 128; past that the oldest ends, and is asked to wait a minute.",
    `Events: ${STREAM_EVENT_NAMES.map((name) => `\`${name}\` (${STREAM_EVENTS[name].description.replace(/\.$/, "")})`).join(", ")}.`,
  ].join("\n\n"),
  access: { kind: "scope" },
  addition: true,
  query: Type.Object({
    types: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          "Names of events, with commas between them. One that does not exist is 400, one that the credential may not hear 403.",
      }),
    ),
    deviceId: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Only events of this device." })),
  }),
  responses: { 200: { description: "An event stream.", contentType: "text/event-stream", events: STREAM_SCHEMAS } },
  problems: ["device_not_found"],
  examples: [
    {
      name: "lights",
      query: { types: "device.state,device.online,device.offline" },
      status: 200,
      answer: [
        "retry: 2000\n",
        'id: 5f0c1b9a7d3e-812\nevent: stream.ready\ndata: {"id":"5f0c1b9a7d3e-812","event":"stream.ready","deviceId":null,"data":{"resumed":false},"at":"2026-03-01T12:00:00.000Z"}\n',
        'id: 5f0c1b9a7d3e-813\nevent: device.state\ndata: {"id":"5f0c1b9a7d3e-813","event":"device.state","deviceId":"plug-kitchen","data":{"state":{"power":true},"changed":["power"],"previous":{"power":false},"source":"api"},"at":"2026-03-01T12:00:03.412Z"}\n',
      ].join("\n"),
    },
  ],
});
