/** The pixels by which a presented plate is known are kept only where a camera of the household asks or refuses. */
import t from "tap";
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
    const burst = {
      deviceId: "camera-1",
      captureId: 1,
      trigger: "loop",
      at: 0,
      direction: null,
      frames: [jpeg],
      completeMono: 0,
    } as const;
    const { vehicles } = await hub.cameras.recognise(burst, null);
    return { plate: vehicles[0]?.analysis.plate, keeps: vehicles[0]?.best.pixels !== undefined };
  };
  t.same(await seen(), { plate, keeps: false }, "both open");
  await call("PATCH", "/api/cameras/camera-2", { presented: "ask" });
  t.same(await seen(), { plate, keeps: true }, "what one camera saw may come again at the other");
  await call("PATCH", "/api/cameras/camera-2", { presented: "open" });
  t.same(await seen(), { plate, keeps: false });
});
