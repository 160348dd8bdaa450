import { Type } from "typebox";
import { nullable } from "../resources/fields.js";
import { defineRoute } from "../route.js";
import { answer, session } from "./console-common.js";

const port = (description: string) => nullable(Type.Integer({ minimum: 1, maximum: 65_535 }), { description });

const Network = Type.Object(
  {
    name: nullable(Type.String({ examples: ["gatehouse.local"] }), { description: "Announced on the network (mDNS); null while that is off." }),
    hostname: Type.String(),
    addresses: Type.Array(Type.String(), { description: "Of this box, IPv4 first." }),
    httpPort: port("Null while nothing listens."),
    httpsPort: port("Null while TLS is off."),
    mqttPort: port("What devices connect to; null while the broker does not run."),
    mqttsPort: port("Null while TLS is off."),
  },
  { title: "Network" },
);

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
  responses: { 200: { description: "As it is now.", schema: answer("network", Network, "NetworkAnswer") } },
  problems: [],
});
