import { inflateRawSync } from "node:zlib";
import t from "tap";
import { GateDay } from "../../../src/features/gate/gate-day.ts";
import { PlateCrops } from "../../../src/features/gate/plate-crops.ts";
import { gateDayRoutes } from "../../../src/features/gate/routes/console-reads.ts";
import { SeenReads } from "../../../src/features/gate/seen-reads.ts";
import { type CallAnswer, send } from "../../support/api-client.ts";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const cut: object[] = [];
const hub = await ApiHub.open(testFolder(t), {
  routes: ({ tables, images, cameras, devices: { base, registry } }) =>
    gateDayRoutes({
      day: new GateDay(base, {
        tables,
        images,
        cameras,
        registry,
        openings: { firstOwn: () => null, gateNear: (_, gateId) => gateId },
      }),
      reads: { captures: () => [] },
      seen: new SeenReads(base, tables),
      doctor: { diagnose: async () => ({ plates: 0, empty: 0, bursts: 0, hours: [], advice: [] }) },
      crops: new PlateCrops({
        tables,
        images,
        encodeImage: async (picture, sender, part, width) => {
          cut.push({ sender, part, width });
          return picture;
        },
      }),
    }),
});
t.teardown(() => hub.close());
const Cookie = await hub.cookie();
const get = (path: string): Promise<CallAnswer> => send(hub.server.port, "GET", path, { headers: { Cookie } });
await hub.device("camera-gate", { type: "camera" });
const now = hub.clock.now();
const HOUR = 3_600_000;
const jpeg = Buffer.from("ffd8ffe000104a464946ffd9", "hex");
const rule = { deviceId: null, validFrom: null, validTo: null, windows: [] };
await hub.rules.create(
  hub.home.siteId,
  { ...rule, plate: "MH12AB1234", kind: "allow", label: "Family car" },
  "session:1",
);
await hub.rules.create(hub.home.siteId, { ...rule, plate: "DL8CAF5031", kind: "deny", label: "=1+1" }, "session:1");
const family = await hub.read("MH12AB1234", { at: now - 5 * HOUR, image: jpeg, decision: "allow" });
const denied = await hub.read("DL8CAF5031", { at: now - 3 * HOUR, decision: "deny" });
const unread = await hub.read("???", { at: now - 2 * HOUR, direction: null });
const stranger = await hub.read("KA05MN3311", { at: now - HOUR, direction: "out" });
await hub.read("GJ01XX0001", { siteId: hub.other.siteId, image: jpeg });

