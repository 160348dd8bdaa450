import { getNetwork } from "../../contract/routes/console-network.js";
import { type BoundRoute, bind } from "../exchange.js";

/** Where the hub is reached. */
export interface NetworkView {
  readonly name: string | null;
  readonly hostname: string;
  readonly addresses: readonly string[];
  readonly httpPort: number | null;
  readonly httpsPort: number | null;
  readonly mqttPort: number | null;
  readonly mqttsPort: number | null;
}

/** The hub's names, addresses and ports. */
export function networkRoutes(view: () => NetworkView): BoundRoute[] {
  return [
    bind(getNetwork, () => {
      const { addresses, ...rest } = view();
      return { status: 200, body: { network: { ...rest, addresses: [...addresses] } } };
    }),
  ];
}
