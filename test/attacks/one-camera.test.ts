/** One camera's credential used against the others: endless pictures delay and displace only its own. */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { hostilePictures } from "../support/hostile-pictures.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually } from "../support/hub-process.ts";
import { withoutModels } from "../support/photographs.ts";

t.setTimeout(60_000); // a hub that starts, and loads its models
const photograph = readFileSync(join(PROJECT_ROOT, "test/fixtures/plates/two-wheeler-UP32JE3626.jpg"));
/** The photograph with a comment (marker COM of ITU-T T.81, B.2.4.5): other bytes, as a camera's next frame has. */
const commented = (text: string): Buffer => {
  const comment = Buffer.from(text);
  const marker = Buffer.from([0xff, 0xfe, 0, comment.length + 2]);
  return Buffer.concat([photograph.subarray(0, 2), marker, comment, photograph.subarray(2)]);
};
const frames = Array.from({ length: 72 }, (_, n) => commented(`frame ${n}`));

t.test("a camera that sends endlessly does not delay the gate of another", { skip: withoutModels }, async (t) => {
  const house = await HouseholdProcess.start(t, { GATEHOUSE_RECOGNITION: "true" });
  const { owner } = house;
  const heard: string[] = [];
  const gate = await house.connect(t, "gate", await house.device("gate"), { heard });
  await gate.subscribeAsync("gatehouse/gate/command", { qos: 1 });
  const passwordOfFirst = await house.device("camera-1", "camera");
  const first = await house.connect(t, "camera-1", passwordOfFirst);
  const second = await house.connect(t, "camera-2", await house.device("camera-2", "camera"));
  await owner.call("POST", "/v1/plate-rules", { plate: "UP32JE3626", kind: "allow" });
  // all frames are of one photograph
  const camera = { direction: "in", presented: "open" };
  for (const id of ["camera-1", "camera-2"]) await owner.call("PATCH", `/api/cameras/${id}`, camera);
  await owner.call("PATCH", "/api/cameras/camera-1", {
    gate: { deviceId: "gate", command: { open: true } },
  });
  const send = (client: typeof first, id: string, capture: string, jpeg: Buffer | undefined): Promise<unknown> =>
    Promise.all([
      client.publishAsync(`gatehouse/${id}/capture/${capture}/0`, jpeg ?? photograph, { qos: 1 }),
      client.publishAsync(`gatehouse/${id}/capture/${capture}/done`, '{"trigger":"motion","frames":1}', { qos: 1 }),
    ]);
  const readsOf = async (id: string): Promise<number> =>
    (await owner.call<{ plates: { votes: number }[] }>("GET", `/v1/plates?deviceId=${id}&limit=500`)).body.plates
      .length;
  await send(second, "camera-2", "1", frames[71]);
  await eventually(async () => ((await readsOf("camera-2")) > 0 ? true : undefined), 20_000); // the models are loaded

  const flood = Array.from({ length: 70 }, (_, n) => send(second, "camera-2", `${n + 2}`, frames[n]));
  for (const sent of flood) sent.catch(() => undefined); // some are unacknowledged when the test ends
  await flood[8];
  await send(first, "camera-1", "1", frames[70]);
  await eventually(() => (heard.length > 0 ? true : undefined), 10_000);
  const figures = await (await fetch(`${house.hub.url}/metrics`)).text().catch(() => "");
  t.same(heard, ['{"open":true}']);
  t.notMatch(figures, /gatehouse_captures_waiting 0\n/, "camera 2 is still waiting when camera 1 has been served");
  await eventually(async () => ((await readsOf("camera-1")) === 1 ? true : undefined), 10_000);

  // the same picture again, whatever its metadata
  await send(first, "camera-1", "2", frames[70]);
  await eventually(async () => ((await readsOf("camera-1")) === 1 ? true : undefined), 10_000);
  for (const direction of ["in", "out"]) {
    const { status } = await fetch(`${house.hub.url}/api/cameras/camera-1/burst?direction=${direction}`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`camera-1:${passwordOfFirst}`).toString("base64")}`,
        "content-type": "image/jpeg",
      },
      body: new Uint8Array(frames[70] ?? photograph),
    });
    t.equal(status, 201);
  }
  t.same(heard, ['{"open":true}'], "opens nothing");
});

t.test("neither pictures nor half-sent bodies take much of the hub's memory", { skip: withoutModels }, async (t) => {
  const house = await HouseholdProcess.start(t, { GATEHOUSE_RECOGNITION: "true" });
  const { owner, hub } = house;
  const memory = (what: "HWM" | "RSS"): number =>
    Number(new RegExp(`Vm${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${hub.pid}/status`, "utf8"))?.[1]) / 1_024;
  const password = await house.device("camera-1", "camera");
  const camera = await house.connect(t, "camera-1", password);
  const authorization = `Basic ${Buffer.from(`camera-1:${password}`).toString("base64")}`;
  const push = async (jpeg: Buffer, id = "camera-1"): Promise<number> =>
    (
      await fetch(`${hub.url}/api/cameras/${id}/burst`, {
        method: "POST",
        headers: { authorization, "content-type": "image/jpeg" },
        body: new Uint8Array(jpeg),
      })
    ).status;
  t.equal(await push(frames[0] ?? photograph), 201);
  const before = memory("HWM");
  const hostile = Object.entries(await hostilePictures());
  for (const [name, picture] of hostile) {
    t.equal(await push(picture), 201, name);
    if (picture[0] === 0xff) {
      await camera.publishAsync(`gatehouse/camera-1/capture/${picture.length}/0`, picture, { qos: 1 });
      await camera.publishAsync(`gatehouse/camera-1/capture/${picture.length}/done`, '{"frames":1}', { qos: 1 });
    }
  }
  await eventually(async () => {
    const { body } = await owner.call<{ plates: { reason: string | null }[] }>("GET", "/v1/plates?limit=100");
    const count = hostile.length + hostile.filter(([, picture]) => picture[0] === 0xff).length;
    return body.plates.filter(({ reason }) => reason === "provider_error").length === count ? true : undefined;
  }, 20_000);
  const afterPictures = memory("HWM");
  t.ok(afterPictures < 350, `${before.toFixed(0)} MB before, ${afterPictures.toFixed(0)} MB at most`);

  const { port } = new URL(hub.url);
  const head = (id: string): string =>
    `POST /api/cameras/${id}/burst HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\nContent-Type: image/jpeg\r\nContent-Length: 4194304\r\n\r\n`;
  const sockets = Array.from({ length: 60 }, (_, n) => {
    const socket = connect(Number(port), "127.0.0.1");
    t.teardown(() => socket.destroy());
    socket.on("error", () => undefined);
    socket.write(head(n % 2 === 0 ? "camera-1" : "nobody"));
    socket.write(Buffer.alloc(4_194_303));
    return socket;
  });
  const resident = memory("RSS");
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  t.ok(memory("RSS") - resident < 90, `60 bodies of 4 MB: ${(memory("RSS") - resident).toFixed(0)} MB`);
  t.ok(memory("HWM") < 350, `${memory("HWM").toFixed(0)} MB at most`);
  for (const socket of sockets) socket.destroy();
  // more frames than a capture may have: refused, and its memory freed, before it is counted as refused
  const large = Buffer.concat([frames[2] ?? photograph, Buffer.alloc(400_000)]);
  await camera.publishAsync("gatehouse/camera-1/capture/900/12", large, { qos: 1 });
  // the broken-off bodies give their room back within a moment
  await eventually(async () => ((await push(frames[1] ?? photograph)) === 201 ? true : undefined), 5_000);
  t.equal((await owner.call("GET", "/v1/plates?limit=1")).status, 200, "and it keeps serving");
});
