import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import mqtt from "mqtt";
import sharp from "sharp";
import t, { type Test } from "tap";
import { send } from "../../support/api-client.ts";
import { type ConsoleHub, startConsoleHub } from "../../support/console-hub.ts";
import { PROJECT_ROOT } from "../../support/database.ts";
import { eventually } from "../../support/hub-process.ts";

const picture = (red: number): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 36, channels: 3, background: { r: red, g: 20, b: 20 } } })
    .jpeg()
    .toBuffer();

function frame({ port, cookie }: ConsoleHub, query = "") {
  return send(port, "GET", `/api/cameras/cam-1/frame${query}`, { headers: { Cookie: cookie } });
}

async function snapshotCamera(t: Test): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    void picture(asked).then((jpeg) => response.writeHead(200, { "Content-Type": "image/jpeg" }).end(jpeg));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  // listening on TCP
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/snapshot.jpg`, asked: () => asked };
}

t.test("a camera that the hub looks through is asked once for a fresh picture", async (t) => {
  const house = await startConsoleHub(t);
  const camera = await snapshotCamera(t);
  await house.call("POST", "/api/devices", { id: "cam-1", name: "Camera", type: "camera" });
  t.equal((await frame(house)).status, 204, "nothing has been seen yet, and that is no error");
  await house.call("PATCH", "/api/cameras/cam-1", {
    source: { kind: "snapshot", url: camera.url, watch: { kind: "manual" } },
  });
  t.equal((await frame(house)).status, 204, "nobody looks unasked");
  const fresh = await frame(house, "?fresh=true");
  t.equal(fresh.status, 200);
  t.equal(fresh.headers["content-type"], "image/jpeg");
  t.equal(camera.asked(), 1);
  t.same((await frame(house)).bytes, fresh.bytes, "the latest is kept");
  t.same((await frame(house, "?fresh=true")).bytes, fresh.bytes, "within a second the camera is not asked again");
  t.equal(camera.asked(), 1);
  t.equal(
    (await send(house.port, "GET", "/api/cameras/nobody/frame", { headers: { Cookie: house.cookie } })).status,
    404,
  );
});

t.test("a native camera is sent a command, and what it sends is shown", async (t) => {
  const house = await startConsoleHub(t);
  const { password } = (await house.call("POST", "/api/devices", { id: "cam-1", name: "Camera", type: "camera" })).body;
  t.equal((await frame(house, "?fresh=true")).status, 204, "a camera that is away is not asked");
  const jpeg = await picture(200);
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${house.hub.mqtt.broker.port}`, {
    clientId: "cam-1",
    username: "cam-1",
    password,
  });
  t.teardown(() => client.endAsync());
  client.on("message", (_topic, payload) => {
    if (payload.toString() !== '{"capture":true}') return;
    void client.publishAsync("gatehouse/cam-1/capture/7/0", jpeg, { qos: 1 }).then(() =>
      client.publishAsync("gatehouse/cam-1/capture/7/done", JSON.stringify({ trigger: "manual", frames: 1 }), {
        qos: 1,
      }),
    );
  });
  await client.subscribeAsync("gatehouse/cam-1/command", { qos: 1 });
  const shown = await frame(house, "?fresh=true");
  t.same([shown.status, shown.bytes.equals(jpeg)], [200, true]);
  // The picture may be here before the command's row is on the disk.
  const sent = await eventually(async () => {
    const { commands } = (await house.call("GET", "/api/devices/cam-1/commands")).body;
    return commands.length > 0 ? commands : undefined;
  });
  t.match(sent, [{ command: { capture: true }, actor: /^session:/ }]);
});

