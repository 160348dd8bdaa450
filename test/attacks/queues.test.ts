/** Every queue shares its room by a rule: one that is neither in ARCHITECTURE.md nor here is found. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

const SRC = join(PROJECT_ROOT, "src");
/** A collection whose name suggests a queue. */
const WAITING =
  /readonly #(?:waiting|queue|kept|pending|line|held|open|delivering|storing)\w* *(?::[^=;]*)?= *new (?:Set|Map)|readonly #(?:waiting|queue|line)\w*: [^=;]*= \[/;
/** What applies the rule. */
const RULE = /\b(?:evictionCandidate|FairShares|FairMemory|new Admission|BodyRoom\b.*class|shareOf)\b/;
/** Why these need no row in the table: each belongs to one sender, or only the hub fills it. */
const OTHERS: Readonly<Record<string, string>> = {
  "features/automations/runs.ts": "by rule, ten of each",
  "features/automations/traces.ts": "one of each rule",
  "features/cameras/captures.ts": "by camera, four of each",
  "features/cameras/latest-frames.ts": "viewers; one picture of each camera",
  "features/devices/danger-watch.ts": "one of each kind of danger of each device",
  "features/energy/kept-quarters.ts": "a cache of the hub's",
  "features/estate/open-requests.ts": "requests of this hub's own persons",
  "features/gate/following.ts": "ten followers of each open gate",
  "features/gate/openings.ts": "one order of each gate and lock",
  "features/gate/gate.ts": "a line of each camera, as long as its line of captures",
  "core/http/connections.ts": "the connections that the admission let in",
  "core/http/open-responses.ts": "answers of the connections that the admission let in",
  "core/http/response-cache.ts": "one build of each list, shared by its waiters",
  "core/kernel/deadline.ts": "the hub's own orders to threads",
  "features/gate/plate-crops.ts": "looks of the household's own people, 120 in all",
  "features/matter/link.ts": "questions to the Matter process, 256 each way",
  "features/matter/process/bridge/bridge.ts": "one of each endpoint",
  "core/mqtt/incoming-store.ts": "by session, limits.unreleasedMessages of each",
  "core/mqtt/message-tap.ts": "an owner who watches",
  "features/outside-broker/link.ts": "messages released by the outbox",
  "core/platform/log-ring.ts": "a ring; repetitions are written 50 times in ten seconds",
  "features/recognition/open-burst.ts": "frames of one burst; features/recognition/turns.ts bounds them all",
  "features/recognition/recogniser-thread.ts": "one task at a time; features/recognition/turns.ts chooses it",
  "features/sandbox/sandbox.ts": "one of each household",
  "features/series/marks.ts": "one mark of each device",
  "features/webhooks/deliver.ts": "a queue of each receiver, one delivery of each in flight",
};

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.ts$/.test(file) && !/^(?:console|client)\//.test(file),
);
const architecture = readFileSync(join(PROJECT_ROOT, "ARCHITECTURE.md"), "utf8");
const table = architecture.split("### Shares\n")[1]?.split("\n#")[0] ?? "";
const listed = new Set([...table.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = ""]) => file));
const read = (file: string): string => readFileSync(join(SRC, file), "utf8");

t.test("each queue is shared by the rule, or has a reason why it need not be", async (t) => {
  const queues = files.filter((file) => WAITING.test(read(file)));
  t.ok(queues.length > 20, `${queues.length} are found`);
  for (const file of queues)
    t.ok(listed.has(file) || file in OTHERS || RULE.test(read(file)), `${file}: a queue without a rule`);
});

t.test("the lists name existing files, and no queue twice", async (t) => {
  for (const file of [...listed, ...Object.keys(OTHERS)]) t.ok(files.includes(file), file);
  for (const file of Object.keys(OTHERS)) {
    t.notOk(listed.has(file), `${file} is in both`);
    t.ok(WAITING.test(read(file)), `${file} has a queue`);
  }
});

t.test("a queue is found", async (t) => {
  t.match("  readonly #waiting = new Set<Visitor>();", WAITING);
  t.match("  readonly #queues = new Map<string, Job[]>();", WAITING);
  t.match("  readonly #waiting: Job[] = [];", WAITING);
  t.notMatch("  readonly #figures = new Map<string, number>();", WAITING);
});
