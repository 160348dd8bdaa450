import { createSocket } from "node:dgram";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { SystemClock, type Timer } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { reasonEnglish } from "../../src/core/text/described-error.ts";
import { parseCameraSource } from "../../src/features/cameras/camera-source.ts";
import { discoverOnvif } from "../../src/features/cameras/onvif/discovery.ts";
import { deviceAddress, inspectOnvif } from "../../src/features/cameras/onvif/onvif-camera.ts";
import { OnvifEvents } from "../../src/features/cameras/onvif/onvif-events.ts";
import { all, BadXml, escaped, first, parseXml, textOf } from "../../src/features/cameras/onvif/xml.ts";
import { CAMERA_PRESETS, filledAddress } from "../../src/features/cameras/presets.ts";
import { eventually } from "../support/hub-process.ts";
import { OnvifDevice, type OnvifDeviceOptions } from "../support/onvif-device.ts";

const OWNER = { user: "admin", password: "p@ss <word>" };

/** Waits no longer than 20 ms for anything. */
class HastyClock extends SystemClock {
  override after(delayMs: number, task: () => void): Timer {
    return super.after(Math.min(delayMs, 20), task);
  }
}

async function device(t: Test, options: Partial<OnvifDeviceOptions> = {}): Promise<OnvifDevice> {
  const camera = new OnvifDevice({ ...OWNER, ...options });
  await camera.open();
  t.teardown(() => camera.close());
  return camera;
}

t.test(
  "a search finds the camera by the address that it answered from, and passes over what is no answer",
  async (t) => {
    const camera = await device(t);
    const search = () =>
      discoverOnvif({
        interfaces: ["127.0.0.1"],
        waitMs: 400,
        target: { address: "127.0.0.1", port: camera.discoveryPort },
      });
    t.same(await search(), [
      { endpoint: "urn:uuid:0001", address: camera.address, host: "127.0.0.1", name: "Gate camera", hardware: "G-4" },
    ]);
    const match = (inner: string) => (id: string) =>
      `<E><RelatesTo>${id}</RelatesTo><ProbeMatch>${inner}</ProbeMatch></E>`;
    const reference = "<EndpointReference><Address>urn:x</Address></EndpointReference>";
    const nonsense: ((id: string) => string)[] = [
      () => "no xml at all",
      () =>
        `<E><RelatesTo>urn:uuid:another</RelatesTo><ProbeMatch>${reference}<XAddrs>http://127.0.0.1/</XAddrs></ProbeMatch></E>`,
      match(reference),
      match("<XAddrs>http://127.0.0.1/</XAddrs>"),
      match(`${reference}<XAddrs>javascript:alert(1) http://</XAddrs>`),
      () => `<!DOCTYPE x [<!ENTITY a "aaaa">]><E>&a;</E>`,
    ];
    for (const [n, answer] of nonsense.entries()) {
      camera.discoveryAnswer = answer;
      t.same(await search(), [], `nonsense ${n}`);
    }
    camera.discoveryAnswer = match(
      `${reference}<XAddrs>http://u:p@10.1.1.1:8000/x</XAddrs><Scopes>onvif://www.onvif.org/name/100%</Scopes>`,
    );
    t.hasStrict(
      await search(),
      [{ address: "http://127.0.0.1:8000/x", name: "100%" }],
      "an answer never leads to another box",
    );
  },
);

