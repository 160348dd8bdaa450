import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;
const key = await hub.key();
await hub.device("camera-gate", { type: "camera" });
await hub.device("camera-back", { type: "camera" });
const now = hub.clock.now();
const jpeg = Buffer.from("ffd8ffe000104a464946ffd9", "hex");
const first = await hub.read("MH 12 AB 1234", { at: now - 4_000, image: jpeg, decision: "allow" });
const second = await hub.read("22 BH 1234 AA", {
  at: now - 3_000,
  deviceId: "camera-back",
  direction: "out",
  decision: "deny",
});
const third = await hub.read("???", { at: now - 2_000, direction: null });
const fourth = await hub.read("mh12ab1234", { at: now - 2_000, direction: "out" });
const theirs = await hub.read("DL 01 AB 1234", { siteId: hub.other.siteId, image: jpeg });
const ids = (body: { plates: { id: number }[] }): number[] => body.plates.map(({ id }) => id);
const list = async (query: string): Promise<number[]> => ids((await api.get(`/v1/plates${query}`, { key })).body);

t.test("reads come newest first by time and id, in the contract's shape", async (t) => {
  const { status, body } = await api.get("/v1/plates", { key, headers: { Host: "gatehouse.local" } });
  t.equal(status, 200);
  t.same(ids(body), [fourth, third, second, first]);
  t.match(body.plates[3], {
    plate: /^MH12AB1234$/,
    formatted: "MH 12 AB 1234",
    status: /^recognised$/,
    reason: null,
    decision: /^allow$/,
    direction: /^in$/,
    hasImage: true,
    imageUrl: `http://gatehouse.local/v1/plates/${first}/image`,
  });
  t.match(body.plates[1], {
    plate: null,
    formatted: null,
    status: /^unrecognised$/,
    reason: /^invalid_format$/,
    direction: null,
    hasImage: false,
    imageUrl: null,
  });
});

t.test("filters combine, and a plate is found however it is written", async (t) => {
  t.same(await list("?deviceId=camera-back"), [second]);
  t.same(await list("?decision=allow"), [first]);
  t.same(await list("?status=unrecognised"), [third]);
  for (const plate of ["MH12AB1234", "mh-12-ab-1234", "MH%2012%20AB%201234", "mh+12+ab+1234"])
    t.same(await list(`?plate=${plate}`), [fourth, first], plate);
  t.same(await list("?plate=MH12AB1234&decision=deny"), []);
  t.same(await list(`?since=${new Date(now - 3_000).toISOString()}`), [fourth, third, second]);
  t.same(await list("?deviceId=nobody"), []);
});

t.test("filters are checked", async (t) => {
  t.hasStrict((await api.get("/v1/plates?plate=hello%20world", { key })).body.error, { code: "invalid_plate" });
  for (const query of [
    "decision=maybe",
    "decision=ALLOW",
    "status=",
    "limit=0",
    "limit=501",
    "limit=x",
    "since=today",
    "plate=A&plate=B",
  ]) {
    t.hasStrict((await api.get(`/v1/plates?${query}`, { key })).body.error, { code: "invalid_query" }, query);
  }
  for (const limit of [1, 500]) t.equal((await api.get(`/v1/plates?limit=${limit}`, { key })).status, 200);
});

t.test("pages keep the filter and join exactly", async (t) => {
  const one = await api.get("/v1/plates?limit=1&plate=MH12AB1234", { key });
  t.same(ids(one.body), [fourth]);
  const next = /<https?:\/\/[^/]+([^>]+)>/.exec(String(one.headers.link))?.[1] ?? "";
  const two = await api.get(next, { key });
  t.same(ids(two.body), [first]);
  t.equal(two.headers.link, undefined);
});

t.test("the image is a JPEG with a strong ETag, and a browser asks before it shows it again", async (t) => {
  const { status, headers, bytes } = await api.get(`/v1/plates/${first}/image`, { key });
  t.match(
    { status, type: headers["content-type"], cache: headers["cache-control"] },
    { status: 200, type: /^image\/jpeg$/, cache: "private, no-cache" },
  );
  t.same(bytes, jpeg);
  t.match(headers.etag, /^"[^"]+"$/);
  t.equal(
    (await api.get(`/v1/plates/${first}/image`, { key, headers: { "If-None-Match": String(headers.etag) } })).status,
    304,
  );
  const head = await api.call("HEAD", `/v1/plates/${first}/image`, { key });
  t.match(
    { status: head.status, length: head.headers["content-length"], bytes: head.bytes.length },
    { status: 200, length: String(jpeg.length), bytes: 0 },
  );
});

t.test("no image, no read, another account's read: 404", async (t) => {
  t.hasStrict((await api.get(`/v1/plates/${second}/image`, { key })).body.error, { code: "image_not_found" });
  for (const id of [String(theirs), "999", "0", "x"])
    t.hasStrict((await api.get(`/v1/plates/${id}/image`, { key })).body.error, { code: "plate_read_not_found" }, id);
});

t.test("an image asked for as something else is 406", async (t) => {
  for (const accept of ["image/png", "image/*;q=0"]) {
    t.equal(
      (await api.get(`/v1/plates/${first}/image`, { key, headers: { Accept: accept } })).body.error.code,
      "not_acceptable",
      accept,
    );
  }
  // Clients send one Accept with every request; the contract has 200 and 404 for a picture and no refusal.
  for (const accept of ["image/*", "text/html, */*;q=0.1", "image/jpeg", "application/json"]) {
    t.equal((await api.get(`/v1/plates/${first}/image`, { key, headers: { Accept: accept } })).status, 200, accept);
  }
});
