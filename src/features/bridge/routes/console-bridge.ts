import type { Caller } from "../../../core/api/caller.ts";
import type { Json } from "../../../core/api/route.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { Audited, AuditNote } from "../../access/routes/console-audit.ts";
import {
  acceptBridgeClient,
  type BridgedDevice,
  type BridgeFamily,
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
import type { BridgeClients } from "../clients.ts";

/** The hub's services used by the bridge's routes. */
export interface BridgeManagement {
  readonly clients: Pick<
    BridgeClients,
    | "pairingUntil"
    | "openPairing"
    | "closePairing"
    | "list"
    | "get"
    | "insert"
    | "accept"
    | "refuse"
    | "remove"
    | "renewPassword"
  >;
  /** A client's live facts besides its row. */
  readonly live: (client: BridgeClient) => {
    readonly connected: boolean;
    readonly devices: readonly string[];
    readonly announces: readonly { readonly family: string; readonly name: string }[];
    readonly topics: readonly string[];
  };
  readonly families: () => readonly Json<BridgeFamily>[];
  /** The family whose number plates may open gates: a client becomes one of it only by name. */
  readonly plateFamily: string;
  /** How a device learns the hub's address. */
  readonly setup: (
    client: BridgeClient,
    password: string,
  ) => readonly { readonly title: string; readonly kind: "url" | "command" | "file" | "form"; readonly text: string }[];
  readonly devices: () => readonly Json<BridgedDevice>[];
  readonly problems: {
    list(): readonly {
      readonly family: string;
      readonly topic: string;
      readonly reason: string;
      readonly count: number;
      readonly lastAt: number;
      readonly example: string | null;
    }[];
    clear(): void;
  };
  readonly orphanedTopics: {
    list(): readonly {
      readonly topic: string;
      readonly bytes: number;
      readonly example: string | null;
      readonly family: string | null;
    }[];
    /** Clears those of these topics that are orphaned; all orphaned ones for null. Returns how many were cleared. */
    clear(topics: readonly string[] | null): Promise<number>;
  };
  readonly note: AuditNote;
  readonly audited: Audited;
}

const MOST_ORPHANED_SHOWN = 1_000;

/** Pairing, credentials, devices, problems and orphaned topics of other makes' firmware. */
export function bridgeManagementRoutes(service: BridgeManagement): BoundRoute[] {
  return [...pairingRoutes(service), ...clientRoutes(service), ...lookingRoutes(service)];
}

function pairingRoutes(service: BridgeManagement): BoundRoute[] {
  const { clients, note } = service;
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

function clientRoutes(service: BridgeManagement): BoundRoute[] {
  const { clients, audited, families } = service;
  const shown = (client: BridgeClient) => ({
    ...client,
    firstSeen: isoTimeOrNull(client.firstSeen),
    lastSeen: isoTimeOrNull(client.lastSeen),
    ...service.live(client),
  });
  const made = ({ client, password }: { client: BridgeClient; password: string }) => ({
    client: shown(client),
    username: client.username,
    password,
    steps: service.setup(client, password),
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
    const others = body.also ?? shownFamilies.filter((name) => name !== service.plateFamily);
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

function lookingRoutes({ families, devices, problems, orphanedTopics, note }: BridgeManagement): BoundRoute[] {
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
