import type { AttributeName, Plain } from "./clusters.ts";

/** Maximum endpoints examined of one node; those beyond it are ignored. */
export const MOST_ENDPOINTS = 128;
/** Devices of the hub that one node may become. */
const MOST_UNITS = 100;

/** One endpoint as the node describes it. */
export interface EndpointView {
  readonly number: number;
  /** Device types of the Matter Device Library. */
  readonly deviceTypes: readonly number[];
  /** Endpoints below it. */
  readonly parts: readonly number[];
  readonly values: Readonly<Partial<Record<AttributeName, Plain>>>;
}

/** A complete node. */
export interface NodeView {
  /** 16 hexadecimal digits; assigned by the hub, so a node cannot claim another's. */
  readonly node: string;
  readonly endpoints: readonly EndpointView[];
}

/** The part of a node that becomes one device of the hub. */
export interface Unit {
  /** Number of the endpoint after which it is named: it never changes. */
  readonly endpoint: number;
  /** The endpoint that gives maker, product and label: the node's own, or that of a device behind a bridge. */
  readonly about: EndpointView;
  readonly endpoints: readonly EndpointView[];
}

const BRIDGED_NODE = 0x13;
/**
 * Endpoints that are not devices by themselves: root, power source, bridge, update requestor and provider, electrical
 * sensor's topology.
 */
const NO_DEVICE: ReadonlySet<number> = new Set([0x16, 0x11, 0x0e, 0x12, 0x14]);

/**
 * The devices of a node (docs/decisions/0012-matter-devices.md). Each device behind a bridge is one. The rest is one
 * device, whose outputs are channels; if they can do more than be switched, each output is a device of its own, and
 * measurements belong to the first.
 */
export function unitsOf({ endpoints }: NodeView): Unit[] {
  const known = new Map(endpoints.slice(0, MOST_ENDPOINTS).map((endpoint) => [endpoint.number, endpoint]));
  const root = known.get(0);
  if (root === undefined) return [];
  const taken = new Set<number>([0]);
  const units: Unit[] = [];
  for (const endpoint of known.values()) {
    if (!endpoint.deviceTypes.includes(BRIDGED_NODE) || taken.has(endpoint.number)) continue;
    units.push(...divided(endpoint, family(endpoint, known, taken)));
  }
  const own = [...known.values()].filter(({ number }) => !taken.has(number));
  return [...divided(root, own), ...units].slice(0, MOST_UNITS);
}

/** An endpoint with all below it; a list that leads back to itself ends. */
function family(top: EndpointView, known: ReadonlyMap<number, EndpointView>, taken: Set<number>): EndpointView[] {
  const found: EndpointView[] = [];
  const open = [top];
  for (let endpoint = open.pop(); endpoint !== undefined; endpoint = open.pop()) {
    if (taken.has(endpoint.number)) continue;
    taken.add(endpoint.number);
    found.push(endpoint);
    for (const part of endpoint.parts) {
      const below = known.get(part);
      if (below !== undefined && !below.deviceTypes.includes(BRIDGED_NODE)) open.push(below);
    }
  }
  return found.sort((left, right) => left.number - right.number);
}

function divided(about: EndpointView, all: readonly EndpointView[]): Unit[] {
  const endpoints = all.filter(
    (endpoint) => endpoint.deviceTypes.some((type) => !NO_DEVICE.has(type)) && Object.keys(endpoint.values).length > 0,
  );
  const [first] = endpoints;
  if (first === undefined) return [];
  const outputs = endpoints.filter(isOutput);
  if (outputs.length <= 1 || outputs.every(isPlainSwitch)) return [{ endpoint: first.number, about, endpoints }];
  const others = endpoints.filter((endpoint) => !isOutput(endpoint));
  return outputs.map((output, index) => ({
    endpoint: output.number,
    about,
    endpoints: index === 0 ? [output, ...others] : [output],
  }));
}

/** Whether something of an endpoint can be commanded. */
function isOutput({ values }: EndpointView): boolean {
  return ["onOff", "lockState", "lift", "covering", "systemMode", "fanMode", "valve"].some((name) =>
    Object.hasOwn(values, name),
  );
}

function isPlainSwitch({ values }: EndpointView): boolean {
  return (
    Object.hasOwn(values, "onOff") &&
    !["level", "lift", "lockState", "systemMode", "fanMode"].some((name) => Object.hasOwn(values, name))
  );
}
