/** orval with its fetch client: reading, changing, sending back, a picture. */
import {
  type AutomationCondition,
  type AutomationInput,
  createAutomation,
  deleteAutomation,
  getDevice,
  getPlateImage,
  listPlates,
  sendCommand,
  updateAutomation,
} from "../generated/orval.js";
import type { Drive } from "./drive.js";

const RULE: AutomationInput = {
  name: "Kitchen off",
  trigger: { type: "time", at: "23:00" },
  action: { type: "notify", title: "Night", body: "" },
};
// @ts-expect-error `gt` takes a number
const WITH_TEXT: AutomationCondition = { type: "state", deviceId: "plug", field: "watts", op: "gt", value: "5" };

/** Drives some operations; answers how many. */
export async function drive({ url, key, plug }: Drive): Promise<number> {
  const plain = globalThis.fetch;
  // its addresses are those of the description, without a server
  globalThis.fetch = (path, init) => plain(`${url}${String(path)}`, init);
  const own = { headers: { Authorization: `Bearer ${key}` } };
  try {
    const device = await getDevice(plug, own);
    if (device.status !== 200 || device.data.device.id !== plug) throw new Error(`device: ${device.status}`);
    const sent = await sendCommand(plug, { power: true }, own);
    if (sent.status !== 202) throw new Error(`command: ${sent.status}`);
    const made = await createAutomation(RULE, own);
    if (made.status !== 201) throw new Error(`rule: ${made.status}`);
    const { automation } = made.data;
    const changed = await updateAutomation(automation.id, { ...automation, enabled: false }, own);
    if (changed.status !== 200 || changed.data.automation.enabled)
      throw new Error(`a rule that was read cannot be sent back: ${changed.status}`);
    await deleteAutomation(automation.id, own);
    const reads = await listPlates({ limit: 5 }, own);
    const read = reads.status === 200 ? reads.data.plates.find(({ hasImage }) => hasImage) : undefined;
    const picture = await getPlateImage(read?.id ?? 0, own);
    const blob: Blob | null = picture.status === 200 ? picture.data : null;
    if (!(blob instanceof Blob) || blob.size < 1_000) throw new Error("the picture is not a Blob");
    return 7;
  } finally {
    globalThis.fetch = plain;
  }
}

void WITH_TEXT;