t.test("a box that answers for hundreds of cameras leaves room for the others", async (t) => {
  const open = async (address: string) => {
    const socket = createSocket("udp4");
    await new Promise<void>((resolve) => socket.bind(0, address, resolve));
    t.teardown(() => new Promise<void>((closed) => socket.close(() => closed())));
    return socket;
  };
  const [crowd, camera] = await Promise.all([open("127.0.0.2"), open("127.0.0.3")]);
  crowd.once("message", async (question, { port, address }) => {
    const id = textOf(parseXml(question.toString()), "MessageID");
    const answer = (endpoint: string) =>
      `<E><RelatesTo>${id}</RelatesTo><ProbeMatch><EndpointReference><Address>${endpoint}</Address></EndpointReference><XAddrs>http://x/</XAddrs></ProbeMatch></E>`;
    for (let n = 0; n < 1_200; n++) {
      crowd.send(answer(`urn:${n}`), port, address);
      if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve)); // the system keeps few unread ones
    }
    camera.send(answer("urn:camera"), port, address);
  });
  const target = { address: "127.0.0.2", port: crowd.address().port };
  const found = await discoverOnvif({ interfaces: ["127.0.0.1"], waitMs: 1_500, target });
  t.ok(found.some(({ host, endpoint }) => host === "127.0.0.3" && endpoint === "urn:camera"));
  t.ok(found.length > 1 && found.length < 100, "some of the crowd's");
});

t.test("a camera is asked for its addresses, whatever its clock says and however it wants to be signed", async (t) => {
  for (const options of [{ clockShiftMs: -3 * 86_400_000 }, { httpDigest: true }]) {
    const camera = await device(t, options);
    const description = await inspectOnvif({ address: `127.0.0.1:${camera.port}`, ...OWNER });
    const signIn = "admin:p%40ss%20%3Cword%3E@127.0.0.1";
    t.same(description, {
      maker: "Example & Co",
      model: "Gate 4",
      firmware: "1.2",
      hasMotionEvents: true,
      profiles: [
        ["main", "Main", 1920, 1080],
        ["sub", "Small", 640, 360],
      ].map(([id, name, width, height]) => ({
        name,
        encoding: "H264",
        width,
        height,
        streamUrl: `rtsp://${signIn}:554/live/${id}`,
        snapshotUrl: `http://${signIn}:${camera.port}/snap.jpg?p=${id}&q=1`,
      })),
    });
    for (const { streamUrl } of description.profiles)
      t.hasStrict(parseCameraSource({ kind: "rtsp", url: streamUrl }), { kind: "rtsp" });
    await t.rejects(inspectOnvif({ address: camera.address, user: "admin", password: "wrong" }), {
      message: /refuses the user name or the password/,
    });
  }
  t.equal(deviceAddress("192.168.1.64"), "http://192.168.1.64/onvif/device_service");
  t.equal(deviceAddress("http://u:p@cam:8000/onvif/x"), "http://cam:8000/onvif/x");
  t.throws(() => deviceAddress("http://"), { message: "this is not the address of a camera" });
});

