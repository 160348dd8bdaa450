// @ts-check
/**
 * A home that joins over Matter, in a separate process: matter.js' own controller classes. Reads one JSON object per
 * line and answers each; in between, it reports changes.
 *
 * node scripts/lib/matter-controller.mjs FOLDER [INTERFACE]
 *
 *   {"id": 1, "do": "join", "code": "MT:…"}                        joins, and subscribes to everything
 *   {"id": 2, "do": "list"}                                         endpoints: number, name, device types, states
 *   {"id": 3, "do": "invoke", "endpoint": 7, "cluster": "onOff", "command": "on", "input": {…}}
 *   {"id": 4, "do": "write", "endpoint": 7, "cluster": "fanControl", "values": {…}}
 *   {"id": 5, "do": "leave"}                                        leaves the hub properly
 *   {"id": 6, "do": "flood", "endpoint": 7, "cluster": "onOff", "commands": ["on", "off"], "times": 1000}
 *   {"id": 7, "do": "subscribe", "times": 1000}                     to everything, and keeps the earlier ones
 *   {"id": 8, "do": "sessions", "endpoint": 7, "cluster": "onOff", "command": "off", "times": 100}  a session each
 *
 * Reports: {"changed": {"endpoint", "cluster", "values"}, "at"}. `pin` in an input is sent as octets of its digits.
 */
import { createInterface } from "node:readline";

const [, , folder = "", networkInterface = ""] = process.argv;
if (folder === "") throw new Error("usage: node scripts/lib/matter-controller.mjs FOLDER [INTERFACE]");
process.env.MATTER_PATH_ROOT = folder;
process.env.MATTER_STORAGE_PATH = folder;

const { Environment, Logger, Seconds, ServerNode } = await import("@matter/main");
const { QrPairingCodeCodec } = await import("@matter/main/types");
const { ChangeNotificationService, ControllerBehavior } = await import("@matter/main/node");
const { ClientInteraction, PeerSet, PeerUnresponsiveError, SessionManager, Subscribe } = await import(
  "@matter/main/protocol"
);

/** @typedef {import("@matter/main").Endpoint} Endpoint */
/**
 * @typedef {{ id: number, do: string, code?: string, endpoint?: number, cluster?: string, command?: string, input?:
 *   Record<string, unknown>, values?: Record<string, unknown>, times?: number, commands?: string[] }} Order
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
      if (command === undefined) throw new Error(`no command ${order.cluster}.${order.command}`);
      return command(/** @type {never} */ (input));
    }
    case "write":
      await endpointOf(order).setStateOf(order.cluster ?? "", order.values ?? {});
      return null;
    case "flood": {
      const { times = 0, commands = [] } = order;
      /** @type {Record<string, number>} */
      const answers = {};
      await inTurns(times, 50, async (index) => {
        const command = commands[index % commands.length] ?? "";
        const answer = await carryOut({ ...order, do: "invoke", command }).then(
          () => "done",
          (error) => (error instanceof Error ? error.message.slice(0, 80) : String(error)),
        );
        answers[answer] = (answers[answer] ?? 0) + 1;
      });
      return answers;
    }
    case "subscribe": {
      const interaction = own();
      const request = Subscribe({
        attributes: [{}],
        keepSubscriptions: true,
        minIntervalFloor: Seconds(0),
        maxIntervalCeiling: Seconds(60),
      });
      const answers = { kept: 0, refused: 0 };
      await inTurns(order.times ?? 0, 4, async () => {
        try {
          await interaction.subscribe({ ...request, sustain: false, updated: drained });
          answers.kept += 1;
        } catch {
          answers.refused += 1;
        }
      });
      return answers;
    }
    case "sessions": {
      let opened = 0;
      for (let n = 0; n < (order.times ?? 0); n++) {
        const { env, state } = peer();
        const address = state.commissioning.peerAddress;
        if (address === undefined) throw new Error("it has not joined");
        await env.get(SessionManager).handlePeerLoss(address, { cause: new PeerUnresponsiveError() });
        try {
          await carryOut({ ...order, do: "invoke" });
          opened += 1;
        } catch {
          // refused, but in a session
        }
      }
      return { opened };
    }
    case "leave":
      await peer().decommission();
      return null;
    default:
      throw new Error(`nobody knows ${order.do}`);
  }
}

/** A separate exchange with the hub, without the library's cached state. */
function own() {
  const { env, state } = peer();
  const address = state.commissioning.peerAddress;
  if (address === undefined) throw new Error("it has not joined");
  const { exchangeProvider } = env.get(PeerSet).for(address);
  return new ClientInteraction({ environment: env, exchangeProvider });
}

/** @param {AsyncIterable<Iterable<unknown> | AsyncIterable<unknown>>} data */
async function drained(data) {
  for await (const chunk of data) for await (const _report of chunk);
}

/** @param {number} times @param {number} atOnce @param {(index: number) => Promise<void>} work */
async function inTurns(times, atOnce, work) {
  let next = 0;
  const worker = async () => {
    while (next < times) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
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
  if (found === undefined) throw new Error(`no endpoint ${order.endpoint}`);
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
