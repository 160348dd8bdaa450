import { PLATE_FAMILY } from "../../../../firmware-bridge/rights.ts";
import type { Caller } from "../../../core/api/caller.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { AccessFeature } from "../../access/feature.ts";
import type { Audited, AuditNote } from "../../access/routes/console-audit.ts";
import {
  acceptBridgeClient,
  clearBridgeProblems,
  clearOrphanedTopics,
  closeBridgePairing,
  createBridgeClient,
  getBridgePairing,
  listBridgeClients,
  listBridgedDevices,
  listBridgeFamilies,
  listBridgeProblems,
  listOrphanedTopics,
  openBridgePairing,
  refuseBridgeClient,
  removeBridgeClient,
  renewBridgeClientPassword,
} from "../api/console-bridge.ts";
import type { BridgeClient } from "../client.ts";
import type { BridgePages } from "../pages.ts";

const MOST_ORPHANED_SHOWN = 1_000;

/** Pairing, credentials, devices, problems and orphaned topics of other makes' firmware. */
export function bridgeRoutes(pages: BridgePages, { note, audited }: AccessFeature): BoundRoute[] {
  return [...pairingRoutes(pages, note), ...clientRoutes(pages, audited), ...lookingRoutes(pages, note)];
}

function pairingRoutes({ clients }: BridgePages, note: AuditNote): BoundRoute[] {
  const pairing = () => {
    const until = clients.pairingUntil;
    return {
      pairing: {
        open: until !== null,
        until: isoTimeOrNull(until),
        waiting: clients.list().filter(({ status }) => status === "pending").length,
      },
    };
  };
  return [
    bind(getBridgePairing, () => ({ status: 200, body: pairing() })),
    bind(openBridgePairing, async ({ caller, body }) => {
      await note(caller, "bridge.pairing_opened", `${body.minutes} minutes`);
      clients.openPairing(body.minutes);
      return { status: 200, body: pairing() };
    }),
    bind(closeBridgePairing, async ({ caller }) => {
      clients.closePairing();
      await note(caller, "bridge.pairing_closed", "");
      return { status: 200, body: pairing() };
    }),
  ];
}

function clientRoutes({ clients, families, live, setup }: BridgePages, audited: Audited): BoundRoute[] {
  const shown = (client: BridgeClient) => ({
    ...client,
    firstSeen: isoTimeOrNull(client.firstSeen),
    lastSeen: isoTimeOrNull(client.lastSeen),
    ...live(client),
  });
  const made = ({ client, password }: { client: BridgeClient; password: string }) => ({
    client: shown(client),
    username: client.username,
    password,
    steps: setup(client, password),
  });
  const knownFamily = (name: string | undefined): void => {
    if (name !== undefined && !families().some((family) => family.name === name))
      throw new Problem("invalid_body", "/family: there is no such family.", {
        details: [{ field: "/family", code: "unknown", message: "there is no such family" }],
      });
  };
  /**
   * The makes a client is accepted for: those that are named, else those that it has shown, but never by that the one
   * whose plates open gates.
   */
  const chosen = (
    { families: shownFamilies }: BridgeClient,
    body: { readonly family?: string; readonly also?: readonly string[] },
  ): [string, ...string[]] => {
    for (const name of [body.family, ...(body.also ?? [])]) knownFamily(name);
    const others = body.also ?? shownFamilies.filter((name) => name !== PLATE_FAMILY);
    const [first, ...rest] = [...new Set([...(body.family === undefined ? [] : [body.family]), ...others])];
    if (first !== undefined) return [first, ...rest];
    const message = "say what make it is: it has not shown it";
    throw new Problem("invalid_body", `/family: ${message}.`, {
      details: [{ field: "/family", code: "required", message }],
    });
  };
  const noted = (caller: Caller, action: string) => {
    const note = audited.line(caller);
    return ({ id, name, username }: BridgeClient): void => note(action, name, { id, username });
  };
  return [
    bind(listBridgeClients, () => ({ status: 200, body: { clients: clients.list().map(shown) } })),
    bind(createBridgeClient, async ({ caller, body }) => {
      knownFamily(body.family);
      const { name, family } = body;
      const result = await audited.job(caller, (note) => {
        const { client, password } = clients.insert({ name, families: [family] });
        note("bridge.client_made", client.name, { id: client.id, family });
        return { client, password };
      });
      return { status: 201, body: made(result) };
    }),
    bind(acceptBridgeClient, async ({ caller, params, body }) => {
      const as = {
        ...(body.name === undefined ? {} : { name: body.name }),
        families: chosen(clients.get(params.id), body),
      };
      const client = await clients.accept(params.id, as, noted(caller, "bridge.client_accepted"));
      return { status: 200, body: { client: shown(client) } };
    }),
    bind(refuseBridgeClient, async ({ caller, params }) => {
      const client = await clients.refuse(params.id, noted(caller, "bridge.client_refused"));
      return { status: 200, body: { client: shown(client) } };
    }),
    bind(renewBridgeClientPassword, async ({ caller, params }) => {
      const result = await clients.renewPassword(params.id, noted(caller, "bridge.client_password_renewed"));
      return { status: 200, body: made(result) };
    }),
    bind(removeBridgeClient, async ({ caller, params }) => {
      await clients.remove(params.id, noted(caller, "bridge.client_removed"));
      return { status: 200, body: { done: true } };
    }),
  ];
}

function lookingRoutes({ families, devices, problems, orphanedTopics }: BridgePages, note: AuditNote): BoundRoute[] {
  return [
    bind(listBridgeFamilies, () => ({ status: 200, body: { families: families() } })),
    bind(listBridgedDevices, () => ({ status: 200, body: { devices: devices() } })),
    bind(listBridgeProblems, () => ({
      status: 200,
      body: { problems: problems.list().map(({ lastAt, ...problem }) => ({ ...problem, lastAt: isoTime(lastAt) })) },
    })),
    bind(clearBridgeProblems, () => {
      problems.clear();
      return { status: 200, body: { done: true } };
    }),
    bind(listOrphanedTopics, () => {
      const all = orphanedTopics.list();
      return { status: 200, body: { ghosts: all.slice(0, MOST_ORPHANED_SHOWN), total: all.length } };
    }),
    bind(clearOrphanedTopics, async ({ caller, body }) => {
      const cleared = await orphanedTopics.clear(body.topics ?? null);
      await note(caller, "bridge.ghosts_cleared", `${cleared} topics`);
      return { status: 200, body: { cleared } };
    }),
  ];
}