t.test("a host that is not an ONVIF camera is reported in plain words, in bounded time and memory", async (t) => {
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    return `127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has a port
  };
  const page = await serve((_request, response) => void response.end("<!DOCTYPE html><html>Router</html>"));
  const flood = await serve((_request, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(65_536, 32)));
    };
    response.on("drain", more);
    more();
  });
  const away = await serve(
    (_request, response) => void response.writeHead(302, { location: "http://example.org/" }).end(),
  );
  await t.rejects(inspectOnvif({ address: page, ...OWNER }), { message: /not ONVIF|answered 200/ });
  await t.rejects(inspectOnvif({ address: flood, ...OWNER }), { message: "the camera's answer is too large" });
  await t.rejects(inspectOnvif({ address: away, ...OWNER }), { message: "the camera answered 302" });
  await t.rejects(inspectOnvif({ address: "127.0.0.1:1", ...OWNER }), { message: "the camera cannot be reached" });
});

t.test("motion that a camera sees by itself: its beginning only, and again after the camera was away", async (t) => {
  const camera = await device(t);
  let motions = 0;
  const troubles: (string | null)[] = [];
  const events = new OnvifEvents({
    address: camera.address,
    ...OWNER,
    onMotion: () => {
      motions += 1;
    },
    onTrouble: (reason) => void troubles.push(reason === null ? null : reasonEnglish(reason)),
    clock: new HastyClock(),
    logger: silentLogger,
  });
  events.open();
  const pulls = () => camera.asked.filter((name) => name === "PullMessages").length;
  await eventually(() => (pulls() > 0 ? true : undefined));
  const told = async (isMoving: boolean, operation?: string): Promise<number> => {
    const before = pulls();
    camera.tell(isMoving, operation);
    await eventually(() => (pulls() > before ? true : undefined));
    return motions;
  };
  t.equal(await told(true, "Initialized"), 0, "what was so before is no motion");
  t.equal(await told(false), 0);
  t.equal(await told(true), 1);
  t.equal(await told(true), 1, "the same motion");
  t.equal(await told(false), 1);
  t.equal(await told(true), 2);
  t.same(troubles, [null]);
  camera.knowsSubscription = false;
  camera.tell(false); // ends the pull that waits; the next one is refused
  await eventually(() =>
    camera.asked.filter((name) => name === "CreatePullPointSubscription").length === 2 ? true : undefined,
  );
  await eventually(() => (troubles.at(-1) === null && troubles.length === 3 ? true : undefined));
  t.match(troubles[1], /unknown subscription/);
  await events.close();
  t.equal(camera.asked.at(-1), "Unsubscribe", "cameras have room for few subscriptions");
});

t.test("small XML documents are read, and large, endless or tricky ones refused in linear time", async (t) => {
  const document = parseXml(
    `<?xml version="1.0"?><s:E xmlns:s="u"><!-- <no> --><a b='1 &lt; 2'> x &amp; y <![CDATA[<z>]]></a><c/><d><a/></d></s:E>\n`,
  );
  t.equal(textOf(document, "a"), "x & y <z>");
  t.equal(first(document, "a")?.attributes.b, "1 < 2");
  t.equal(all(document, "a").length, 2);
  t.equal(textOf(parseXml(`<a>${escaped(`<"&'>`)}</a>`), "nothing"), null);
  t.equal(parseXml(`<a>${escaped(`<"&'>`)}</a>`).text, `<"&'>`);
  const many = 100_000;
  const bad = [
    "",
    "text",
    "<a>",
    "</a>",
    "<a></b>",
    "<a/><b/>",
    "<a>".repeat(many),
    "<a/>".repeat(many),
    "<".repeat(many),
    "<!--".repeat(many),
    `<a ${"b=".repeat(many)}`,
    "<!DOCTYPE a><a/>",
  ];
  for (const text of bad) t.throws(() => parseXml(text), BadXml, text.slice(0, 20));
});

t.test("presets are complete, and their places are filled in safely", async (t) => {
  const ids = new Set(CAMERA_PRESETS.map(({ id }) => id));
  t.equal(ids.size, CAMERA_PRESETS.length);
  for (const id of [
    "hikvision",
    "dahua",
    "cp-plus",
    "reolink",
    "tapo",
    "vigi",
    "axis",
    "uniview",
    "ezviz",
    "frigate",
    "go2rtc",
  ])
    t.ok(ids.has(id), id);
  const values = { host: "10.0.0.5", user: "me@home", password: "a:b/c d*", channel: 2, name: "front gate" };
  for (const { id, addresses } of CAMERA_PRESETS) {
    t.ok(addresses.length > 0, id);
    for (const address of addresses) {
      const url = filledAddress(address, values);
      t.notMatch(url, /[{}]/);
      t.hasStrict(parseCameraSource({ kind: address.kind, url }), { kind: address.kind }, url);
      t.equal(new URL(url).hostname, "10.0.0.5");
    }
  }
  const [main] = CAMERA_PRESETS.find(({ id }) => id === "hikvision")?.addresses ?? [];
  if (main === undefined) throw new Error("no address");
  t.equal(filledAddress(main, values), "rtsp://me%40home:a%3Ab%2Fc%20d%2A@10.0.0.5:554/Streaming/Channels/201");
  t.equal(filledAddress(main, { host: "cam" }), "rtsp://cam:554/Streaming/Channels/101");
});
