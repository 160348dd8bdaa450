import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, readFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { reasonEnglish } from "../../src/core/text/described-error.ts";
import { parseCameraSource } from "../../src/features/cameras/camera-source.ts";
import { CameraWatcher, type WatchedSource } from "../../src/features/cameras/camera-watcher.ts";
import { FrameSplitter } from "../../src/features/cameras/frame-splitter.ts";
import { MOTION_HEIGHT, MOTION_WIDTH, MotionDetector } from "../../src/features/cameras/motion.ts";
import { parsePushBody } from "../../src/features/cameras/push-body.ts";
import { RtspStream } from "../../src/features/cameras/rtsp.ts";
import { authorizationFor, pullSnapshot } from "../../src/features/cameras/snapshot.ts";
import { shownUrl } from "../../src/features/cameras/source-secrets.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const FIXTURE = join(PROJECT_ROOT, "test/fixtures/plates/dashcam.jpg");
const FFMPEG = "/usr/bin/ffmpeg";
const LIMITS = { timeoutMs: 500, maxBytes: 200_000 };

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has a port
}

t.test("sources are checked, and defaults filled in", async (t) => {
  t.same(parseCameraSource({}), { kind: "native" });
  t.same(parseCameraSource({ kind: "snapshot", url: "http://10.0.0.5/snap.jpg" }), {
    kind: "snapshot",
    url: "http://10.0.0.5/snap.jpg",
    watch: { kind: "motion", sensitivity: 50, mask: [] },
    frames: 4,
    gapMs: 250,
  });
  t.match(
    parseCameraSource({
      kind: "rtsp",
      url: "rtsp://u:p@cam/1",
      watch: { kind: "loop", deviceId: "loop-1", field: "contact" },
    }),
    {
      watch: { value: true },
    },
  );
  const wrong: object[] = [
    { kind: "usb" },
    { kind: "snapshot", url: "file:///etc/passwd" },
    { kind: "snapshot", url: "rtsp://cam/1" },
    { kind: "rtsp", url: "-i /etc/passwd" },
    { kind: "rtsp" },
    { kind: "snapshot", url: "http://c/", frames: 13 },
    { kind: "snapshot", url: "http://c/", watch: { kind: "periodic", everySeconds: 0 } },
    {
      kind: "snapshot",
      url: "http://c/",
      watch: {
        kind: "motion",
        mask: [
          [
            [0, 0],
            [1, 1],
          ],
        ],
      },
    },
    {
      kind: "snapshot",
      url: "http://c/",
      watch: {
        kind: "motion",
        mask: [
          [
            [0, 0],
            [1, 1],
            [2, 0],
          ],
        ],
      },
    },
    { kind: "snapshot", url: "http://c/", watch: { kind: "loop", deviceId: "x" } },
  ];
  for (const source of wrong)
    t.throws(() => parseCameraSource(source), { code: /^invalid_body$/ }, JSON.stringify(source));
  t.equal(shownUrl("rtsp://user:secret@cam/1"), "rtsp://user@cam/1");
});

t.test("a snapshot is pulled, with basic or digest sign-in where the camera asks", async (t) => {
  const picture = await readFile(FIXTURE);
  const host = await serve(t, (request, response) => {
    const given = request.headers.authorization ?? "";
    if (request.url === "/open") response.end(picture);
    else if (request.url === "/basic" && given === `Basic ${Buffer.from("me:a b").toString("base64")}`)
      response.end(picture);
    else if (request.url === "/digest" && given.includes(expectedDigest(given))) response.end(picture);
    else
      response
        .writeHead(401, {
          "www-authenticate":
            request.url === "/basic" ? 'Basic realm="cam"' : 'Digest realm="cam", nonce="n1", qop="auth", opaque="o"',
        })
        .end("no");
  });
  const expectedDigest = (given: string): string => {
    const md5 = (text: string) => createHash("md5").update(text).digest("hex");
    const cnonce = /cnonce="([^"]+)"/.exec(given)?.[1];
    return `response="${md5(`${md5("me:cam:a b")}:n1:00000001:${cnonce}:auth:${md5("GET:/digest")}`)}"`;
  };
  for (const path of ["open", "basic", "digest"])
    t.equal((await pullSnapshot(`http://me:a%20b@${host}/${path}`, LIMITS)).length, picture.length, path);
  await t.rejects(pullSnapshot(`http://me:wrong@${host}/digest`, LIMITS), { message: "the camera answered 401" });
  await t.rejects(pullSnapshot(`http://${host}/basic`, LIMITS), { message: "the camera answered 401" });
  t.throws(() => authorizationFor("NTLM", { user: "u", password: "p", path: "/" }));
});

