/**
 * Cars at the gate, from a camera's MQTT messages to the gate's, with real photographs and the hub as it is shipped.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually, Person, startHubProcess } from "../support/hub-process.ts";
import { type Photograph, photographs, withoutModels } from "../support/photographs.ts";
import { testFolder } from "../support/test-folder.ts";
import { gatePremises, type Read } from "./gate-premises.ts";

t.setTimeout(240_000);
const OPEN = '{"relays":[true,false,false,false]}';

interface Profile {
  readonly inside: boolean;
  readonly passes: number;
  readonly visits: readonly {
    readonly status: string;
    readonly entryAt: string | null;
    readonly exitAt: string | null;
    readonly staySeconds: number | null;
  }[];
}

/** The photograph with a part of its plate painted over. */
async function spoilt({ jpeg, box: [x1, y1, x2, y2] }: Photograph): Promise<Buffer> {
  const width = Math.round((x2 - x1) / 4);
  const paint = { create: { width, height: y2 - y1, channels: 3, background: "black" } } as const;
  return sharp(jpeg)
    .composite([{ input: paint, left: x2 - width, top: y1 }])
    .jpeg({ quality: 92 })
    .toBuffer();
}

t.test("a day at the gate", { skip: withoutModels }, async (t) => {
  const [owner, banned, visitor] = await photographs();
  const p = await gatePremises(testFolder(t), { GATEHOUSE_GATE_PASS_SECONDS: "1" });
  const [entry, exit, relay] = [await p.connect("camera-1"), await p.connect("camera-2"), await p.listen()];
  const profile = (car: Photograph) => p.api<Profile>("GET", `/v1/vehicles/${car.plate}`);
  const feed = async (): Promise<unknown[]> =>
    (await p.api<{ events: unknown[] }>("GET", "/v1/events?limit=20")).events;
  /** A pass lasts a second here. */
  const passOver = () => new Promise((resolve) => setTimeout(resolve, 1_100));
  await p.person.call("PATCH", "/api/site", { capacity: 2 });
  await p.person.call("PATCH", "/api/cameras/camera-1", { presented: "open" }); // the same photographs come again

  await t.test("an unknown car: read and recorded, and the gate stays shut", async (t) => {
    t.hasStrict(await p.capture(exit, [visitor.jpeg]), {
      plate: visitor.plate,
      decision: "unknown",
      status: "recognised",
      direction: null,
    });
    t.hasStrict(await feed(), [{ kind: "plate.unknown", deviceId: "camera-2" }]);
    t.match(
      await profile(visitor),
      { passes: 1, inside: false, visits: [] },
      "without a direction it is a pass but not an entry",
    );
  });

  await t.test("an allowed car arrives: command, read, visit, occupancy, picture, feed", async (t) => {
    const { rule } = await p.api<{ rule: { plate: string } }>("POST", "/v1/plate-rules", {
      plate: owner.plate.toLowerCase(),
      label: "Asha",
    });
    t.equal(rule.plate, owner.plate);
    const read = await p.capture(entry, [owner.jpeg, owner.jpeg, owner.jpeg], { direction: "in" });
    t.same(p.commands, [OPEN]);
    t.hasStrict(read, {
      plate: owner.plate,
      decision: "allow",
      direction: "in",
      trigger: "loop",
      votes: 3,
      samples: 3,
      hasImage: true,
      status: "recognised",
      reason: null,
    });
    const picture = await p.picture(read.imageUrl ?? "");
    const { format, width, height } = await sharp(Buffer.from(await picture.arrayBuffer())).metadata();
    t.match(
      [picture.status, picture.headers.get("content-type"), format, width, height],
      [200, "image/jpeg", "jpeg", 300, 300],
    );
    t.match(await p.api("GET", "/v1/occupancy"), { inside: 1, capacity: 2, free: 1, full: false, percent: 50 });
    t.hasStrict(await p.api("GET", "/v1/vehicles"), {
      insideNow: 1,
      vehicles: [{ plate: owner.plate, inside: true, list: "allow", label: "Asha", cameras: ["camera-1"] }],
    });
    t.match(await profile(owner), {
      passes: 1,
      inside: true,
      visits: [{ status: /^open$/, entryCamera: "camera-1", exitAt: null, staySeconds: null }],
    });
    t.match(await feed(), [{ kind: /^plate\.allowed$/, deviceId: /^camera-1$/, body: "Asha, at camera-1, entering" }]);
    t.hasStrict(await p.api("GET", "/v1/plate-rules"), { rules: [{ plate: owner.plate, hits: 1 }] });
    const audit = await p.person.call<{ commands: { actor: string; status: string }[] }>(
      "GET",
      "/api/devices/gate-1/commands",
    );
    t.match(audit.body.commands, [{ actor: new RegExp(`^gate:${read.id}$`), status: /sent|delivered/ }]);
  });

  await t.test(
    "a burst whose frames disagree is settled by the others, and a broken frame costs nothing",
    async (t) => {
      await passOver();
      const half = owner.jpeg.subarray(0, owner.jpeg.length / 2);
      const read = await p.capture(entry, [await spoilt(owner), owner.jpeg, half, owner.jpeg]);
      t.hasStrict(read, { plate: owner.plate, samples: 3, direction: null, decision: "allow" });
      t.equal((await profile(owner)).visits.length, 1, "an unknown direction changes no visit");
      t.equal(p.commands.length, 2, "it is a pass of its own");
    },
  );

  await t.test("it leaves past the second camera: the visit is closed and its duration is right", async (t) => {
    const entered = (await profile(owner)).visits[0];
    const read = await p.capture(exit, [owner.jpeg], { direction: "out" });
    const { inside, passes, visits } = await profile(owner);
    const stay = Math.floor((Date.parse(read.at) - Date.parse(entered?.entryAt ?? "")) / 1_000);
    t.match([inside, passes, visits.length], [false, 3, 1]);
    t.match(visits[0], {
      status: /^closed$/,
      entryAt: entered?.entryAt,
      exitAt: read.at,
      staySeconds: stay,
      entryCamera: "camera-1",
      exitCamera: "camera-2",
    });
    t.match(await p.api("GET", "/v1/occupancy"), { inside: 0, free: 2 });
    t.equal(p.commands.length, 2, "the exit camera opens no gate");
  });

  await t.test("a ban beside a permission: the gate stays shut and nobody is inside", async (t) => {
    await p.api("POST", "/v1/plate-rules", { plate: banned.plate });
    await p.api("POST", "/v1/plate-rules", { plate: banned.plate, kind: "deny", deviceId: "camera-1" });
    t.hasStrict(await p.capture(entry, [banned.jpeg, banned.jpeg], { direction: "in" }), {
      plate: banned.plate,
      decision: "deny",
      direction: "in",
    });
    t.match(await profile(banned), { passes: 1, inside: false, visits: [] });
    t.hasStrict(await feed(), [{ kind: "plate.denied" }]);
    t.equal(p.commands.length, 2);
  });

  await t.test("an expired rule opens nothing", async (t) => {
    await p.api("POST", "/v1/plate-rules", {
      plate: visitor.plate,
      validTo: new Date(Date.now() - 1_000).toISOString(),
    });
    t.hasStrict(await p.capture(entry, [visitor.jpeg], { direction: "in" }), {
      plate: visitor.plate,
      decision: "unknown",
    });
    t.equal(p.commands.length, 2);
    t.match(await p.api("GET", "/v1/occupancy"), { inside: 1 }, "the read shows that it got in all the same");
  });

  await t.test("an exit that no camera saw", async (t) => {
    await passOver();
    await p.capture(entry, [visitor.jpeg], { direction: "in" });
    t.match((await profile(visitor)).visits, [
      { status: /^open$/ },
      { status: /^exit_missed$/, exitAt: null, staySeconds: null },
    ]);
    t.match(await p.api("GET", "/v1/occupancy"), { inside: 1 });
  });

  await t.test("the metrics show how long it took, and that nothing is waiting", async (t) => {
    // A capture that was read leaves the spool after its answer.
    const text = await eventually(async () => {
      const figures = await (await fetch(`${p.hub.url}/metrics`)).text();
      return figures.includes("gatehouse_captures_waiting 0\n") ? figures : undefined;
    });
    for (const stage of ["read", "decide", "publish", "total"])
      t.match(text, new RegExp(`gatehouse_gate_latency_seconds_count\\{stage="${stage}"\\} [1-9]`));
    t.match(text, /gatehouse_gate_commands 2\n/);
    t.match(text, /gatehouse_recogniser_waiting_frames 0\n/);
    const { body } = await p.person.call("GET", "/api/cameras");
    t.match(body, { recogniser: { ready: true, waitingBursts: 0, framesDropped: 0, timeouts: 0 } });
  });
  await Promise.all([entry.endAsync(), exit.endAsync(), relay.endAsync()]);
  t.equal(await p.hub.stop(), 0);
});

t.test("a capture that was acknowledged is read after a crash, and opens no gate then", async (t) => {
  const folder = testFolder(t);
  const p = await gatePremises(folder, { GATEHOUSE_MODELS: join(folder, "no-models") });
  const camera = await p.connect("camera-1");
  const frame = await readFile(join(PROJECT_ROOT, "test/fixtures/plates/dashcam.jpg"));
  await camera.publishAsync("gatehouse/camera-1/capture/9/0", frame, { qos: 1 });
  await p.hub.kill();
  camera.end(true);
  const again = await startHubProcess(folder, { GATEHOUSE_MODELS: join(folder, "no-models") });
  const person = new Person(again.url);
  await person.call("POST", "/api/session", { email: "asha@example.org", password: "correct horse battery staple" });
  const { plates } = await eventually(async () => {
    const { body } = await person.call<{ plates: Read[] }>("GET", "/v1/plates");
    return body.plates.length > 0 ? body : undefined;
  }, 20_000);
  t.match(plates, [
    {
      plate: null,
      status: /^unrecognised$/,
      reason: /^no_recogniser$/,
      captureId: 9,
      hasImage: true,
      decision: /^unknown$/,
    },
  ]);
  t.equal(await again.stop(), 0);
});
