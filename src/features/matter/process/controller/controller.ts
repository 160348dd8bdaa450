/**
 * The controller: the hub's own fabric, the devices in it, and how one joins and leaves. Its node keeps keys and
 * addresses below `<data>/matter/controller/`; which device of the hub a node is, the hub knows.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type CancelablePromise,
  type ClientNode,
  ControllerBehavior,
  Logger,
  Minutes,
  Seconds,
  ServerNode,
} from "@matter/main";
import { OperationalCredentials } from "@matter/main/clusters/operational-credentials";
import { Invoke } from "@matter/main/protocol";
import { EndpointNumber } from "@matter/main/types";
import { Problem } from "../../../../core/kernel/problem.ts";
import type { JoinFailure } from "../../controller/calls.ts";
import type { PartContext, ProcessPart } from "../part.ts";
import { readCode } from "./pairing-code.ts";
import { Peer } from "./peer.ts";
import { carryOut } from "./steps.ts";

const logger = Logger.get("Controller");

/** The hub's label as a device's owner reads it there. */
const FABRIC_LABEL = "Gatehouse";
/** A device that was opened to others stays so for at least three minutes; a sharing code for up to fifteen. */
const SEARCH = Minutes(3);
/** A device that was cut off leaves dead addresses behind: the next one is tried soon. */
const TIMING = {
  delayBeforeNextAddress: Seconds(4),
  delayAfterNetworkError: Seconds(5),
  delayAfterPeerError: Seconds(30),
};
const READ_TIMEOUT_MS = 60_000;
const LEAVE_TIMEOUT_MS = 10_000;
/** Nodes in the hub's fabric. */
const MOST_NODES = 200;

type Joined = { readonly node: string } | { readonly failed: JoinFailure; readonly text: string };

/** The controller. Its node is opened with the first device; a hub without one opens no port. */
export function controllerPart({ environment, link, about }: PartContext): ProcessPart {
  const peers = new Map<string, Peer>();
  let node: ServerNode | null = null;
  let opening: Promise<ServerNode> | null = null;
  let joining: CancelablePromise<ClientNode> | null = null;
  let isJoining = false;
  let isCancelled = false;

  const open = (): Promise<ServerNode> => {
    opening ??= (async () => {
      const created = await ServerNode.create(ServerNode.RootEndpoint.with(ControllerBehavior), {
        id: "controller",
        environment,
        network: { port: 0, timing: TIMING },
        commissioning: { enabled: false },
        controller: { adminFabricLabel: FABRIC_LABEL, nodeIdAssignment: "random", ble: false },
      });
      node = created;
      await created.start();
      return created;
    })();
    return opening;
  };

  const nodes = async (): Promise<ClientNode[]> =>
    [...(await open()).peers].filter(({ lifecycle }) => lifecycle.isCommissioned);
  const find = async (name: string): Promise<ClientNode | undefined> =>
    (await nodes()).find((one) => nameOf(one) === name);

  const watch = (client: ClientNode): Peer => {
    const name = nameOf(client);
    const known = peers.get(name);
    if (known !== undefined) return known;
    const peer = new Peer({ name, node: client, link, left: () => void gone(name, client) });
    peers.set(name, peer);
    return peer;
  };

  const drop = async (name: string, client: ClientNode): Promise<void> => {
    const peer = peers.get(name);
    peers.delete(name);
    await peer?.stop();
    await client.delete();
  };

  const gone = async (name: string, client: ClientNode): Promise<void> => {
    await drop(name, client);
    await link.call("controller.gone", { node: name }).catch(() => {}); // reported again when somebody commands it
  };

  const leave = async (name: string): Promise<{ reached: boolean }> => {
    const client = await find(name);
    if (client === undefined) return { reached: true };
    const reached = await removeFabric(client, peers.get(name));
    await drop(name, client);
    return { reached };
  };

  const joinBy = async (code: string): Promise<Joined> => {
    const by = readCode(code);
    if (by === null) return { failed: "wrong_code", text: "It is no Matter code." };
    const controller = await open();
    if ((await nodes()).length >= MOST_NODES)
      return { failed: "full", text: `The hub takes ${MOST_NODES} Matter devices.` };
    // only informs waiting callers
    const found = (): void => void link.call("controller.step", { step: "joining" }).catch(() => {});
    controller.peers.added.on(found);
    try {
      joining = controller.peers.commission({
        ...by,
        timeout: SEARCH,
        autoSubscribe: false,
        autoStateInitialize: false,
      });
      const client = await joining;
      const name = nameOf(client);
      await link.call("controller.step", { step: "reading" });
      await withinTime(watch(client).read, READ_TIMEOUT_MS);
      return { node: name };
    } catch (error) {
      logger.warn("a device did not join:", error);
      return { failed: isCancelled ? "cancelled" : failureOf(error), text: messageOf(error).slice(0, 300) };
    } finally {
      controller.peers.added.off(found);
      joining = null;
    }
  };

  link.serve({
    "controller.resume": async ({ removed }) => {
      if (removed.length === 0 && !existsSync(join(about.folder, "controller"))) return null;
      for (const client of await nodes()) {
        const name = nameOf(client);
        if (removed.includes(name))
          void leave(name).catch((error: unknown) => logger.warn(name, "could not be taken out of the fabric:", error));
        else watch(client);
      }
      return null;
    },
    "controller.join": async ({ code }) => {
      if (isJoining) throw new Problem("conflict", { code: "conflict.matterJoining" });
      isJoining = true;
      isCancelled = false;
      try {
        return await joinBy(code);
      } finally {
        isJoining = false;
      }
    },
    "controller.cancel": async () => {
      isCancelled = true;
      joining?.cancel();
      return null;
    },
    "controller.command": async ({ node: name, steps }) => {
      const peer = peers.get(name);
      if (peer === undefined)
        throw new Problem("unsupported_command", "The device is not in the hub's fabric any more.");
      await carryOut(peer.interaction, steps);
      return null;
    },
    "controller.leave": ({ node: name }) => leave(name),
  });

  return {
    name: "controller",
    async start() {},
    async stop() {
      joining?.cancel();
      for (const peer of peers.values()) await peer.stop();
      peers.clear();
      await node?.close();
    },
  };
}

async function removeFabric(client: ClientNode, peer: Peer | undefined): Promise<boolean> {
  const { fabricIndexOnPeer } = client.state.commissioning;
  if (peer === undefined || fabricIndexOnPeer === undefined) return false;
  try {
    const request = Invoke({
      endpoint: EndpointNumber(0),
      cluster: OperationalCredentials,
      command: "removeFabric",
      fields: { fabricIndex: fabricIndexOnPeer },
    });
    for await (const _chunk of peer.interaction.invoke(request, { abort: AbortSignal.timeout(LEAVE_TIMEOUT_MS) }));
    return true;
  } catch (error) {
    logger.info("the device did not answer when it was taken out of the fabric:", error);
    return false;
  }
}

/** A node's name for the hub: 16 hexadecimal digits. */
function nameOf({ state }: ClientNode): string {
  return (state.commissioning.peerAddress?.nodeId ?? 0n).toString(16).padStart(16, "0");
}

function failureOf(error: unknown): JoinFailure {
  const text = messageOf(error);
  if (/No commissionable device was discovered/.test(text)) return "not_found";
  if (/fabric(s)? .*(full|exceed)|MaximumCommissionedFabrics|table is full/i.test(text)) return "full";
  if (/attempt\(s\) failed|pase|passcode|pake/i.test(text)) return "refused";
  return "failed";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function withinTime(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the device joined and was not heard of any more")), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
