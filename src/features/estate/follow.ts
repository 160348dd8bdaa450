import type { JsMsg } from "@nats-io/jetstream";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Session } from "./session.ts";

/** Consumes the messages of a stream. */
export interface Follower {
  readonly stream: string;
  /** The name of its consumer at the servers. */
  readonly hub: string;
  /** The first message to deliver; null: the last one of each subject, then all that follow. Asked at each start. */
  readonly from: () => number | null;
  /** Called at each start with the servers' state. */
  readonly begun: (stream: {
    readonly createdAt: string;
    readonly firstSeq: number;
    readonly lastSeq: number;
  }) => Promise<void>;
  /** Most messages that it takes at once. */
  readonly batchSize: () => number;
  /** Takes messages in order; they count as taken when it resolves. */
  readonly take: (messages: readonly JsMsg[]) => Promise<void>;
  /** Called each time everything that was there has been taken. */
  readonly caughtUp: () => Promise<void>;
}

/** Most messages on their way at once, which may be in memory. */
const FETCHED = 500;
const FETCH_MS = 20_000;
/** A fetch that ends sooner than this without a message is a fault. */
const AT_ONCE_MS = 200;
const AGAIN_MS = 1_000;
/** A consumer that is not asked for messages for this long is removed by the server. */
const IDLE_MS = 60_000;
/** Pause after each batch: an API request takes several turns of the loop. */
const REST_MS = 1;

/**
 * Follows a stream for as long as the session lasts. If the servers lose its consumer, it starts again from the
 * position in its own database.
 */
export async function follow(session: Session, follower: Follower, logger: Logger): Promise<void> {
  while (!session.isOver()) {
    try {
      await followOnce(session, follower);
    } catch (error) {
      if (!session.isOver())
        logger.debug({ stream: follower.stream, err: error }, "following the estate's stream again");
    }
    await session.pause(AGAIN_MS);
  }
}

async function followOnce(session: Session, follower: Follower): Promise<void> {
  const { AckPolicy, DeliverPolicy } = await import("@nats-io/jetstream");
  const { nanos } = await import("@nats-io/transport-node");
  const { stream, hub } = follower;
  const { manager } = session;
  const info = await manager.streams.info(stream);
  await follower.begun({
    createdAt: String(info.created),
    firstSeq: info.state.first_seq,
    lastSeq: info.state.last_seq,
  });
  const from = follower.from();
  await manager.consumers.delete(stream, hub).catch(() => false); // it may not exist, or its server is down
  const place = await manager.consumers.add(stream, {
    name: hub,
    ack_policy: AckPolicy.None, // the position that counts is in this hub's database, with the rows
    inactive_threshold: nanos(IDLE_MS),
    num_replicas: 1,
    mem_storage: true,
    ...(from === null
      ? { deliver_policy: DeliverPolicy.LastPerSubject, filter_subject: info.config.subjects[0] ?? ">" }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from }),
  });
  if (place.num_pending === 0) await follower.caughtUp();
  const consumer = await session.stream.consumers.get(stream, hub);
  const order = { next: 1 };
  while (!session.isOver()) {
    const began = performance.now();
    const count = await fetchOnce(
      session,
      await consumer.fetch({ max_messages: FETCHED, expires: FETCH_MS }),
      follower,
      order,
    );
    if (count === 0 && performance.now() - began < AT_ONCE_MS) throw new Error("the servers gave no messages");
  }
}

/**
 * @throws Error if the servers counted a message as delivered that never came: then everything after this hub's own
 *   position is requested again
 */
async function fetchOnce(
  session: Session,
  messages: AsyncIterable<JsMsg>,
  follower: Follower,
  order: { next: number },
): Promise<number> {
  let count = 0;
  let batch: JsMsg[] = [];
  for await (const message of messages) {
    if (session.isOver()) break;
    if (message.info.deliverySequence !== order.next)
      throw new Error(`message ${order.next} of this place did not come`);
    order.next += 1;
    batch.push(message);
    count += 1;
    const isLast = message.info.pending === 0;
    if (!isLast && batch.length < follower.batchSize()) continue;
    await follower.take(batch);
    batch = [];
    if (isLast) await follower.caughtUp();
    await new Promise((resolve) => setTimeout(resolve, REST_MS)); // let other work run
  }
  if (batch.length > 0) await follower.take(batch);
  return count;
}
