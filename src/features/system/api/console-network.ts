import { type Static, Type } from "typebox";
import { answer, session } from "../../../core/api/console-common.ts";
import { dateTime, nullable, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

const port = (description: string) => nullable(Type.Integer({ minimum: 1, maximum: 65_535 }), { description });

const NetworkSchema = Type.Object(
  {
    name: nullable(Type.String({ examples: ["gatehouse.local"] }), {
      description: "Announced on the network (mDNS); null while that is off.",
    }),
    hostname: Type.String(),
    addresses: Type.Array(Type.String(), { description: "Of this box, IPv4 first." }),
    certifiedAddresses: Type.Array(Type.String(), {
      description: "Those that the hub's own authority may vouch for: browsers that trust it warn at the others.",
    }),
    httpPort: port("Null while nothing listens."),
    httpsPort: port("Null while TLS is off."),
    mqttPort: port("What devices connect to; null while the broker does not run."),
    mqttsPort: port("Null while TLS is off."),
    plainHttp: oneOf(["open", "closed"], { description: "Closed: plain http gets the way to https and nothing else." }),
    authority: nullable(
      Type.Object({
        kind: oneOf(["own", "boundless", "given"], {
          description:
            "own: vouches for the home network only; boundless: of an earlier version, for any name; given: the installer's.",
        }),
        fingerprint: Type.String({ description: "SHA-256, as hex with colons." }),
        notAfter: dateTime(),
      }),
      { description: "The hub's own authority; null without one." },
    ),
  },
  { title: "Network" },
);

/** The hub's addresses. */
export type Network = Static<typeof NetworkSchema>;

/** `GET /api/network`. */
export const getNetwork = defineRoute({
  method: "GET",
  path: "/api/network",
  operationId: "getNetwork",
  tag: "System",
  summary: "Names, addresses and ports under which the hub is reached",
  description: "The ports that really listen, also where a setting is 0.",
  access: session,
  proof: "none",
  responses: { 200: { description: "As it is now.", schema: answer("network", NetworkSchema, "NetworkAnswer") } },
});

/** `POST /api/network/authority`. */
export const renewAuthority = defineRoute({
  method: "POST",
  path: "/api/network/authority",
  operationId: "renewAuthority",
  tag: "System",
  summary: "Make a new authority of the hub",
  description:
    "Serves a certificate of the new authority at once. Everybody has to trust it anew: phones and computers at `/ca`, devices with encryption at `/ca-devices.crt`.",
  access: session,
  proof: "fresh",
  responses: { 200: { description: "As it is now.", schema: answer("network", NetworkSchema, "NetworkAnswer") } },
  problems: ["conflict"],
});
