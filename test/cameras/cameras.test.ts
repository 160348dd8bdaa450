/**
 * Cameras that the hub looks through: each trigger with real pictures, and cameras that misbehave while they are
 * watched.
 */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import sharp from "sharp";
import t, { type Test } from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { reasonEnglish } from "../../src/core/text/described-error.ts";
import type { Delivery } from "../../src/features/cameras/burst-taker.ts";
import { Cameras } from "../../src/features/cameras/cameras.ts";
import { Captures } from "../../src/features/cameras/captures.ts";
import { Spool } from "../../src/features/cameras/spool.ts";
import { eventually } from "../support/hub-process.ts";
import { OnvifDevice } from "../support/onvif-device.ts";
import { photographs } from "../support/photographs.ts";
import { RtspServer } from "../support/rtsp-server.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(180_000);
const FFMPEG = "/usr/bin/ffmpeg";
const [car] = await photographs();

/** An empty drive, and the same with the two-wheeler in it, `left` pixels from the edge. */
async function scene(left: number | null): Promise<Buffer> {
  const drive = sharp({ create: { width: 1280, height: 720, channels: 3, background: { r: 120, g: 124, b: 118 } } });
  return (left === null ? drive : drive.composite([{ input: car.jpeg, left, top: 300 }]))
    .jpeg({ quality: 85 })
    .toBuffer();
}
const [empty, onTheLeft, onTheRight] = [await scene(null), await scene(100), await scene(900)];