interface Read {
  readonly id: number;
  readonly [name: string]: unknown;
}
const reads = async (query = ""): Promise<Read[]> => {
  const { status, body } = await get(`/api/reads${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.reads;
};
const ids = async (query: string): Promise<number[]> => (await reads(query)).map(({ id }) => id);

t.test("sightings come newest first, or oldest first, page by page", async (t) => {
  t.same(await ids(""), [stranger, unread, denied, family]);
  t.same(await ids("?order=oldest"), [family, denied, unread, stranger]);
  const { body, headers } = await get("/api/reads?order=oldest&limit=3");
  t.same(
    body.reads.map((read: Read) => read.id),
    [family, denied, unread],
  );
  const [, next = ""] = /<([^>]+)>/.exec(String(headers.link)) ?? [];
  const { pathname, search } = new URL(next);
  t.same(
    (await get(pathname + search)).body.reads.map((read: Read) => read.id),
    [stranger],
  );
});

t.test("passes and cars are counted, with the same filters", async (t) => {
  const count = async (query: string) => (await get(`/api/reads/count${query}`)).body.count;
  t.same(await count(""), { passes: 4, cars: 3, unread: 1 });
  t.same(await count("?q=family"), { passes: 1, cars: 1, unread: 0 });
  t.same(await count("?q=nobody"), { passes: 0, cars: 0, unread: 0 });
  t.same(await count(`?since=${new Date(now - 2.5 * HOUR).toISOString()}`), { passes: 2, cars: 1, unread: 1 });
  const range = `since=${new Date(now - 6 * HOUR).toISOString()}&until=${new Date(now + HOUR).toISOString()}`;
  const hours = async (query: string) =>
    (await get(`/api/reads/hours?${range}${query}`)).body.hours.map(
      ({ allow, deny, unknown, unread }: Record<string, number>) => [allow, deny, unknown, unread],
    );
  t.equal((await hours("")).length, 4);
  t.same(await hours("&q=family"), [[1, 0, 0, 0]], "the strip follows the search");
});

t.test("a fragment of a plate or of a name finds its sightings", async (t) => {
  for (const q of ["MH12", "1234", "ab 12", "mh-12", "family", "CAR", "ＭＨ１２"])
    t.same(await ids(`?q=${encodeURIComponent(q)}`), [family], q);
  t.same(await ids("?q=MHI2"), [family], "what looks alike is equal where nothing else fits");
  t.same(await ids("?q=O5MN"), [stranger]);
  t.same(await ids("?q=%25"), [], "no wildcard");
  t.same(await ids("?q=GJ01"), [], "not another household's");
  t.same(await ids("?q=zzz"), []);
});

t.test("filters combine, several decisions at once", async (t) => {
  t.same(await ids("?decisions=allow,deny"), [denied, family]);
  t.same(await ids("?decisions=deny&q=DL8"), [denied]);
  t.same(await ids("?status=unrecognised"), [unread]);
  t.same(await ids("?direction=out"), [stranger]);
  t.equal((await get("/api/reads?decisions=maybe")).status, 400);
  t.equal((await get("/api/reads?limit=201")).status, 400);
});

t.test("each says whether the vehicle went through", async (t) => {
  const passed = new Map((await reads()).map((read) => [read.id, read.passed]));
  t.equal(passed.get(family), "unknown", "no gate is set up");
  t.equal(passed.get(unread), "no");
});

t.test("hours count what was seen, from the start of the range", async (t) => {
  const since = new Date(now - 6 * HOUR).toISOString();
  const until = new Date(now).toISOString();
  const { body } = await get(`/api/reads/hours?since=${since}&until=${until}`);
  t.same(body.hours, [
    { from: new Date(now - 5 * HOUR).toISOString(), allow: 1, deny: 0, watch: 0, unknown: 0, unread: 0 },
    { from: new Date(now - 3 * HOUR).toISOString(), allow: 0, deny: 1, watch: 0, unknown: 0, unread: 0 },
    { from: new Date(now - 2 * HOUR).toISOString(), allow: 0, deny: 0, watch: 0, unknown: 0, unread: 1 },
    { from: new Date(now - HOUR).toISOString(), allow: 0, deny: 0, watch: 0, unknown: 1, unread: 0 },
  ]);
  const long = new Date(now - 40 * 24 * HOUR).toISOString();
  t.equal((await get(`/api/reads/hours?since=${long}&until=${until}`)).status, 400);
  t.equal((await get(`/api/reads/hours?since=${until}&until=${since}`)).status, 400);
});

t.test("a plate is cut out once, and again when a better picture has come", async (t) => {
  const at = now - 5 * HOUR;
  const put = (box: string) =>
    hub.database.write(() => hub.tables.images.put({ readId: family, bytes: jpeg.length, at, box }));
  await put("[0.4,0.5,0.6,0.6]");
  const answers = await Promise.all([1, 2, 3].map(() => get(`/api/reads/${family}/plate`)));
  t.same(
    answers.map(({ status, bytes }) => [status, bytes.equals(jpeg)]),
    [1, 2, 3].map(() => [200, true]),
  );
  t.equal(cut.length, 1);
  t.match(cut[0], { sender: /^console:crops$/ }, "in a turn of its own");
  await put("[0.1,0.5,0.3,0.6]");
  await get(`/api/reads/${family}/plate`);
  t.equal(cut.length, 2);
  await hub.database.write(() => hub.tables.images.remove([family]));
  t.equal((await get(`/api/reads/${family}/plate`)).status, 404, "what has expired is not shown from memory");
  await hub.database.write(() => hub.tables.images.put({ readId: family, bytes: jpeg.length, at, box: null }));
});

t.test("a picture is made small once, also where nobody knows where the plate is", async (t) => {
  const before = cut.length;
  for (let time = 0; time < 2; time += 1) t.equal((await get(`/api/reads/${family}/small`)).status, 200);
  t.same(cut.slice(before), [{ sender: "console:crops", part: null, width: 640 }]);
  t.hasStrict((await get("/api/reads/9999/small")).body.error, { code: "plate_read_not_found" });
});

t.test("there is no crop where nobody knows where the plate is", async (t) => {
  t.hasStrict((await get(`/api/reads/${family}/plate`)).body.error, { code: "image_not_found" });
  t.hasStrict((await get("/api/reads/9999/plate")).body.error, { code: "plate_read_not_found" });
});

t.test("the table holds what fits the filter, and no formula", async (t) => {
  const { status, bytes, headers } = await get("/api/reads/csv?decisions=deny,allow");
  t.equal(status, 200);
  t.match(String(headers["content-disposition"]), /gate\.csv/);
  const lines = bytes.toString().trim().split("\r\n");
  t.equal(lines.length, 3);
  t.match(lines[1], /DL 8 CAF 5031,'=1\+1,deny/);
  t.match(lines[2], /MH 12 AB 1234,Family car,allow,in,camera-gate/);
});

t.test("the pictures come as a ZIP file", async (t) => {
  const { status, bytes } = await get("/api/reads/pictures");
  t.equal(status, 200);
  const files = unzipped(bytes);
  t.equal(files.length, 1);
  t.match(files[0]?.name, /Z_MH12AB1234_\d+\.jpg$/);
  t.same(files[0]?.bytes, jpeg);
  t.equal((await get("/api/reads/pictures")).status, 200, "another one after it");
  const { status: ofHead } = await send(hub.server.port, "HEAD", "/api/reads/pictures", { headers: { Cookie } });
  t.equal(ofHead, 200);
  t.equal((await get("/api/reads/pictures")).status, 200, "HEAD asks for no piece, and leaves nothing under way");
});

t.test("who came in, and how that is known", async (t) => {
  const { body } = await get("/api/gate/inside");
  t.same(
    body.inside.map(({ plate, how, label }: Record<string, string>) => [plate, how, label]),
    [
      ["DL8CAF5031", "at_gate", "=1+1"],
      ["MH12AB1234", "at_gate", "Family car"],
    ],
    "they were only seen at the gate",
  );
  const [{ since, usualStaySeconds, mayHaveLeftFrom }] = body.inside;
  t.equal(usualStaySeconds, null, "nothing is known of how long it usually stays");
  t.equal(Date.parse(mayHaveLeftFrom) - Date.parse(since), 24 * 3_600_000, "then a day counts");
});

t.test("the set-up ends when the gate has opened for a plate", async (t) => {
  const { body } = await get("/api/gate/set-up");
  t.same(body, { cameraId: null, gateId: null, pictured: true, listed: true, opened: false });
});

/** The files of a ZIP file by its directory. */
function unzipped(zip: Buffer): { name: string; bytes: Buffer }[] {
  const end = zip.length - 22;
  const files: { name: string; bytes: Buffer }[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size, nameLength, local] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
      zip.readUInt32LE(at + 42),
    ];
    const start = local + 30 + zip.readUInt16LE(local + 26);
    const content = zip.subarray(start, start + size);
    files.push({
      name: zip.subarray(at + 46, at + 46 + nameLength).toString(),
      bytes: method === 0 ? Buffer.from(content) : inflateRawSync(content),
    });
    at += 46 + nameLength;
  }
  return files;
}
