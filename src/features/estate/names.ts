/** The names of an estate's streams, buckets and subjects. */
export interface EstateNames {
  /** Stream of reads, closures and orders to forget. */
  readonly reads: string;
  /** Bucket of the shared entries. */
  readonly rules: string;
  /** Bucket of the hubs' cards. */
  readonly hubs: string;
  /** The subjects of the stream of reads. */
  readonly readSubjects: readonly string[];
}

/** Names of one estate. */
export function estateNames(estate: string): EstateNames {
  return {
    reads: `gh_${estate}_reads`,
    rules: `gh_${estate}_rules`,
    hubs: `gh_${estate}_hubs`,
    readSubjects: [`gh.${estate}.*.reads.*.*`, `gh.${estate}.*.forget`],
  };
}

/** The stream behind a bucket. */
export function streamOfBucket(bucket: string): string {
  return `KV_${bucket}`;
}

/** The subjects on which one hub speaks; `*` for any hub. */
export function hubSubjects(estate: string, hub: string) {
  const root = `gh.${estate}.${hub}`;
  return {
    /** One read; `*` for all of a plate. */
    read: (token: string, uid: number | "*"): string => `${root}.reads.${token}.${uid}`,
    forget: `${root}.forget`,
    health: `${root}.health`,
    /** A request to open a gate of another hub. */
    open: (at: string): string => `${root}.open.${at}`,
    /** The answer to the asking hub. */
    answer: (to: string): string => `${root}.answer.${to}`,
  };
}

/**
 * The hub that a subject names as its sender; null if it is not a subject of `what` (and addressed to `to`). The
 * servers deliver stored messages wherever a hub asks, but under the subject of storage: only the whole subject
 * identifies the author.
 */
export function speakerIn(
  subject: string,
  estate: string,
  what: "health" | "open" | "answer",
  to: string | null,
): string | null {
  const [, , hub = ""] = subject.split(".");
  return subject === `gh.${estate}.${hub}.${what}${to === null ? "" : `.${to}`}` ? hub : null;
}

/** Prefix of the subjects on which the servers' answers arrive. */
export function inboxPrefix(hub: string): string {
  return `_INBOX.${hub}`;
}

/**
 * A hub's rights to publish and subscribe at the servers: it publishes only as itself, and reads everything in its
 * estate. Everything else is denied.
 */
export function hubPermissions(
  estate: string,
  hub: string,
  role: "gate" | "manager",
): { readonly publish: string[]; readonly subscribe: string[] } {
  const { reads, rules, hubs } = estateNames(estate);
  const own = hubSubjects(estate, hub);
  const any = hubSubjects(estate, "*");
  const streams = [reads, streamOfBucket(rules), streamOfBucket(hubs)];
  return {
    publish: [
      own.read("*", "*"),
      own.forget,
      own.health,
      own.answer("*"),
      ...(role === "manager" ? [own.open("*")] : []),
      `$KV.${rules}.>`,
      `$KV.${hubs}.${hub}`,
      "$JS.API.INFO",
      // Not DIRECT.GET: its answer is the stored message itself, sent to any subject that the request names, even
      // another hub's.
      `$JS.API.STREAM.MSG.GET.${streamOfBucket(rules)}`,
      `$JS.API.STREAM.MSG.GET.${streamOfBucket(hubs)}`,
      ...streams.flatMap((stream) => [
        `$JS.API.STREAM.INFO.${stream}`,
        `$JS.API.CONSUMER.CREATE.${stream}.${hub}`,
        `$JS.API.CONSUMER.CREATE.${stream}.${hub}.>`,
        `$JS.API.CONSUMER.INFO.${stream}.${hub}`,
        `$JS.API.CONSUMER.DELETE.${stream}.${hub}`,
        `$JS.API.CONSUMER.MSG.NEXT.${stream}.${hub}`,
      ]),
    ],
    subscribe: [`${inboxPrefix(hub)}.>`, any.health, any.open(hub), any.answer(hub)],
  };
}