t.test("a camera that hangs, floods, redirects or is gone is trouble, in bounded time and memory", async (t) => {
  const host = await serve(t, (request, response) => {
    if (request.url === "/flood") {
      const flood = () => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", flood);
      flood();
    } else if (request.url === "/away") response.writeHead(302, { location: "http://example.org/" }).end();
  });
  await t.rejects(pullSnapshot(`http://${host}/hang`, LIMITS), { message: "the camera did not answer in time" });
  await t.rejects(pullSnapshot(`http://${host}/flood`, LIMITS), { message: "the camera's picture is too large" });
  await t.rejects(pullSnapshot(`http://${host}/away`, LIMITS), { message: "the camera answered 302" });
  await t.rejects(pullSnapshot("http://127.0.0.1:1/", LIMITS), { message: "the camera cannot be reached" });
});

t.test("a periodic camera that goes away costs one empty burst until it is back", async (t) => {
  const picture = await readFile(FIXTURE);
  let isThere = false;
  const host = await serve(
    t,
    (_request, response) => void (isThere ? response.end(picture) : response.writeHead(500).end()),
  );
  const source = parseCameraSource({
    kind: "snapshot",
    url: `http://${host}/`,
    frames: 2,
    gapMs: 50,
    watch: { kind: "manual" },
  }) as WatchedSource; // it is no native one
  const bursts: string[] = [];
  const watcher = new CameraWatcher({
    deviceId: "cam",
    source,
    ffmpeg: FFMPEG,
    maxFrameBytes: 200_000,
    openReading: () => null,
    take: async (frames, trigger) => void bursts.push(`${trigger} ${frames.length}`),
    clock: systemClock,
    logger: silentLogger,
  });
  watcher.open();
  await watcher.capture("periodic");
  await watcher.capture("periodic");
  t.same(bursts, ["periodic 0"]);
  t.hasStrict(watcher.state(), { state: "trouble", trouble: { code: "camera.status", status: 500 } });
  isThere = true;
  await Promise.all([watcher.capture("loop"), watcher.capture("loop")]);
  t.same(bursts, ["periodic 0", "loop 2"], "one burst at a time");
  t.match(watcher.state(), { state: "ok", trouble: null });
  await watcher.close();
});

t.test("motion: something that begins to move, not noise, not light, not what is masked", async (t) => {
  const scene = (brightness: number, car: number | null, seed = 0) => {
    const data = Uint8Array.from(
      { length: MOTION_WIDTH * MOTION_HEIGHT },
      (_, i) => brightness + ((i * 7919 + seed * 104_729) % 11),
    );
    if (car !== null) for (let y = 40; y < 70; y++) data.fill(220, y * MOTION_WIDTH + car, y * MOTION_WIDTH + car + 30);
    return { data, width: MOTION_WIDTH, height: MOTION_HEIGHT };
  };
  const still = new MotionDetector(50, []);
  t.same(
    [0, 1, 2, 3, 4].map((seed) => still.sees(scene(80, null, seed))),
    [false, false, false, false, false],
    "noise",
  );
  t.equal(still.sees(scene(150, null)), false, "a lamp");
  t.equal(still.sees(scene(150, null)), false);
  t.equal(still.sees(scene(150, null)), false);
  t.equal(still.sees(scene(150, 20)), true, "a car");
  t.equal(still.sees(scene(150, 40)), false, "the same car");
  for (let i = 0; i < 60; i++) still.sees(scene(150, null, i));
  t.equal(still.sees(scene(150, 20)), true, "the next car");
  const masked = new MotionDetector(50, [
    [
      [0, 0.4],
      [1, 0.4],
      [1, 0.8],
      [0, 0.8],
    ],
  ]);
  masked.sees(scene(80, null));
  t.equal(masked.sees(scene(80, 20)), false);
  t.throws(() => masked.sees({ data: new Uint8Array(4), width: 2, height: 2 }), RangeError);
});

t.test("a stream of pictures is cut into pictures, whatever the pieces", async (t) => {
  const picture = await readFile(FIXTURE);
  const stream = Buffer.concat([Buffer.from("noise"), picture, picture, picture.subarray(0, 100)]);
  for (const size of [1_000, 77_777, stream.length]) {
    const splitter = new FrameSplitter(1_000_000);
    const frames: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) frames.push(...splitter.push(stream.subarray(at, at + size)));
    t.same(
      frames.map((frame) => frame.equals(picture)),
      [true, true],
      `pieces of ${size}`,
    );
  }
  const bounded = new FrameSplitter(1_000);
  bounded.push(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(5_000)]));
  t.equal(bounded.push(picture).length, 1, "a picture without end is thrown away");
});

