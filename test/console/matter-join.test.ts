/**
 * A Matter device joins from the devices page, on a phone: a wrong code, the right one, the outcome. A real browser, a
 * real hub, a real device, in a network of their own.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { eventually, Person } from "../support/hub-process.ts";
import { startMatterDevice } from "../support/matter-device.ts";
import { isInOwnNetwork } from "../support/matter-space.ts";
import { beyond, overlaps, SCREENS } from "./layout.ts";
import { cannotBrowse, startStage, violations } from "./stage.ts";

t.setTimeout(180_000);
const LOGIN = { email: "asha@example.org", password: "correct horse battery staple" };
/** Finding and joining take seconds, many on a busy machine. */
const JOINED_MS = 90_000;

if (cannotBrowse !== false) t.plan(0, cannotBrowse);
else if (isInOwnNetwork(t, fileURLToPath(import.meta.url)))
  t.test("a device joins by its code", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-matter-join-"));
    const plug = await startMatterDevice({ kind: "plug", folder: join(folder, "plug"), discriminator: 3_840 });
    t.teardown(() => plug.kill());
    const stage = await startStage(join(folder, "hub"), {
      env: { GATEHOUSE_MATTER_PORT: "0", GATEHOUSE_RECOGNITION: "false" },
    });
    t.teardown(stage.stop);
    await new Person(stage.hub.url).claim(stage.hub.claimCode ?? "");
    const { phone } = stage.pages;
    await phone.bringToFront();
    await phone.setViewportSize(SCREENS[360]);
    await phone.request.post("/api/session", { data: LOGIN });
    const dialog = phone.getByRole("dialog");
    const code = dialog.getByLabel("Code", { exact: true });
    const begin = dialog.getByRole("button", { name: "Add it", exact: true });
    const looksRight = async (what: string): Promise<void> => {
      t.same(await violations(phone), [], what);
      t.equal(await beyond(phone), 0, `${what}: no wider than the phone`);
      t.same(await overlaps(phone), [], what);
    };
    const chooseMatter = async (): Promise<void> => {
      await phone.getByRole("button", { name: "Add a device", exact: true }).click();
      await looksRight("the ways to add a device");
      await dialog.getByRole("button", { name: "A Matter device" }).click();
    };
    await phone.goto("/devices");
    await chooseMatter();
    await code.pressSequentially(plug.manual);
    await looksRight("the question for the code");
    await begin.click();
    await dialog.getByText("Matter is not running on this hub.").waitFor();
    await looksRight("Matter is off");
    await dialog.getByRole("button", { name: "Switch Matter on" }).click();
    await dialog.getByRole("status").first().waitFor({ state: "detached", timeout: JOINED_MS });
    t.equal(await code.inputValue(), plug.manual, "the typed input stays");

    const last = plug.manual.at(-1) === "0" ? "1" : "0";
    await code.fill("");
    await code.pressSequentially(`${plug.manual.slice(0, -1)}${last}`);
    await begin.click();
    await dialog.getByRole("alert").waitFor({ timeout: JOINED_MS });
    await dialog.getByText("This is no Matter code").waitFor();
    await looksRight("a wrong code");

    await code.fill("");
    await code.pressSequentially(plug.manual);
    await code.press("Enter");
    await dialog.getByRole("listitem").first().waitFor();
    await looksRight("on its way");
    await phone.keyboard.press("Escape"); // it continues by itself, and the dialog shows the outcome later
    await eventually(async () => {
      const { join: now } = await (await phone.request.get("/api/matter/joins")).json();
      return now?.state === "added" || undefined;
    }, JOINED_MS);
    await chooseMatter();
    await dialog.getByRole("link", { name: "Acme plug" }).waitFor({ timeout: JOINED_MS });
    await looksRight("it is there");
    await dialog.getByRole("link", { name: "Acme plug" }).click();
    await phone.getByRole("heading", { level: 1, name: "Acme plug" }).waitFor();
    await plug.tell({ endpoint: "plug", set: { onOff: { onOff: true } } });
    await phone.locator("[role=switch][aria-checked=true]").first().waitFor();
    t.same(
      stage.problems.filter((problem) => !/\/api\/matter\/joins|status of (4|503)/.test(problem)),
      [],
    );
  });
