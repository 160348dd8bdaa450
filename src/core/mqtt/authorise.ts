/**
 * Rights to publish and subscribe: default deny. A device has its own branch `{root}/{id}/…`, publishes only the topics
 * that the protocol gives it, and subscribes to nothing outside its branch. Everything here is pure.
 */
import { TOPICS, type TopicName } from "../api/topics.ts";

/** A parsed topic of the native protocol. */
export interface NativeTopic {
  readonly name: TopicName;
  readonly deviceId: string;
  readonly captureId: string | null;
  /** Number of the frame within its capture; null for other topics. */
  readonly frame: number | null;
}

const VARIABLES: Readonly<Record<string, string>> = {
  id: "(?<id>[A-Za-z0-9_-]{1,64})",
  captureId: "(?<captureId>[A-Za-z0-9_-]{1,64})",
  n: "(?<n>0|[1-9][0-9]{0,2})",
};

/** Characters a client id may have after `{device id}:`. */
const SUFFIX = /^[\x21-\x7e]{1,64}$/;

/** The native topics below one root. */
export class NativeTopics {
  readonly root: string;
  readonly #patterns: readonly { name: TopicName; pattern: RegExp }[];

  constructor(root: string) {
    this.root = root;
    // Object.entries widens the keys of a constant table to string.
    this.#patterns = (Object.keys(TOPICS) as TopicName[]).map((name) => ({
      name,
      pattern: compile(TOPICS[name].pattern, root),
    }));
  }

  /** Parses a topic; null if it does not belong to the protocol. */
  parse(topic: string): NativeTopic | null {
    for (const { name, pattern } of this.#patterns) {
      const groups = pattern.exec(topic)?.groups;
      if (groups?.id === undefined) continue;
      return {
        name,
        deviceId: groups.id,
        captureId: groups.captureId ?? null,
        frame: groups.n === undefined ? null : Number(groups.n),
      };
    }
    return null;
  }

  /** Whether a topic, or a topic filter, is below this root. */
  isNative(topic: string): boolean {
    return topic.startsWith(`${this.root}/`);
  }

  /** The topic on which `deviceId` receives its commands. */
  command(deviceId: string): string {
    return `${this.root}/${deviceId}/command`;
  }

  /** What every topic of `deviceId` begins with. */
  branch(deviceId: string): string {
    return `${this.root}/${deviceId}/`;
  }

  /** Whether `topic` (or a topic filter) is below `deviceId`. */
  owns(deviceId: string, topic: string): boolean {
    return topic.startsWith(this.branch(deviceId));
  }

  /** Why `deviceId` may not publish to `topic`, or the topic itself. */
  publishable(deviceId: string, topic: string): NativeTopic | "reserved_topic" | "foreign_topic" | "unknown_topic" {
    if (topic.startsWith("$")) return "reserved_topic";
    if (!this.owns(deviceId, topic)) return "foreign_topic";
    const native = this.parse(topic);
    return native !== null && TOPICS[native.name].from === "device" ? native : "unknown_topic";
  }

  /** Whether `deviceId` may subscribe to `filter`: only below its own id, and so never `$…`, `#` or `+/…`. */
  subscribable(deviceId: string, filter: string): boolean {
    return this.owns(deviceId, filter);
  }
}

function compile(pattern: string, root: string): RegExp {
  const source = pattern
    .replace("{root}", escaped(root))
    .replace(/\{(\w+)\}/g, (_, variable: string) => VARIABLES[variable] ?? "");
  return new RegExp(`^${source}$`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The device id that a client id begins with: `id` or `id:suffix`. */
export function deviceOfClient(clientId: string): string {
  const colon = clientId.indexOf(":");
  return colon === -1 ? clientId : clientId.slice(0, colon);
}

/** Whether `clientId` may be used by `deviceId`: its id, or its id with a suffix. */
export function clientIdAllowed(clientId: string, deviceId: string): boolean {
  return (
    clientId === deviceId || (clientId.startsWith(`${deviceId}:`) && SUFFIX.test(clientId.slice(deviceId.length + 1)))
  );
}

/** Whether a topic or filter is within the limits of length and depth. */
export function topicWithin(
  topic: string,
  limits: { readonly topicBytes: number; readonly topicLevels: number },
): boolean {
  let levels = 1;
  for (let at = topic.indexOf("/"); at !== -1; at = topic.indexOf("/", at + 1)) levels += 1;
  return levels <= limits.topicLevels && Buffer.byteLength(topic) <= limits.topicBytes;
}