t.test(
  "pictures of a clip come through ffmpeg, and the process goes with the stream",
  { skip: existsSync(FFMPEG) ? false : "ffmpeg is not installed" },
  async (t) => {
    const clip = join(testFolder(t), "clip.mp4");
    execFileSync(FFMPEG, [
      "-loglevel",
      "error",
      "-loop",
      "1",
      "-i",
      FIXTURE,
      "-t",
      "5",
      "-r",
      "10",
      "-vf",
      "scale=640:360",
      "-pix_fmt",
      "yuv420p",
      clip,
    ]);
    const frames: Uint8Array[] = [];
    const troubles: string[] = [];
    const enough = new Promise<void>((resolve) => {
      const stream = new RtspStream({
        url: clip,
        framesPerSecond: 5,
        maxFrameBytes: 500_000,
        ffmpeg: FFMPEG,
        onFrame: (frame) => {
          frames.push(frame);
          if (frames.length === 3) void stream.close().then(resolve);
        },
        onTrouble: (reason) => troubles.push(reasonEnglish(reason)),
        clock: systemClock,
        logger: silentLogger,
      });
      stream.open();
    });
    await enough;
    t.same([...(frames[0] ?? []).slice(0, 2)], [0xff, 0xd8]);
    t.same(troubles, []);
    const broken = await new Promise<string>((resolve) => {
      const stream = new RtspStream({
        url: "rtsp://user:secret@127.0.0.1:1/none",
        framesPerSecond: 5,
        maxFrameBytes: 500_000,
        ffmpeg: FFMPEG,
        onFrame: () => {},
        onTrouble: (reason) => void stream.close().then(() => resolve(reasonEnglish(reason))),
        clock: systemClock,
        logger: silentLogger,
      });
      stream.open();
    });
    t.ok(broken.length > 0);
    t.notMatch(broken, /secret/);
  },
);

t.test("what decodes a stream has bounded memory, and is the first to go where it ends", async (t) => {
  const folder = testFolder(t, {
    ffmpeg:
      '#!/bin/sh\necho "$(cat /proc/self/oom_score_adj) $(ulimit -d) $(echo "$*" | grep -o "threads [0-9]*")" >&2\n',
  });
  const ffmpeg = join(folder, "ffmpeg");
  await chmod(ffmpeg, 0o700);
  const said = await new Promise<string>((resolve) => {
    const stream = new RtspStream({
      url: "rtsp://127.0.0.1:1/none",
      framesPerSecond: 5,
      maxFrameBytes: 500_000,
      ffmpeg,
      onFrame: () => {},
      onTrouble: (reason) => void stream.close().then(() => resolve(reasonEnglish(reason))),
      clock: systemClock,
      logger: silentLogger,
    });
    stream.open();
  });
  t.equal(said, "1000 1000000 threads 4");
  const unit = await readFile(join(PROJECT_ROOT, "systemd/gatehouse.service"), "utf8");
  t.match(unit, /^OOMPolicy=continue$/m, "the hub is not stopped with it");
});

t.test("HTTP push: one JPEG, or the file parts of a form", async (t) => {
  const jpeg = Buffer.from([0xff, 0xd8, 0x0d, 0x0a, 0xff, 0xd9]);
  t.same(parsePushBody("image/jpeg", jpeg), [jpeg]);
  const form = new FormData();
  form.append("trigger", "loop");
  for (let i = 0; i < 3; i++) form.append("frame", new Blob([jpeg], { type: "image/jpeg" }), `${i}.jpg`);
  const request = new Request("http://x/", { method: "POST", body: form });
  const type = request.headers.get("content-type") ?? "";
  const body = Buffer.from(await request.arrayBuffer());
  t.same(parsePushBody(type, body), [jpeg, jpeg, jpeg]);
  t.throws(() => parsePushBody(type, body.subarray(0, -20)), { code: /^invalid_body$/ });
  t.throws(() => parsePushBody("image/jpeg", Buffer.alloc(0)), { code: /^invalid_body$/ });
  t.throws(() => parsePushBody("application/json", jpeg), { code: /^unsupported_media_type$/ });
  t.throws(() => parsePushBody("multipart/form-data", jpeg), { code: /^unsupported_media_type$/ });
  t.throws(() => parsePushBody(type, Buffer.from("hello")), { code: /^invalid_body$/ });
  for (let i = 0; i < 12; i++) form.append("frame", new Blob([jpeg], { type: "image/jpeg" }), `${i}.jpg`);
  const many = new Request("http://x/", { method: "POST", body: form });
  const manyType = many.headers.get("content-type") ?? "";
  const manyBody = Buffer.from(await many.arrayBuffer());
  t.throws(() => parsePushBody(manyType, manyBody), { code: /^limit_reached$/ });
  const field = '--x\r\nContent-Disposition: form-data; name="note"\r\n\r\n\r\n';
  t.throws(
    () => parsePushBody("multipart/form-data; boundary=x", Buffer.from(`${field.repeat(65)}--x--`)),
    { code: /^limit_reached$/ },
    "nor are more fields than any form has looked at",
  );
  t.throws(() => parsePushBody("multipart/form-data; boundary=x", Buffer.from(`${field.repeat(64)}--x--`)), {
    code: /^invalid_body$/,
  });
});
