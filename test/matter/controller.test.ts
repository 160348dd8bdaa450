import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { stageRestore } from "../../src/features/backups/restore.ts";
import { doWork } from "../../src/features/backups/work.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually, OWNER, Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { startMatterDevice } from "../support/matter-device.ts";
import { isInOwnNetwork } from "../support/matter-space.ts";

const PASSPHRASE = "a sentence that opens it";

interface ShownDevice {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly online: boolean;
  readonly state: Record<string, unknown>;
}

if (isInOwnNetwork(t, fileURLToPath(import.meta.url))) {
  t.test(
    "a device joins by its code, reports, is commanded, moves with a backup to another host, and leaves with its removal",
    async (t) => {
      const folder = mkdtempSync(join(tmpdir(), "gatehouse-matter-controller-"));
      const plug = await startMatterDevice({ kind: "plug", folder: join(folder, "plug"), discriminator: 3_840 });
      t.teardown(() => plug.kill());
      const settings = { GATEHOUSE_MATTER: "true", GATEHOUSE_MATTER_PORT: "0", GATEHOUSE_RECOGNITION: "false" };
      let { hub, owner } = await startOwnedHub(join(folder, "hub"), settings);
      t.teardown(() => hub.stop());
      const current = async (): Promise<{ state: string; failure: string | null; devices: string[] }> =>
        (
          await owner.call<{ join: { state: string; failure: string | null; devices: string[] } }>(
            "GET",
            "/api/matter/joins",
          )
        ).body.join;
      const over = (): Promise<Awaited<ReturnType<typeof current>>> =>
        eventually(async () => {
          const join = await current();
          return ["added", "failed"].includes(join.state) ? join : undefined;
        }, 60_000);

      await eventually(
        async () => (await owner.call("POST", "/api/matter/joins", { code: "00000000000" })).status === 202,
        30_000,
      );
      t.match(await over(), { state: "failed", failure: "wrong_code" }, "an invalid code is reported as such");

      t.equal((await owner.call("POST", "/api/matter/joins", { code: plug.manual })).status, 202);
      t.equal((await owner.call("POST", "/api/matter/joins", { code: plug.manual })).status, 409, "one at a time");
      const joined = await over();
      t.match(joined, { state: "added", failure: null, devices: [/^matter-[0-9a-f]{16}-1$/] });
      const id = joined.devices[0] ?? "";
      const device = async (): Promise<ShownDevice> =>
        (await owner.call<{ device: ShownDevice }>("GET", `/v1/devices/${id}`)).body.device;
      t.hasStrict(await device(), {
        type: "smart-plug",
        name: "Acme plug",
        state: { power: false, watts: 0, voltage: 230, kwh: 0 },
      });
      await eventually(async () => (await device()).online);

      await plug.tell({ endpoint: "plug", set: { onOff: { onOff: true } } });
      await eventually(async () => (await device()).state.power === true);
      t.pass("its reports are its state");

      const sent = await owner.call<{ commandId: number }>("POST", `/v1/devices/${id}/commands`, { power: false });
      t.equal(sent.status, 202);
      const command = sent.body.commandId;
      await eventually(async () => {
        const { body } = await owner.call<{ command: { status: string } }>("GET", `/v1/commands/${command}`);
        return body.command.status === "acknowledged";
      });
      t.match(await plug.tell({ endpoint: "plug" }), { onOff: { onOff: false } }, "it obeys");
      t.equal(
        (await owner.call("POST", `/v1/devices/${id}/commands`, { brightness: 40 })).status,
        400,
        "and nothing beyond its abilities",
      );

      // Another host: a backup is restored there, and the first hub ends.
      await owner.call("PUT", "/api/backups/passphrase", { passphrase: PASSPHRASE });
      t.equal((await owner.call("POST", "/api/backups", { destination: "local" })).status, 201);
      await hub.stop();
      const [name = ""] = readdirSync(join(folder, "hub/backups"));
      const box = join(folder, "box");
      await stageRestore({
        file: join(folder, "hub/backups", name),
        dataFolder: box,
        passphrase: PASSPHRASE,
        migrationsFolder: join(PROJECT_ROOT, "src/core/storage/migrations"),
        nowMs: Date.now(),
        doWork,
      });
      hub = await startHubProcess(box, settings);
      owner = new Person(hub.url); // sessions from before a restore have ended
      const { email, password } = OWNER;
      t.equal((await owner.call("POST", "/api/session", { email, password })).status, 200);
      const matter = async () =>
        (await owner.call<{ matter: { restored: boolean; process: { state: string } } }>("GET", "/api/matter")).body
          .matter;
      t.match(await matter(), { restored: true, process: { state: "off" } }, "it stays inactive until confirmed");
      t.match((await owner.call("POST", "/api/matter/takeover")).body, { matter: { restored: false } });
      await eventually(async () => (await device()).online && (await matter()).process.state === "running", 60_000);
      await plug.tell({ endpoint: "plug", set: { onOff: { onOff: true } } });
      await eventually(async () => (await device()).state.power === true, 30_000);
      t.equal((await owner.call("POST", `/v1/devices/${id}/commands`, { power: false })).status, 202);
      await eventually(async () => (await device()).state.power === false, 30_000);
      t.pass("the device answers there without joining again");

      t.equal((await owner.call("DELETE", `/api/devices/${id}`)).status, 200);
      await eventually(async () => (await plug.fabrics()) === 0, 20_000);
      t.pass("the device has forgotten the hub");
    },
  );
}
