/** Broken and malicious pictures from cameras, against a hub in its own process. */
import { request } from "node:http";
import sharp from "sharp";
import t from "tap";
import { eventually } from "../support/hub-process.ts";
import { photographs, withoutModels } from "../support/photographs.ts";
import { testFolder } from "../support/test-folder.ts";
import { gatePremises, type Read } from "./gate-premises.ts";

t.setTimeout(240_000);

t.test(
  "anything a camera sends costs one provider_error read at most, and never the hub",
  { skip: withoutModels },
  async (t) => {
    const [car] = await photographs();
    const p = await gatePremises(testFolder(t));
    const camera = await p.connect("camera-1");
    await p.api("POST", "/v1/plate-rules", { plate: car.plate });
    const reads = async (): Promise<Read[]> => (await p.api<{ plates: Read[] }>("GET", "/v1/plates?limit=100")).plates;
    const grey = { create: { width: 8_000, height: 6_250, channels: 3, background: "grey" } } as const;
    const vast = {
      create: { width: 9_000, height: 9_000, channels: 3, background: "black" },
      limitInputPixels: false,
    } as const;
    const huge = await sharp(grey).jpeg({ quality: 30 }).toBuffer();
    const bomb = await sharp(vast).png({ compressionLevel: 9 }).toBuffer();
    const half = car.jpeg.subarray(0, car.jpeg.length / 2);
    const garbage = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(50_000, 0x5a)]);

    await t.test("over MQTT", async (t) => {
      for (const [what, jpeg] of Object.entries({ "50 megapixels": huge, "half a file": half, garbage })) {
        const before = (await reads()).length;
        t.hasStrict(
          await p.capture(camera, [jpeg, jpeg]),
          { status: "unrecognised", reason: "provider_error", decision: "unknown", hasImage: false },
          what,
        );
        t.equal((await reads()).length, before + 1, "one read");
      }
      const before = (await reads()).length;
      // not a JPEG at all: refused on arrival
      await camera.publishAsync("gatehouse/camera-1/capture/5/0", bomb, { qos: 1 }).catch(() => undefined);
      await camera
        .publishAsync("gatehouse/camera-1/capture/5/0", Buffer.from("hello"), { qos: 1 })
        .catch(() => undefined);
      t.equal((await reads()).length, before, "data without a JPEG header makes no read");
    });

    await t.test("over HTTP", async (t) => {
      const push = (body: Buffer, type: string) =>
        p.person.send("POST", "/api/cameras/camera-1/burst", Uint8Array.from(body), type);
      t.hasStrict(
        await push(bomb, "image/jpeg"),
        { status: 201, body: { reads: [{ reason: "provider_error" }] } },
        "a decompression bomb",
      );
      t.hasStrict(
        await push(huge, "image/jpeg"),
        { status: 201, body: { reads: [{ reason: "provider_error" }] } },
        "50 megapixels",
      );
      t.match(await push(car.jpeg, "application/json"), { status: 415 }, "the wrong type");
      t.match(await push(car.jpeg, "image/png"), { status: 415 });
      t.match(await push(Buffer.alloc(0), "image/jpeg"), { status: 400 });
      t.match(
        await push(Buffer.from("--x\r\n"), "multipart/form-data; boundary=x"),
        { status: 400 },
        "a truncated form",
      );
      t.equal(
        await endless(`${p.hub.url}/api/cameras/camera-1/burst`, p.person.cookie),
        true,
        "an endless body is ended by the hub",
      );
    });

    await t.test("and the next car is read, the gate opens, and the thread is still the first one", async (t) => {
      const relay = await p.listen();
      t.hasStrict(await p.capture(camera, [car.jpeg], { direction: "in" }), { plate: car.plate, decision: "allow" });
      await eventually(() => p.commands[0], 10_000);
      const text = await (await fetch(`${p.hub.url}/metrics`)).text();
      t.match(text, /gatehouse_recogniser_thread_starts 1\n/);
      t.match(text, /gatehouse_recogniser_bad_frames [89]\n/);
      await relay.endAsync();
    });
    await camera.endAsync();
    t.equal(await p.hub.stop(), 0);
  },
);

/** Sends endlessly and without a length; true when the hub answered 413 or closed the connection before 64 MB. */
function endless(url: string, cookie: string): Promise<boolean> {
  return new Promise((resolve) => {
    let sent = 0;
    const post = request(url, { method: "POST", headers: { cookie, "content-type": "image/jpeg" } });
    const chunk = Buffer.alloc(65_536, 0xff);
    const more = (): void => {
      while (sent < 64_000_000) {
        sent += chunk.length;
        if (!post.write(chunk)) return;
      }
      post.destroy();
    };
    post.on("drain", more);
    post.on("response", (response) => {
      resolve(response.statusCode === 413);
      post.destroy();
    });
    post.on("error", () => resolve(sent < 64_000_000));
    more();
  });
}
