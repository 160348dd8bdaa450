/** The activity: what happens by itself, however much of it there is, hides nothing that somebody did. */
import t from "tap";
import type { FeedKind } from "../../src/core/api/feed-kinds.ts";
import { activityRoutes } from "../../src/features/feed/routes/activity.ts";
import { send } from "../support/api-client.ts";
import { ApiHub } from "../support/api-hub.ts";
import { testFolder } from "../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t), { routes: ({ devices }) => activityRoutes(devices.feed) });
t.teardown(() => hub.close());
const headers = { Cookie: await hub.cookie() };
const owner = hub.home.accountId;
const get = (path: string) => send(hub.server.port, "GET", path, { headers });
let at = hub.clock.now();
async function record(...items: readonly { kind: FeedKind; title: string; by?: number; deviceId?: string }[]) {
  await hub.database.write(() => {
    for (const { deviceId = null, ...item } of items) {
      at += 1_000;
      hub.devices.feed.record({ siteId: hub.home.siteId, deviceId, body: "", at, ...item });
    }
  });
}
interface Page {
  activity: { events: { title: string }[]; byItself: { title: string }[]; next: string | null };
}
async function page(query: string) {
  const { status, body }: { status: number; body: Page } = await get(`/api/activity${query}`);
  t.equal(status, 200);
  const { events, byItself, next } = body.activity;
  return { events: events.map(({ title }) => title), byItself: byItself.map(({ title }) => title), next };
}

t.test("three hundred devices that come online leave what a person did on the page", async (t) => {
  await record(
    { kind: "gate.opened", title: "Asha opened the gate", by: owner },
    { kind: "device.event", title: "The bell rang" },
    ...Array.from({ length: 300 }, (_, n) => ({
      kind: "device.online" as const,
      title: `d${n} is online`,
      deviceId: `d${n}`,
    })),
  );
  const all = await page("?of=all&limit=2");
  t.same(all.events, ["The bell rang", "Asha opened the gate"]);
  t.equal(all.byItself.length, 200, "the newest of what nobody did");
  t.equal(all.byItself[0], "d299 is online");
  t.equal(all.next, null);
  const plain = await page("");
  t.same([plain.events, plain.byItself], [all.events, []], "what Home begins with leaves it out");
});

t.test("a page is narrowed to a part, and to what one person did", async (t) => {
  t.same((await page("?of=plate")).events, ["Asha opened the gate"]);
  t.same(await page(`?person=${owner}`), { events: ["Asha opened the gate"], byItself: [], next: null });
  t.same((await page("?of=device&limit=3")).events, ["d299 is online", "d298 is online", "d297 is online"]);
  t.same((await page(`?of=device&person=${owner}`)).events, []);
  t.equal((await get("/api/activity?of=other")).status, 400);
});

t.test("pages follow each other without a gap, each with what happened by itself in its time", async (t) => {
  for (let n = 0; n < 6; n++)
    await record({ kind: "automation.notify", title: `note ${n}` }, { kind: "automation.fired", title: `ran ${n}` });
  const first = await page("?of=all&limit=3");
  t.same(first.events, ["note 5", "note 4", "note 3"]);
  t.same(first.byItself, ["ran 5", "ran 4", "ran 3"]);
  const second = await page(`?of=all&limit=3&cursor=${first.next}`);
  t.same(second.events, ["note 2", "note 1", "note 0"]);
  t.same(second.byItself, ["ran 2", "ran 1", "ran 0"]);
});
