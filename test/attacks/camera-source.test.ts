/** A camera that the hub polls, set up by an owner who is then removed: it no longer opens a gate. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually } from "../support/hub-process.ts";
import { anotherFrame, withoutModels } from "../support/photographs.ts";

t.setTimeout(90_000); // a hub that starts, and loads its models
const photograph = readFileSync(join(PROJECT_ROOT, "test/fixtures/plates/two-wheeler-UP32JE3626.jpg"));

interface Listed {
  readonly cameras: readonly { deviceId: string; enabled: boolean; source: { kind: string } }[];
}

t.test("a source set by a removed owner is no longer polled", { skip: withoutModels }, async (t) => {
  const house = await HouseholdProcess.start(t, { GATEHOUSE_RECOGNITION: "true" });
  const { owner } = house;
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(200, { "Content-Type": "image/jpeg" }).end(anotherFrame(photograph));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // listening on TCP
  const watch = { kind: "periodic", everySeconds: 2 };
  const source = { kind: "snapshot", url: `http://127.0.0.1:${port}/secret-path.jpg`, watch };
  const gate = { deviceId: "gate", command: { open: true } };
  const heard: string[] = [];
  const relay = await house.connect(t, "gate", await house.device("gate"), { heard });
  await relay.subscribeAsync("gatehouse/gate/command", { qos: 1 });
  await house.device("porch", "camera");
  const { person: thief, id } = await house.join("owner");
  const made = await thief.call("POST", "/api/devices", { id: "shed", name: "shed", type: "camera" });
  t.equal(made.status, 201);
  for (const camera of ["porch", "shed"])
    t.equal((await thief.call("PATCH", `/api/cameras/${camera}`, { direction: "in", gate, source })).status, 200);
  // Changes others make to the camera do not make them answer for the source.
  t.equal((await owner.call("PATCH", "/api/cameras/porch", { gate: { ...gate, command: { open: 1 } } })).status, 200);
  t.equal((await owner.call("POST", "/api/devices/shed/password")).status, 200);
  await eventually(() => (asked > 1 ? true : undefined), 20_000); // the hub does poll it

  const { body } = await owner.call<{ audit: { action: string; target: string; detail: object }[] }>(
    "GET",
    "/api/audit?limit=50",
  );
  const set = body.audit.filter(({ action }) => action === "camera.source_set");
  t.same(set.map(({ target, detail }) => [target, detail]).sort(), [
    ["porch", { kind: "snapshot", host: `127.0.0.1:${port}` }],
    ["shed", { kind: "snapshot", host: `127.0.0.1:${port}` }],
  ]);
  t.equal(body.audit.filter(({ action }) => action === "camera.gate_set").length, 3);
  const { grants } = (
    await owner.call<{ grants: { kind: string; proposed: string; names: string[] }[] }>(
      "GET",
      `/api/persons/${id}/grants`,
    )
  ).body;
  t.match(
    grants.find(({ kind }) => kind === "camera_source"),
    { proposed: "end", names: ["porch", "shed"] },
  );

  const edits = Array.from({ length: 12 }, (_, n) =>
    thief.call("PATCH", "/api/cameras/porch", { enabled: true, source: { ...source, url: `${source.url}?n=${n}` } }),
  );
  const removal = owner.call("DELETE", `/api/persons/${id}`);
  await Promise.all(edits); // those written after the removal end with it
  t.equal((await removal).status, 200);
  t.equal((await thief.call("GET", "/api/me")).status, 401);
  const { cameras } = (await owner.call<Listed>("GET", "/api/cameras")).body;
  t.same(
    cameras.map(({ deviceId, enabled }) => [deviceId, enabled]),
    [
      ["porch", false],
      ["shed", false],
    ],
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000)); // a picture on its way
  const before = asked;
  t.equal((await owner.call("POST", "/v1/plate-rules", { plate: "UP32JE3626", kind: "allow" })).status, 201);
  await new Promise((resolve) => setTimeout(resolve, 6_000)); // three times its interval
  t.equal(asked, before, "its pictures are no longer fetched");
  t.same(heard, [], "the gate stays shut");

  t.equal((await owner.call("PATCH", "/api/cameras/porch", { enabled: true })).status, 200);
  await eventually(() => (asked > before ? true : undefined), 20_000);
  t.equal(
    (await owner.call<Listed>("GET", "/api/cameras")).body.cameras[0]?.enabled,
    true,
    "an owner may want to restore it",
  );
});
