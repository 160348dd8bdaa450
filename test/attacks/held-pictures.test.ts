/** What stays in memory of the pictures that cameras sent, however they arrived. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually } from "../support/hub-process.ts";

t.setTimeout(60_000); // a hub that starts
const photograph = readFileSync(join(PROJECT_ROOT, "test/fixtures/plates/two-wheeler-UP32JE3626.jpg"));
const FRAME_BYTES = 1_000_000;
let made = 0;
/** Another frame of a megabyte: bytes after the picture are not part of it. */
const frame = (): Buffer => {
  made += 1;
  return Buffer.concat([photograph, Buffer.alloc(FRAME_BYTES - photograph.length, made)]);
};
const form = (): Buffer => {
  const head = '--x\r\nContent-Disposition: form-data; name="f"; filename="f.jpg"\r\n\r\n';
  const parts = Array.from({ length: 12 }, () => [Buffer.from(head), frame(), Buffer.from("\r\n")]);
  return Buffer.concat([...parts.flat(), Buffer.from("--x--\r\n")]);
};

t.test("the picture kept for display does not hold its whole upload in memory", async (t) => {
  // as systemd/gatehouse.service sets it: freed memory is returned
  const house = await HouseholdProcess.start(t, {
    MALLOC_ARENA_MAX: "2",
    MALLOC_MMAP_THRESHOLD_: "69632",
    MALLOC_TRIM_THRESHOLD_: "65536",
    NODE_OPTIONS: "--max-semi-space-size=8",
  });
  const { owner, hub } = house;
  const resident = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${hub.pid}/status`, "utf8"))?.[1]) / 1_024;
  const push = async (id: string, password: string): Promise<number> =>
    (
      await fetch(`${hub.url}/api/cameras/${id}/burst`, {
        method: "POST",
        headers: {
          authorization: `Basic ${Buffer.from(`${id}:${password}`).toString("base64")}`,
          "content-type": "multipart/form-data; boundary=x",
        },
        body: new Uint8Array(form()),
      })
    ).status;
  const ids = Array.from({ length: 13 }, (_, n) => `camera-${n}`);
  const passwords = new Map<string, string>();
  for (const id of ids) passwords.set(id, await house.device(id, "camera"));
  t.equal(await push("camera-0", passwords.get("camera-0") ?? ""), 201);
  const before = resident();
  for (const id of ids.slice(1)) t.equal(await push(id, passwords.get(id) ?? ""), 201);
  const more = resident() - before;
  t.ok(more < 72, `twelve cameras with 12 MB each: ${more.toFixed(0)} MB`);

  // the picture kept for display is the last new one, not a repeated one
  const camera = await house.connect(t, "camera-1", passwords.get("camera-1") ?? "");
  const [shown, next] = [frame(), frame()];
  const send = (capture: string, frames: readonly Buffer[]) =>
    Promise.all([
      ...frames.map((jpeg, n) => camera.publishAsync(`gatehouse/camera-1/capture/${capture}/${n}`, jpeg, { qos: 1 })),
      camera.publishAsync(`gatehouse/camera-1/capture/${capture}/done`, `{"frames":${frames.length}}`, { qos: 1 }),
    ]);
  const countOf = async (): Promise<number> =>
    (await owner.call<{ plates: unknown[] }>("GET", "/v1/plates?deviceId=camera-1")).body.plates.length;
  await send("1", [shown]);
  await eventually(async () => (await countOf()) === 2 || undefined);
  await send("2", [next, shown]);
  await eventually(async () => (await countOf()) === 3 || undefined);
  const look = async (): Promise<Buffer> => {
    const headers = { cookie: owner.cookie };
    return Buffer.from(await (await fetch(`${hub.url}/api/cameras/camera-1/frame`, { headers })).arrayBuffer());
  };
  t.ok((await look()).equals(next), "the console shows it whole");
});
