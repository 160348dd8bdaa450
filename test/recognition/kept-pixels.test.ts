/** The pixels by which a presented plate is known are kept only where a camera of the household asks or refuses. */
import sharp from "sharp";
import t from "tap";
import type { Look } from "../../src/core/plates/vehicle-look.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { photographs, withoutModels } from "../support/photographs.ts";

t.test("pixels are kept while any camera of the household looks", { skip: withoutModels }, async (t) => {
  const patient = { GATEHOUSE_RECOGNITION: "true", GATEHOUSE_RECOGNITION_BUDGET_MS: "60000" };
  const { hub, call } = await startConsoleHub(t, { env: patient });
  for (const id of ["camera-1", "camera-2"]) {
    await call("POST", "/api/devices", { id, name: id, type: "camera" });
    await call("PATCH", `/api/cameras/${id}`, { presented: "open" });
  }
  const [{ jpeg, plate }] = await photographs();
  const seen = async () => {
    const { vehicles } = await hub.cameras.recognise(burstOf(jpeg), null);
    return { plate: vehicles[0]?.analysis.plate, keeps: vehicles[0]?.best.pixels !== undefined };
  };
  t.same(await seen(), { plate, keeps: false }, "both open");
  await call("PATCH", "/api/cameras/camera-2", { presented: "ask" });
  t.same(await seen(), { plate, keeps: true }, "what one camera saw may come again at the other");
  await call("PATCH", "/api/cameras/camera-2", { presented: "open" });
  t.same(await seen(), { plate, keeps: false });
});

t.test(
  "the look of a vehicle stays itself in other light, and is not that of another",
  { skip: withoutModels },
  async (t) => {
    const patient = { GATEHOUSE_RECOGNITION: "true", GATEHOUSE_RECOGNITION_BUDGET_MS: "60000" };
    const { hub, call } = await startConsoleHub(t, { env: patient });
    await call("POST", "/api/devices", { id: "camera-1", name: "camera-1", type: "camera" });
    await call("PATCH", "/api/cameras/camera-1", { presented: "ask" });
    const lookIn = async (jpeg: Uint8Array) => {
      const { vehicles } = await hub.cameras.recognise(burstOf(jpeg), null);
      const around = vehicles[0]?.best.pixels?.around ?? new Uint8Array(0);
      const [answer] = await hub.cameras.lookAt([{ around: [around], glances: [] }], "camera-1");
      return answer?.look ?? new Int8Array(0);
    };
    const [first, second, others] = await photographs();
    const [look, other] = [await lookIn(first.jpeg), await lookIn(second.jpeg)];
    t.equal(look.length, 64);
    const dark = await lookIn(await sharp(first.jpeg).linear(0.6, 10).blur(0.6).jpeg({ quality: 70 }).toBuffer());
    const third = await lookIn(others.jpeg);
    t.ok(alike(dark, look) > 0.95, String(alike(dark, look)));
    t.ok(alike(other, look) < 0.8, String(alike(other, look)));
    t.ok(alike(third, look) < 0.8, String(alike(third, look)));
  },
);

/** A burst of camera-1 with one frame. */
function burstOf(jpeg: Uint8Array) {
  const frames = [jpeg];
  const seen = { deviceId: "camera-1", captureId: 1, at: 0, direction: null, completeMono: 0 };
  return { ...seen, trigger: "loop", frames } as const;
}

/** The cosine of the angle between two looks. */
function alike(a: Look, b: Look): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) / Math.hypot(...a) / Math.hypot(...b);
}
