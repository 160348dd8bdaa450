import type { JetStreamManager, StreamConfig } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { estateNames, streamOfBucket } from "./names.ts";
import { LONGEST_MESSAGE } from "./wire.ts";

/** An estate's layout at its servers. */
export interface EstateLayout {
  readonly estate: string;
  /** 3 needs a cluster of three servers. */
  readonly replicas: 1 | 3;
  /** Days for which reads are kept, in the stream and at every hub. */
  readonly keepDays: number;
  /** Most bytes of reads that a server keeps; default 4 GiB. */
  readonly readBytes?: number;
}

const DAY_MS = 86_400_000;
const READ_BYTES = 4 * 1024 ** 3;
const MOST_RULE_BYTES = 64 * 1024 ** 2;
const LONGEST_ENTRY = 8 * 1024;
/** Hubs give their messages no ids; the servers still require a window. */
const DUPLICATES_MS = 120_000;

/**
 * Creates the streams of an estate, or brings them into this form. Needs the rights of a server administrator; no hub
 * has them.
 */
export async function createEstateStreams(
  connection: NatsConnection,
  { estate, replicas, keepDays, readBytes = READ_BYTES }: EstateLayout,
): Promise<void> {
  const { jetstreamManager, DiscardPolicy, RetentionPolicy, StorageType } = await import("@nats-io/jetstream");
  const { nanos } = await import("@nats-io/transport-node");
  const names = estateNames(estate);
  const manager = await jetstreamManager(connection);
  // No roll-ups and no purges: with either, one hub could erase what all others wrote.
  const common = {
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: replicas,
    allow_rollup_hdrs: false,
    deny_delete: true,
    deny_purge: true,
  };
  await ensure(manager, {
    ...common,
    name: names.reads,
    subjects: [...names.readSubjects],
    discard: DiscardPolicy.Old,
    max_age: nanos(keepDays * DAY_MS),
    max_bytes: readBytes,
    // a later version of a read replaces the earlier one, and an empty message a forgotten one
    max_msgs_per_subject: 1,
    max_msg_size: LONGEST_MESSAGE,
    duplicate_window: nanos(DUPLICATES_MS),
  });
  // Buckets in the form that NATS clients use, so that its own tools can read them.
  for (const bucket of [names.rules, names.hubs])
    await ensure(manager, {
      ...common,
      name: streamOfBucket(bucket),
      subjects: [`$KV.${bucket}.>`],
      discard: DiscardPolicy.New,
      max_msgs_per_subject: 1,
      max_bytes: MOST_RULE_BYTES,
      max_msg_size: LONGEST_ENTRY,
    });
}

/** Removes what a removed hub leaves at the servers: its card and its consumers. Its messages stay. */
export async function removeHubTraces(
  connection: NatsConnection,
  { estate, hub }: { readonly estate: string; readonly hub: string },
): Promise<void> {
  const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
  const { Kvm } = await import("@nats-io/kv");
  const names = estateNames(estate);
  const manager = await jetstreamManager(connection);
  for (const stream of [names.reads, streamOfBucket(names.rules), streamOfBucket(names.hubs)])
    await manager.consumers.delete(stream, hub).catch(() => false); // it may have none
  const cards = await new Kvm(jetstream(connection)).open(names.hubs);
  await cards.delete(hub);
}

async function ensure(
  manager: JetStreamManager,
  config: Partial<StreamConfig> & { readonly name: string },
): Promise<void> {
  const { JetStreamApiError } = await import("@nats-io/jetstream");
  try {
    await manager.streams.info(config.name);
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.status !== 404) throw error;
    await manager.streams.add(config);
    return;
  }
  await manager.streams.update(config.name, config);
}
