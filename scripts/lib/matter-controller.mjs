// @ts-check
/**
 * A home that joins by Matter, in a process of its own: matter.js' own controller classes. Reads one JSON object a line
 * and answers each; tells what it hears in between.
 *
 * node scripts/lib/matter-controller.mjs FOLDER [INTERFACE]
 *
 *   {"id": 1, "do": "join", "code": "MT:…"}                        joins, and subscribes to everything
 *   {"id": 2, "do": "list"}                                         endpoints: number, name, device types, states
 *   {"id": 3, "do": "invoke", "endpoint": 7, "cluster": "onOff", "command": "on", "input": {…}}
 *   {"id": 4, "do": "write", "endpoint": 7, "cluster": "fanControl", "values": {…}}
 *   {"id": 5, "do": "leave"}                                        leaves the hub in good order
 *
 * Told: {"changed": {"endpoint", "cluster", "values"}, "at"}. `pin` in an input is sent as octets of its digits.
 */
import { createInterface } from "node:readline";

const [, , folder = "", networkInterface = ""] = process.argv;
if (folder === "") throw new Error("usage: node scripts/lib/matter-controller.mjs FOLDER [INTERFACE]");
process.env.MATTER_PATH_ROOT = folder;
process.env.MATTER_STORAGE_PATH = folder;

const { Environment, Logger, ServerNode } = await import("@matter/main");
const { QrPairingCodeCodec } = await import("@matter/main/types");
const { ChangeNotificationService, ControllerBehavior } = await import("@matter/main/node");

/** @typedef {import("@matter/main").Endpoint} Endpoint */
/**
 * @typedef {{ id: number, do: string, code?: string, endpoint?: number, cluster?: string, command?: string, input?:
 *   Record<string, unknown>, values?: Record<string, unknown> }} Order
 */

Logger.level = process.env.MATTER_LOG ?? "error";
const environment = Environment.default;
if (networkInterface !== "") environment.vars.set("mdns.networkInterface", networkInterface);
const node = await ServerNode.create(ServerNode.RootEndpoint.with(ControllerBehavior), {
  id: "home",
  environment,
  network: { port: 0 },
  commissioning: { enabled: false },
  controller: { adminFabricLabel: process.env.MATTER_LABEL ?? "Test home" },
});
node.env.get(ChangeNotificationService).change.on((change) => {
  if (change.kind !== "update" || !isPeers(change.endpoint)) return;
  const { endpoint, behavior } = change;
  const state = endpoint.maybeStateOf(behavior.id) ?? {};
  const values = Object.fromEntries((change.properties ?? Object.keys(state)).map((name) => [name, state[name]]));
  say({ changed: { endpoint: endpoint.number, cluster: behavior.id, values }, at: Date.now() });
});
await node.start();
say({ ready: true });

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  /** @type {Order} */
  const order = JSON.parse(line);
  carryOut(order).then(
    (result) => say({ re: order.id, result: result ?? null }),
    (error) =>
      say({
        re: order.id,
        error:
          error instanceof Error
            ? `${error.message}${error.cause instanceof Error ? ` (${error.cause.message})` : ""}`
            : String(error),
      }),
  );
}
await node.close();
process.exit(0);

/** @param {Order} order */
async function carryOut(order) {
  switch (order.do) {
    case "join": {
      const before = performance.now();
      const code = order.code ?? "";
      const [scanned] = code.startsWith("MT:") ? QrPairingCodeCodec.decode(code) : [];
      const peer = await node.peers.commission(
        scanned === undefined
          ? { pairingCode: code }
          : { passcode: scanned.passcode, longDiscriminator: scanned.discriminator },
      );
      return { ms: Math.round(performance.now() - before), endpoints: [...peer.endpoints].length };
    }
    case "list":
      return [...peer().endpoints].map(shown);
    case "invoke": {
      const { pin, ...rest } = order.input ?? {};
      const input =
        order.input === undefined
          ? undefined
          : pin === undefined
            ? rest
            : { ...rest, pinCode: new TextEncoder().encode(String(pin)) };
      const command = endpointOf(order).commandsOf(order.cluster ?? "")[order.command ?? ""];
      if (command === undefined) throw new Error(`there is no command ${order.cluster}.${order.command}`);
      return command(/** @type {never} */ (input));
    }
    case "write":
      await endpointOf(order).setStateOf(order.cluster ?? "", order.values ?? {});
      return null;
    case "leave":
      await peer().decommission();
      return null;
    default:
      throw new Error(`nobody knows ${order.do}`);
  }
}

function peer() {
  const [first] = [...node.peers].filter((one) => one.lifecycle.isCommissioned);
  if (first === undefined) throw new Error("nothing has been joined");
  return first;
}

/** @param {Endpoint} endpoint */
function isPeers(endpoint) {
  for (let at = /** @type {Endpoint | undefined} */ (endpoint); at !== undefined; at = at.owner)
    if ([...node.peers].some((one) => at === /** @type {unknown} */ (one))) return true;
  return false;
}

/** @param {Order} order */
function endpointOf(order) {
  const found = [...peer().endpoints].find(({ number }) => number === order.endpoint);
  if (found === undefined) throw new Error(`there is no endpoint ${order.endpoint}`);
  return found;
}

/** @param {Endpoint} endpoint */
function shown(endpoint) {
  const states = Object.fromEntries(
    Object.keys(endpoint.behaviors.supported).map((cluster) => [cluster, endpoint.maybeStateOf(cluster)]),
  );
  const types =
    /** @type {{ deviceTypeList?: { deviceType: number }[] } | undefined} */ (endpoint.maybeStateOf("descriptor"))
      ?.deviceTypeList ?? [];
  const bridged = /** @type {{ nodeLabel?: string, reachable?: boolean } | undefined} */ (
    endpoint.maybeStateOf("bridgedDeviceBasicInformation")
  );
  return {
    number: endpoint.number,
    name: bridged?.nodeLabel ?? null,
    reachable: bridged?.reachable ?? null,
    types: types.map(({ deviceType }) => deviceType),
    states,
  };
}

/** @param {object} message */
function say(message) {
  process.stdout.write(
    `${JSON.stringify(message, (_key, value) => (typeof value === "bigint" ? Number(value) : value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value))}\n`,
  );
}