t.test("what was seen before a restart is shown until there is a new picture, however long ago", async (t) => {
  const house = await startConsoleHub(t);
  for (const id of ["cam-1", "cam-2"]) await house.call("POST", "/api/devices", { id, name: id, type: "camera" });
  const stored = async (deviceId: string, at: number, red: number) => {
    const jpeg = await picture(red);
    const captureId = house.hub.gate.gate.nextCaptureId();
    const burst = {
      deviceId,
      captureId,
      trigger: "loop",
      at,
      direction: null,
      frames: [jpeg],
      completeMono: 0,
    } as const;
    await house.hub.gate.gate.take({ burst, captureKey: null, opensUntilMono: 0, isRepeated: false, reading: null });
    return jpeg;
  };
  const now = Date.now();
  const first = await stored("cam-1", now - 5_000, 40);
  for (let n = 0; n < 3; n++) await stored("cam-2", now - 4_000 + n, 80 + n);
  house.hub.cameras.cameras.latest.forget("cam-1"); // as after a restart
  const shown = await frame(house);
  t.same([shown.status, shown.bytes.equals(first)], [200, true]);
  t.equal(Date.parse(String(shown.headers["last-modified"])), Math.floor((now - 5_000) / 1_000) * 1_000);
});

t.test("a picture is tried: where its plates are, and nothing is kept", async (t) => {
  const house = await startConsoleHub(t, { env: { GATEHOUSE_RECOGNITION: "true" } });
  const jpeg = await readFile(join(PROJECT_ROOT, "test/fixtures/plates/two-wheeler-BR03AD2586.jpg"));
  const answer = await house.api.post("/api/plates/try", {
    body: jpeg,
    headers: { Cookie: house.cookie, "Content-Type": "image/jpeg" },
  });
  t.equal(answer.status, 200);
  const [plate] = answer.body.plates;
  t.hasStrict(plate, { plate: "BR03AD2586", status: "recognised" });
  const flat: number[] = plate.corners.flat();
  t.ok(flat.length === 8 && flat.every((share) => share >= 0 && share <= 1), "corners are shares of the picture");
  t.equal((await send(house.port, "GET", "/v1/plates", { headers: { Cookie: house.cookie } })).body.plates.length, 0);
  const broken = await house.api.post("/api/plates/try", {
    body: "no picture",
    headers: { Cookie: house.cookie, "Content-Type": "image/jpeg" },
  });
  t.hasStrict(broken.body, { plates: [], reason: "provider_error" });
});

t.test(
  "an address is tried before it is set: one picture, or why there is none, and never what is no picture",
  async (t) => {
    const house = await startConsoleHub(t);
    const camera = await snapshotCamera(t);
    const look = (source: object) => house.call("POST", "/api/cameras/look", { source });
    const tried = await look({ kind: "snapshot", url: camera.url });
    t.match(tried.body, { picture: { width: 64, height: 36 }, trouble: null });
    t.match(await sharp(Buffer.from(tried.body.picture.jpeg, "base64")).metadata(), { format: "jpeg", width: 64 });
    t.equal(camera.asked(), 1);
    const page = createServer((_request, response) => response.end("the router's secret page"));
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
    t.teardown(() => page.close());
    const { port } = page.address() as AddressInfo; // listening on TCP
    t.same((await look({ kind: "snapshot", url: `http://127.0.0.1:${port}/` })).body, {
      picture: null,
      trouble: "what is there is not a picture",
      words: { code: "camera.notAPicture" },
    });
    t.same((await look({ kind: "snapshot", url: "http://127.0.0.1:1/" })).body, {
      picture: null,
      trouble: "the camera cannot be reached",
      words: { code: "camera.unreachable" },
    });
    const stream = (await look({ kind: "rtsp", url: "rtsp://admin:secret@127.0.0.1:1/stream1" })).body;
    t.match(stream, { picture: null, trouble: String });
    t.notMatch(stream.trouble, /secret/, "the password is not in the reason");
    t.hasStrict(await look({ kind: "snapshot", url: "file:///etc/passwd" }), {
      status: 400,
      body: { error: { details: [{ field: "/source/url" }] } },
    });
    t.match(await look({ kind: "native" }), { status: 400 });
  },
);
