/** @hey-api/openapi-ts with its fetch client: reading, changing, sending back, a picture. */
import { client } from "../generated/hey-api/client.gen.js";
import {
  createAutomation,
  deleteAutomation,
  getDevice,
  getPlateImage,
  listPlates,
  sendCommand,
  updateAutomation,
} from "../generated/hey-api/sdk.gen.js";
import type { AutomationCondition, AutomationInput } from "../generated/hey-api/types.gen.js";
import { type Drive, Unexpected } from "./drive.js";

const RULE: AutomationInput = {
  name: "Kitchen off",
  trigger: { type: "time", at: "23:00" },
  action: { type: "notify", title: "Night", body: "" },
};
// @ts-expect-error `gt` takes a number
const WITH_TEXT: AutomationCondition = { type: "state", deviceId: "plug", field: "watts", op: "gt", value: "5" };

/** Drives some operations; answers how many. */
export async function drive({ url, key, plug }: Drive): Promise<number> {
  client.setConfig({ baseUrl: url as `https://${string}`, auth: () => key });
  const path = { id: plug };
  const ok = <Answer extends { data?: unknown; error?: unknown; response?: Response }>(
    answer: Answer,
  ): NonNullable<Answer["data"]> => {
    const { data, error, response } = answer;
    if (data === undefined || data === null) throw response === undefined ? error : new Unexpected(response, error);
    return data;
  };
  if (ok(await getDevice({ path })).device.id !== plug) throw new Error("another device");
  if (!ok(await sendCommand({ path, body: { power: false } })).accepted) throw new Error("not accepted");
  const { automation } = ok(await createAutomation({ body: RULE }));
  const changed = ok(
    await updateAutomation({
      path: { id: automation.id },
      headers: { "If-Match": automation.etag },
      body: { ...automation, enabled: false },
    }),
  );
  if (changed.automation.enabled) throw new Error("a rule that was read cannot be sent back");
  ok(await deleteAutomation({ path: { id: automation.id } }));
  const read = ok(await listPlates({ query: { limit: 5 } })).plates.find(({ hasImage }) => hasImage);
  const picture: Blob = ok(await getPlateImage({ path: { id: read?.id ?? 0 } }));
  if (!(picture instanceof Blob) || picture.size < 1_000) throw new Error("the picture is not a Blob");
  return 7;
}

void WITH_TEXT;
