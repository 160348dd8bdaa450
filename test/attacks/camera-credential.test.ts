/**
 * A camera's own credential in the hands of somebody who read it off the camera: it sends that camera's pictures and
 * nothing else.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const FRAME = Uint8Array.from(readFileSync(join(PROJECT_ROOT, "test/fixtures/plates/two-wheeler-BR03AD2586.jpg")));

t.test("a camera posts pictures with its MQTT credential, which opens nothing else and reveals no plate", async (t) => {
  const { hub, owner: person } = await startOwnedHub(testFolder(t));
  t.teardown(() => hub.stop());
  const device = async (id: string, type: string): Promise<string> =>
    (await person.call<{ password: string }>("POST", "/api/devices", { id, name: id, type })).body.password;
  const password = await device("camera-1", "camera");
  const other = await device("camera-2", "camera");
  const plug = await device("plug-1", "smart-plug");
  const ask = async (
    method: string,
    path: string,
    credential: string,
    more: Record<string, string> = {},
  ): Promise<{ status: number; code: string; body: object }> => {
    const headers = {
      Authorization: `Basic ${Buffer.from(credential).toString("base64")}`,
      "Content-Type": "image/jpeg",
      ...more,
    };
    const response = await fetch(hub.url + path, { method, headers, ...(method === "POST" ? { body: FRAME } : {}) });
    const body = (await response.json()) as { error?: { code: string } };
    return { status: response.status, code: body.error?.code ?? "", body };
  };
  const burst = (id: string): string => `/api/cameras/${id}/burst`;

  t.match(await ask("POST", burst("camera-1"), `camera-1:${password}`), {
    status: 201,
    body: { captureId: Number, reads: [] },
  });
  const { body } = await person.call<{ plates: { deviceId: string; trigger: string }[] }>("GET", "/v1/plates");
  t.hasStrict(body.plates[0], { deviceId: "camera-1", trigger: "motion" }, "its picture was read");

  for (const [why, path, credential] of [
    ["a wrong password", burst("camera-1"), "camera-1:wrong"],
    ["no password", burst("camera-1"), "camera-1"],
    ["another camera's password", burst("camera-1"), `camera-1:${other}`],
    ["for another camera", burst("camera-2"), `camera-1:${password}`],
    ["nobody", burst("camera-1"), ":"],
  ] as const)
    t.hasStrict(await ask("POST", path, credential), { status: 401, code: "invalid_credential" }, why);
  t.hasStrict(
    await ask("POST", burst("plug-1"), `plug-1:${plug}`),
    { status: 404, code: "device_not_found" },
    "a plug reveals no plates",
  );
  for (const [method, path] of [
    ["GET", "/api/cameras"],
    ["POST", "/api/cameras/camera-1/capture"],
    ["GET", "/v1/plates"],
    ["GET", "/v1/devices/camera-1"],
    ["POST", "/v1/devices/camera-1/commands"],
  ] as const)
    t.match(await ask(method, path, `camera-1:${password}`), { status: 401 }, `${method} ${path}`);
  t.hasStrict(await ask("POST", burst("camera-1"), `camera-1:${password}`, { Origin: "https://evil.example.org" }), {
    status: 403,
    code: "origin_not_allowed",
  });

  let refused = 0;
  for (let guess = 0; guess < 60; guess++)
    if ((await ask("POST", burst("camera-1"), `camera-1:guess-${guess}`)).status === 429) refused += 1;
  t.ok(refused > 0, `guesses are counted: ${refused} of 60 learned nothing`);
  t.match(
    await ask("POST", burst("camera-1"), `camera-1:${password}`),
    { status: 201 },
    "guesses do not slow the right one",
  );

  await person.call("DELETE", "/api/devices/camera-1");
  t.not((await ask("POST", burst("camera-1"), `camera-1:${password}`)).status, 201, "it ends with the camera");
});
