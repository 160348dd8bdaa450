import t from "tap";
import type { CallAnswer } from "../../support/api-client.ts";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;
const key = await hub.key();
const at = hub.clock.now() + 1_000;
await hub.database.write(() => {
  for (let i = 0; i < 60; i++) {
    hub.devices.feed.record({
      siteId: hub.home.siteId,
      kind: "device.event",
      deviceId: i % 2 ? null : "plug",
      title: `item ${i}`,
      body: "",
      at: at + Math.floor(i / 3) * 1_000,
    });
  }
  hub.devices.feed.record({
    siteId: hub.other.siteId,
    kind: "device.event",
    deviceId: null,
    title: "theirs",
    body: "",
    at,
  });
});
type Titled = { events: { title: string }[] };
const titles = (body: Titled): string[] => body.events.map(({ title }) => title);

t.test("the feed comes newest first, 50 by default, without anyone else's", async (t) => {
  const { status, body } = await api.get("/v1/events", { key });
  t.equal(status, 200);
  t.same(
    titles(body),
    Array.from({ length: 50 }, (_, i) => `item ${59 - i}`),
  );
  t.match(body.events[0], {
    deviceId: null,
    kind: /^device\.event$/,
    body: "",
    read: false,
    at: new Date(at + 19_000).toISOString(),
  });
});

t.test("since is inclusive", async (t) => {
  const { body } = await api.get(`/v1/events?since=${new Date(at + 19_000).toISOString()}`, { key });
  t.same(titles(body), ["item 59", "item 58", "item 57"]);
});

t.test("limits are 1 to 500, strictly; a wrong since is refused", async (t) => {
  for (const limit of [1, 500])
    t.equal((await api.get(`/v1/events?limit=${limit}`, { key })).status, 200, String(limit));
  for (const query of [
    "limit=0",
    "limit=501",
    "limit=ten",
    "limit=1&limit=2",
    "since=now",
    "since=2026-03-01T12:00:00",
  ]) {
    t.hasStrict((await api.get(`/v1/events?${query}`, { key })).body.error, { code: "invalid_query" }, query);
  }
});

t.test("pages join without gaps or duplicates", async (t) => {
  const found: string[] = [];
  let path: string | undefined = "/v1/events?limit=7";
  for (let page = 0; path !== undefined && page < 20; page++) {
    const { body, headers }: CallAnswer = await api.get(path, { key });
    found.push(...titles(body));
    path = /<https?:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(headers.link ?? ""))?.[1];
  }
  t.same(
    found.filter((title) => title.startsWith("item")),
    Array.from({ length: 60 }, (_, i) => `item ${59 - i}`),
  );
});