/** A camera with an HTTP snapshot; `show` is what it answers. */
async function snapshotCamera(t: Test) {
  const state = { asked: 0, show: (response: ServerResponse): void => void response.end(empty) };
  const server = createServer((_request, response) => {
    state.asked += 1;
    state.show(response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  /** Shows a picture until the hub has looked `times` more. */
  const showing = async (picture: Buffer, times: number): Promise<void> => {
    state.show = (response) => void response.end(picture);
    const until = state.asked + times;
    await eventually(() => (state.asked >= until ? true : undefined), 30_000);
  };
  return { state, showing, url: `http://127.0.0.1:${port}/snap.jpg` };
}

/** Everything between a camera and the gate, with one camera. */
async function watched(t: Test, source: object) {
  const bursts: Delivery[] = [];
  const options = { clock: systemClock, logger: silentLogger, maxFrameBytes: 2_000_000, openReading: () => null };
  const taker = () => ({
    gate: {
      take: async (delivery: Delivery) => [bursts.push(delivery)],
      takes: () => true,
      knows: () => false,
      nextCaptureId: () => bursts.length + 1,
    },
    settings: { all: () => [{ deviceId: "cam", enabled: true, source }] },
    shownFrames: { claim: (_: string, frames: readonly Uint8Array[]) => frames.map(() => true) },
  });
  const captures = new Captures({ ...options, spool: new Spool(join(testFolder(t), "spool")), taker });
  const cameras = new Cameras({
    ...options,
    captures,
    taker,
    ffmpeg: FFMPEG,
    interfaces: () => [],
  });
  await cameras.start();
  t.teardown(() => cameras.stop());
  return {
    cameras,
    bursts,
    burst: (count: number) => eventually(() => (bursts.length >= count ? bursts[count - 1]?.burst : undefined), 40_000),
  };
}

t.test(
  "motion in the pictures of a snapshot camera makes one burst; what is masked and what stands still makes none",
  async (t) => {
    const camera = await snapshotCamera(t);
    const leftHalf = [
      [
        [0, 0],
        [0.5, 0],
        [0.5, 1],
        [0, 1],
      ],
    ];
    const { cameras, bursts, burst } = await watched(t, {
      kind: "snapshot",
      url: camera.url,
      frames: 2,
      gapMs: 50,
      watch: { kind: "motion", sensitivity: 60, mask: leftHalf },
    });
    await camera.showing(empty, 3);
    await camera.showing(onTheLeft, 4);
    t.equal(bursts.length, 0, "it moves where it is masked");
    camera.state.show = (response) => void response.end(onTheRight);
    t.hasStrict(await burst(1), { trigger: "motion", deviceId: "cam" });
    t.equal((await burst(1)).frames.length, 2);
    await camera.showing(onTheRight, 4);
    t.equal(bursts.length, 1, "it stands still");
    t.match(cameras.states().get("cam"), { state: "ok", trouble: null });
  },
);

t.test("a low sensitivity does not see what a high one sees", async (t) => {
  const camera = await snapshotCamera(t);
  const small = await sharp(car.jpeg).resize(60, 60).toBuffer();
  const faraway = await sharp(empty)
    .composite([{ input: small, left: 600, top: 300 }])
    .jpeg()
    .toBuffer(); // prettier-ignore
  const source = (sensitivity: number) => ({
    kind: "snapshot",
    url: camera.url,
    frames: 1,
    watch: { kind: "motion", sensitivity },
  });
  const [dull, keen] = [await watched(t, source(1)), await watched(t, source(100))];
  await camera.showing(empty, 6);
  camera.state.show = (response) => void response.end(faraway);
  t.match(await keen.burst(1), { trigger: "motion" });
  await camera.showing(faraway, 4);
  t.equal(dull.bursts.length, 0);
});

t.test("a camera whose stored settings cannot be used is left out, until they are set right", async (t) => {
  const camera = await snapshotCamera(t);
  const unusable = { kind: "rtsp", url: "nowhere" };
  const { cameras, burst } = await watched(t, unusable);
  t.equal(cameras.states().size, 0);
  await t.rejects(cameras.configure({ deviceId: "cam", enabled: true, source: unusable }), { code: /^invalid_body$/ });
  const source = { kind: "snapshot", url: camera.url, frames: 1, watch: { kind: "manual" } };
  await cameras.configure({ deviceId: "cam", enabled: true, source });
  await cameras.capture("cam");
  t.match(await burst(1), { trigger: "manual" });
});

t.test("a loop, a clock, a person and the camera itself make it look", async (t) => {
  const camera = await snapshotCamera(t);
  const source = (watch: object) => ({ kind: "snapshot", url: camera.url, frames: 1, watch });
  const loop = await watched(t, source({ kind: "loop", deviceId: "loop-1", field: "contact" }));
  loop.cameras.deviceChanged("loop-1", { contact: false }, ["contact"]);
  loop.cameras.deviceChanged("loop-1", { contact: true, other: 1 }, ["other"]);
  loop.cameras.deviceChanged("loop-2", { contact: true }, ["contact"]);
  loop.cameras.deviceChanged("loop-1", { contact: true }, ["contact"]);
  t.match(await loop.burst(1), { trigger: "loop" });
  await loop.cameras.capture("cam");
  t.match(await loop.burst(2), { trigger: "manual" });
  t.equal(loop.bursts.length, 2);
  await t.rejects(loop.cameras.capture("other"), { code: /^conflict$/ });
  t.match(await (await watched(t, source({ kind: "periodic", everySeconds: 1 }))).burst(1), { trigger: "periodic" });
  const device = new OnvifDevice({ user: "admin", password: "secret", picture: onTheLeft });
  await device.open();
  t.teardown(() => device.close());
  const url = `http://admin:secret@127.0.0.1:${device.port}/snap.jpg`;
  const own = await watched(t, {
    kind: "snapshot",
    url,
    frames: 2,
    gapMs: 50,
    watch: { kind: "onvif", address: device.address },
  });
  await eventually(() => (device.asked.includes("PullMessages") ? true : undefined), 30_000);
  device.tell(true);
  const burst = await own.burst(1);
  t.match(burst, { trigger: "motion" });
  t.ok(burst.frames.every((frame) => Buffer.from(frame).equals(onTheLeft)));
  await own.cameras.stop();
  await t.rejects(own.cameras.inspect({ address: "127.0.0.1:1", user: "", password: "" }), {
    code: /^conflict$/,
    message: "The camera cannot be reached.",
  });
});

t.test(
  "a camera that misbehaves while it is watched costs one empty burst, says what is wrong, and comes back",
  async (t) => {
    const camera = await snapshotCamera(t);
    const { cameras, bursts, burst } = await watched(t, {
      kind: "snapshot",
      url: camera.url,
      frames: 1,
      watch: { kind: "motion" },
    });
    await camera.showing(empty, 2);
    const ways: [string, RegExp, (response: ServerResponse) => void][] = [
      ["half a file", /cannot be used/, (response) => void response.end(empty.subarray(0, empty.length / 2))],
      [
        "a drawing, which is a program for the decoder",
        /not a picture/,
        (response) => void response.end('<svg xmlns="http://www.w3.org/2000/svg" width="160" height="90"/>'),
      ],
      [
        "an answer that is cut off",
        /cannot be reached/,
        (response) => void response.writeHead(200, { "content-length": "9999" }).write("x", () => response.destroy()),
      ],
      ["too many bytes", /too large/, (response) => void response.end(Buffer.alloc(3_000_000))],
      [
        "a web page",
        /not a picture/,
        (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>login</html>"),
      ],
      ["no access", /answered 401/, (response) => void response.writeHead(401).end()],
      [
        "a byte now and then",
        /in time/,
        (response) => {
          const drip = setInterval(() => response.write("x"), 500);
          response.on("close", () => clearInterval(drip));
        },
      ],
    ];
    for (const [what, trouble, show] of ways) {
      camera.state.show = show;
      await eventually(
        () => (trouble.test(reasonEnglish(cameras.states().get("cam")?.trouble ?? "")) ? true : undefined),
        40_000,
      );
      t.pass(what);
    }
    t.ok(bursts.length <= 2, `${bursts.length} empty bursts at most`);
    t.ok(bursts.every((delivery) => delivery.burst.frames.length === 0));
    await camera.showing(empty, 4);
    t.match(cameras.states().get("cam"), { state: "ok", trouble: null });
    const before = bursts.length;
    camera.state.show = (response) => void response.end(onTheRight);
    t.equal((await burst(before + 1)).frames.length, 1);
  },
);

t.test(
  "pictures of an RTSP stream, which is taken up again when it breaks",
  { skip: existsSync(FFMPEG) ? false : "ffmpeg is not installed" },
  async (t) => {
    const folder = testFolder(t, {});
    const still = join(folder, "still.jpg");
    await sharp(onTheRight).resize(640, 360).toFile(still);
    const clip = join(folder, "clip.mp4");
    execFileSync(FFMPEG, [
      "-loglevel",
      "error",
      "-loop",
      "1",
      "-i",
      still,
      "-t",
      "2",
      "-r",
      "8",
      "-c:v",
      "mpeg4",
      "-q:v",
      "3",
      clip,
    ]);
    const server = new RtspServer(FFMPEG, clip, folder);
    await server.open();
    t.teardown(() => server.close());
    const { cameras, burst, bursts } = await watched(t, {
      kind: "rtsp",
      url: server.url,
      frames: 3,
      watch: { kind: "manual" },
    });
    await eventually(() => (cameras.states().get("cam")?.state === "ok" ? true : undefined), 60_000);
    await cameras.capture("cam");
    const { frames, trigger } = await burst(1);
    t.match([frames.length, trigger], [3, "manual"]);
    t.match(await sharp(frames[0]).metadata(), { format: "jpeg", width: 640, height: 360 });
    server.cut();
    await eventually(() => (cameras.states().get("cam")?.state === "trouble" ? true : undefined), 60_000);
    await eventually(() => (cameras.states().get("cam")?.state === "ok" ? true : undefined), 60_000);
    await cameras.capture("cam");
    t.equal((await burst(2)).frames.length, 3);
    t.equal(bursts.length, 2);
  },
);
