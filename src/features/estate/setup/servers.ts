/**
 * An estate administrator's work at its NATS servers: creates the streams, publishes a new claim, removes a removed
 * hub's traces.
 */
import type { NatsConnection } from "@nats-io/transport-node";
import { Problem } from "../../../core/kernel/problem.ts";
import { connectToServers } from "../server-connection.ts";
import { createEstateStreams, removeHubTraces } from "../streams.ts";
import type { EstateAuthority, NatsCredential } from "./authority.ts";

const CONNECT_MS = 3_000;
const ANSWER_MS = 3_000;
/** A cluster has to elect a leader before it creates a stream. */
const STREAMS_WITHIN_MS = 20_000;
const RETRY_MS = 500;

/** Creates the estate's streams, or brings them up to date. @throws Problem `unavailable` if no server answers */
export async function prepareServers(authority: EstateAuthority): Promise<void> {
  await tellServers(authority);
  const { estate, hosts, keepDays, server } = authority.plan;
  const layout = { estate, keepDays, readBytes: server.storeGb * 1024 ** 3 };
  const replicas = hosts.length >= 3 ? 3 : 1;
  await withConnection(authority, authority.adminCredential(), async (connection) => {
    const until = Date.now() + STREAMS_WITHIN_MS;
    for (;;) {
      try {
        await createEstateStreams(connection, { ...layout, replicas });
        return;
      } catch (error) {
        if (hosts.length === 1 || Date.now() > until)
          throw new Problem("conflict", { code: "conflict.estateStreams", why: messageOf(error) }, { cause: error });
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  });
}

/**
 * Publishes the account's current claim: connections of removed hubs end at that moment. Returns how many servers
 * confirmed it; one that is down takes it from the others when it returns. @throws Problem `unavailable` if no server
 * does
 */
export async function tellServers(authority: EstateAuthority): Promise<number> {
  const { account, accountKey } = authority.claims();
  return withConnection(authority, authority.systemCredential(), async (connection) => {
    const { hosts } = authority.plan;
    let updated = 0;
    const answers = await connection.requestMany("$SYS.REQ.CLAIMS.UPDATE", account, {
      strategy: "count",
      maxWait: ANSWER_MS,
      maxMessages: hosts.length,
    });
    for await (const answer of answers)
      if (answer.json<{ data?: { code?: number } }>().data?.code === 200) updated += 1;
    const believed = await connection.request(`$SYS.REQ.ACCOUNT.${accountKey}.CLAIMS.LOOKUP`, "", {
      timeout: ANSWER_MS,
    });
    if (updated === 0 || believed.string() !== account)
      throw new Problem(
        "unavailable",
        { code: "unavailable.estateServersKept" },
        {
          hint: "Repeat the command.",
        },
      );
    return updated;
  });
}

/** Removes what a removed hub leaves at the servers. */
export async function clearAfter(authority: EstateAuthority, hub: string): Promise<void> {
  await withConnection(authority, authority.adminCredential(), (connection) =>
    removeHubTraces(connection, { estate: authority.plan.estate, hub }),
  );
}

async function withConnection<Result>(
  authority: EstateAuthority,
  { jwt, seed }: NatsCredential,
  work: (connection: NatsConnection) => Promise<Result>,
): Promise<Result> {
  const { jwtAuthenticator } = await import("@nats-io/transport-node");
  const { servers } = authority;
  let connection: NatsConnection;
  try {
    connection = await connectToServers({
      servers,
      authenticator: jwtAuthenticator(jwt, seed),
      tls: { ca: authority.ca.cert },
      timeout: CONNECT_MS,
      reconnect: false,
    });
  } catch (error) {
    throw new Problem("unavailable", {
      code: "unavailable.estateServers",
      servers: servers.join(", "),
      why: messageOf(error),
    });
  }
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
