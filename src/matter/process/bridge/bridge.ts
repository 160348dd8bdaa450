import { Endpoint, ServerNode } from "@matter/main";
import { AggregatorEndpoint } from "@matter/main/endpoints/aggregator";
import type { PartContext, ProcessPart } from "../part.js";

/** The bridge: one node whose aggregator holds an endpoint for each exported device. */
export function bridgePart({ about, environment }: PartContext): ProcessPart {
  let node: ServerNode | null = null;
  return {
    name: "bridge",
    async start() {
      node = await ServerNode.create({
        id: "bridge",
        environment,
        network: { port: about.port },
        productDescription: { name: "Gatehouse", deviceType: AggregatorEndpoint.deviceType },
      });
      await node.add(new Endpoint(AggregatorEndpoint, { id: "aggregator" }));
      await node.start();
    },
    async stop() {
      await node?.close();
      node = null;
    },
  };
}
