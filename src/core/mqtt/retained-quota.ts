/** How much a device, and a client of the bridge, may have retained. */
import type { Clock } from "../kernel/clock.ts";
import type { NativeTopics } from "./authorise.ts";
import { isBridged } from "./bridge-access-policy.ts";
import type { ClientMessage } from "./client-message.ts";
import type { MqttLimits } from "./limits.ts";
import type { Persistence } from "./persistence.ts";
import type { Refusals } from "./refusals.ts";

/** No single client of the bridge may fill more than this part of the retained messages of all of them. */
const ONE_CLIENTS_SHARE = 2;

/** Whether a message of `subject` may be retained; one that may not is counted among the refusals. */
export function mayRetain(
  subject: string,
  message: ClientMessage,
  {
    persistence: { retained },
    topics,
    limits,
    refusals,
    clock,
  }: {
    readonly persistence: Pick<Persistence, "retained">;
    readonly topics: NativeTopics;
    readonly limits: MqttLimits;
    readonly refusals: Refusals;
    readonly clock: Clock;
  },
): boolean {
  const { topic, size: length } = message;
  if (length === 0) return true;
  if (isBridged(subject)) {
    const { foreign } = retained;
    const own = retained.foreignOf(subject);
    const isNew = retained.get(topic) === undefined;
    const room =
      !isNew ||
      (foreign.topics < limits.bridgeRetainedTopics && own.topics < limits.bridgeRetainedTopics / ONE_CLIENTS_SHARE);
    const fits =
      foreign.bytes + length <= limits.bridgeRetainedBytes &&
      own.bytes + length <= limits.bridgeRetainedBytes / ONE_CLIENTS_SHARE;
    if (room && fits) return true;
  } else {
    const others = retained.below(topics.branch(subject), topic);
    if (others.topics < limits.retainedTopicsPerDevice && others.bytes + length <= limits.retainedBytesPerDevice)
      return true;
  }
  refusals.count(subject, { reason: "retained_quota", topic, payload: message.payload, at: clock.now() });
  return false;
}
