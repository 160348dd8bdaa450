/** A person's tasks in the console, step by step; each flow checks what the person would look for. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { MqttClient } from "mqtt";
import type { Page } from "playwright-core";
import type { Test } from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually } from "../support/hub-process.ts";
import { choose, type Size, type Stage, visit } from "./stage.ts";

/** A connected device and what it has received. */
export interface Plug {
  readonly id: string;
  readonly name: string;
  readonly client: MqttClient;
  readonly commands: readonly string[];
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const dialog = (page: Page) => page.getByRole("dialog");

/** Claim code, owner, site: two screens, then Home with the steps to a gate that opens. */
export async function firstRun({ hub, pages, problems }: Stage, t: Test): Promise<void> {
  const page = pages.phone;
  await page.bringToFront();
  await page.goto("/");
  await page.getByLabel("Claim code").fill((hub.claimCode ?? "").toLowerCase());
  await page.getByLabel("Your name").fill("Asha Rao");
  await page.getByLabel("E-mail").fill("asha@example.org");
  await page.getByLabel("Password").fill("short");
  await button(page, "Continue").click();
  await page.locator("[aria-invalid=true]").waitFor();
  t.match(problems.splice(0), [/400/, /400/], "a weak password is refused, with a message at its field");
  await page.getByLabel("Password").fill("correct horse battery staple");
  await button(page, "Continue").click();
  await page.getByLabel("Name of the site").fill("Rao house");
  await button(page, "Finish").click();
  await page.getByRole("link", { name: "Next: Add the gate" }).waitFor();
  t.equal(new URL(page.url()).pathname, "/");
}

/** Adds a device in the page; resolves with the password that is shown once. */
export async function addDevice(
  page: Page,
  device: { id: string; name: string; type: string; room: string },
  t: Test,
): Promise<string> {
  await visit(page, "/devices");
  await button(page, "Add a device").click();
  await dialog(page).getByRole("button", { name: "A device of your own, by hand" }).click();
  await dialog(page).getByLabel("Name").fill(device.name);
  await dialog(page).getByLabel("Type").selectOption({ label: device.type });
  await dialog(page).getByLabel(/^Room/).fill(device.room);
  await dialog(page)
    .getByLabel(/^Device id/)
    .fill(device.id);
  await button(page, "Add").click();
  await dialog(page).getByRole("img", { name: "QR code with the connection" }).waitFor();
  const shown = await dialog(page).locator("dd code").allTextContents();
  t.equal(shown[1], device.id, "the user name is the id");
  await button(page, "Done").click();
  return shown[2] ?? "";
}

/** A state published by the device is on the page within a second, in the best of three. */
export async function liveState(page: Page, plug: Plug, t: Test): Promise<void> {
  await visit(page, "/");
  const tile = page.locator(".tile", { hasText: plug.name }).first();
  await tile.waitFor();
  let best = Number.POSITIVE_INFINITY;
  for (const watts of [11, 22, 33]) {
    const before = Date.now();
    await plug.client.publishAsync(`gatehouse/${plug.id}/state`, JSON.stringify({ power: false, watts }), { qos: 1 });
    await tile.getByText(`${watts} W`).waitFor();
    best = Math.min(best, Date.now() - before);
  }
  t.comment(`publish to pixel: ${best} ms`);
  t.ok(best < 1_000, "within a second");
}

/** The switch responds at once, the command reaches the device, and the tile settles when the device answers. */
export async function toggle(page: Page, plug: Plug, t: Test): Promise<void> {
  const sent = plug.commands.length;
  const knob = page.locator(".tile", { hasText: plug.name }).first().getByRole("switch");
  await knob.click();
  t.equal(await knob.getAttribute("aria-checked"), "true", "shown at once");
  t.equal(await eventually(() => plug.commands[sent]), '{"power":true}');
  await plug.client.publishAsync(`gatehouse/${plug.id}/state`, JSON.stringify({ power: true }), { qos: 1 });
  await page.locator(".tile[data-on=true]", { hasText: plug.name }).first().waitFor();
  await page.locator(".tile", { hasText: plug.name }).first().locator(".switch[data-pending=false]").waitFor();
  await page.getByRole("link", { name: plug.name }).first().click();
  await page.getByRole("heading", { level: 2, name: "Commands" }).waitFor();
  await page.locator("section", { hasText: "Commands" }).getByText("by Asha Rao").first().waitFor();
}

/** A key created in the page opens what its scopes allow, and nothing else. */
export async function makeKey(page: Page, { hub }: Stage, t: Test): Promise<void> {
  await visit(page, "/developer");
  await button(page, "New key").click();
  await dialog(page).getByLabel("Name", { exact: true }).fill("Wall tablet");
  await button(page, "Create key").click();
  const secret = (await dialog(page).locator(".secret").textContent()) ?? "";
  await button(page, "Done").click();
  const asks = (path: string) => fetch(hub.url + path, { headers: { authorization: `Bearer ${secret}` } });
  t.equal((await asks("/v1/devices")).status, 200);
  t.equal((await asks("/v1/plates")).status, 403, "a scope that was not ticked");
}

/** A rule made in the editor runs when the device changes, writes to the feed, and its path is drawn with its steps. */
export async function makeRule(page: Page, plug: Plug, size: Size): Promise<void> {
  const title = `The plug came on (${size})`;
  await visit(page, "/automations/new?detail");
  await page.getByLabel("Name", { exact: true }).fill(`Tell me ${size}`);
  await page.getByLabel("What starts it").selectOption("state");
  await choose(page, "Device", plug.name);
  await page.getByLabel("Add an action").selectOption("notify");
  await page.getByLabel("Title", { exact: true }).fill(title);
  await page.getByLabel("Text", { exact: true }).fill("Somebody switched it on.");
  await button(page, "Save").click();
  await page.getByRole("link", { name: `Tell me ${size}` }).waitFor();
  for (const power of [false, true])
    await plug.client.publishAsync(`gatehouse/${plug.id}/state`, JSON.stringify({ power }), { qos: 1 });
  await visit(page, "/activity");
  await page.getByText(title).first().waitFor();
  await visit(page, "/automations");
  await page.getByRole("link", { name: `Tell me ${size}` }).click();
  await page
    .locator(".trace", { hasText: `${plug.name} is on` })
    .first()
    .getByText(`Message “${title}”`)
    .waitFor();
  if (size === "phone") await button(page, "More actions").click();
  await button(page, "Try without doing").click();
  await dialog(page).getByText("It would run.").waitFor();
  await page.keyboard.press("Escape");
}

/** Pictures of a passing car, uploaded on one page, appear as a row on the other open page. */
export async function burst(from: Page, at: Page, camera: string, t: Test): Promise<void> {
  await visit(at, "/gate");
  await at.getByRole("heading", { level: 1, name: "Gate" }).waitFor();
  const before = await at.locator(".read-row").count();
  await visit(from, `/gate/cameras/${camera}`);
  const picture = join(PROJECT_ROOT, "test/fixtures/plates/two-wheeler-BR03AD2586.jpg");
  await from.getByLabel("Pictures", { exact: true }).setInputFiles([picture, picture]);
  await from.getByLabel("Direction", { exact: true }).selectOption("in");
  await button(from, "Read them").click();
  const result = from.locator(".home-side .read-row").first();
  await result.waitFor();
  const row = at.locator(".read-row").first();
  await eventually(async () => ((await at.locator(".read-row").count()) > before ? true : undefined), 20_000);
  const plate = await result.locator(".read-who strong").textContent();
  t.comment(`read: ${(await result.textContent()) ?? ""}`);
  t.equal(await row.locator(".read-who strong").textContent(), plate, "the open page shows the read");
  await row.getByText("coming in").waitFor();
  const image = "document.querySelector('.read-row img')";
  const width: unknown = await at.evaluate(`${image}.decode().then(() => ${image}.naturalWidth)`);
  t.ok(Number(width) > 0, "with its picture");
}

/** A scene made from the current state restores it. */
export async function captureScene(page: Page, plug: Plug, size: Size, t: Test): Promise<void> {
  await plug.client.publishAsync(`gatehouse/${plug.id}/state`, JSON.stringify({ power: true }), { qos: 1 });
  // the devices come after the dialog is opened
  await page.route("**/api/overview", async (route) => {
    await page.getByRole("dialog").waitFor();
    await route.continue();
  });
  await page.goto("/scenes");
  if (size === "phone") await button(page, "More actions").click();
  await button(page, "From how it is now").click();
  await dialog(page).getByLabel("Name").fill(`Lit ${size}`);
  await page.unrouteAll({ behavior: "wait" }); // the list may be requested once more meanwhile
  await button(page, "Save").click();
  const sent = plug.commands.length;
  await page
    .locator(".card", { hasText: `Lit ${size}` })
    .getByRole("button", { name: "Run" })
    .click();
  t.match(await eventually(() => plug.commands[sent]), /"power":true/);
  await page.getByText(new RegExp(`Lit ${size}: `)).waitFor();
}

/** A receiver is added, tested and logged; when disabled it shows so at once, and it can be enabled again. */
export async function addWebhook(page: Page, t: Test): Promise<void> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => received.push(chunk.toString()));
    request.on("end", () => response.writeHead(204).end());
  });
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`; // listening on TCP
  await visit(page, "/developer");
  await button(page, "New webhook").click();
  await dialog(page).getByLabel("Address of the receiver").fill(url);
  await button(page, "Register").click();
  await dialog(page).getByText("Signing secret").waitFor();
  await button(page, "Done").click();
  const line = page.locator("li", { hasText: url });
  await line.getByRole("button", { name: "Send a test" }).click();
  // an event of a device may be delivered before it
  await eventually(() => received.map((body) => JSON.parse(body)).find(({ data }) => data.test === true));
  t.pass("the test arrives");
  await line.getByRole("button", { name: "Delivery log" }).click();
  await dialog(page)
    .getByText(/answered 204/)
    .first() // an event of a device may have been delivered meanwhile
    .waitFor();
  const delivery = dialog(page).locator(".delivery .grow").first();
  t.ok(((await delivery.boundingBox())?.width ?? 0) > 150, "a line of the log holds more than a word");
  const answers = (await delivery.innerText()).match(/answered \d+/g) ?? [];
  t.same(answers, [...new Set(answers)], "and shows the answer once");
  await button(page, "Done").click();
  await line.getByRole("button", { name: "Disable" }).click();
  await line.getByText("disabled", { exact: true }).waitFor();
  t.equal(await line.getByRole("button", { name: "Disable" }).count(), 0);
  await line.getByRole("button", { name: "Enable again" }).click();
  const badge = line.getByText("active", { exact: true });
  await badge.waitFor();
  t.notOk(await badge.evaluate("(badge) => badge.scrollWidth > badge.clientWidth + 1"), "the badge is whole");
}

/** On a phone the lesser actions of a page wait in a menu. */
async function openMenu(page: Page): Promise<void> {
  const more = button(page, "More actions");
  if ((await more.count()) > 0) await more.click();
}

/** Plates from a spreadsheet become rules; one is edited and disabled; the export returns all unchanged. */
export async function importRules(page: Page, t: Test): Promise<void> {
  await visit(page, "/gate/rules");
  const csv =
    'number plate,list,label,times,colour\r\nMH 12 AB 1234,allowed,"Rao, Asha",12345@22:00-06:00,red\r\nnot a plate at all,deny,,,\r\n';
  await button(page, "Import").click(); // in words on a phone too
  await dialog(page)
    .getByLabel("File with plates")
    .setInputFiles({ name: "plates.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  const held = await dialog(page).getByLabel("File with plates").inputValue();
  t.equal(held, "", "the same path can be chosen again, once the file is corrected");
  const add = dialog(page).locator("[type=submit]");
  t.ok(await add.isDisabled(), "nothing is added before it is clear what all columns are");
  await dialog(page)
    .getByLabel("File with plates")
    .evaluate(`(field) => field.dispatchEvent(new Event("cancel", { bubbles: true }))`);
  await dialog(page).getByLabel("What is in the column “colour”?").selectOption("nothing");
  await dialog(page).getByText("Would be added: 1 allowed, 0 denied, 0 watched").waitFor();
  const cause = dialog(page).getByRole("group").filter({ hasText: "The text cannot be a number plate." });
  await cause.getByText("one line", { exact: true }).waitFor();
  await cause.locator("li", { hasText: "Line 3" }).getByText("not a plate at all").waitFor();
  await button(page, "Add the other one").click();
  await dialog(page).getByText("One plate rule was added. One line was left out:").waitFor();
  const [refused] = await Promise.all([
    page.waitForEvent("download"),
    button(page, "Save these lines to correct them (CSV)").click(),
  ]);
  t.equal(
    await readFile(await refused.path(), "utf8"),
    "\uFEFFnumber plate,list,label,times,colour,what is wrong\r\nnot a plate at all,deny,,,,The text cannot be a number plate.\r\n",
  );
  await button(page, "Done").click();
  const save = () => dialog(page).getByRole("button", { name: "Save", exact: true }).click();
  await button(page, /^Change the rule for MH 12 AB 1234/).click();
  await dialog(page).getByLabel("Action").selectOption("watch");
  await save();
  const line = page.locator("li", { hasText: "MH 12 AB 1234" });
  await line.getByText("Watched").waitFor();
  await button(page, /^Change the rule for MH 12 AB 1234/).click();
  await dialog(page).getByRole("switch").click();
  await dialog(page).locator("[role=switch][aria-checked=false]").waitFor();
  await save();
  await line.getByText("Off").waitFor();
  await openMenu(page);
  const [file] = await Promise.all([page.waitForEvent("download"), button(page, "Export").click()]);
  t.match(
    await readFile(await file.path(), "utf8"),
    /^plate,kind,label,camera,valid_from,valid_to,times,earns\r\nMH 12 AB 1234,watch,"Rao, Asha",,,,12345@22:00-06:00,\r\n$/,
  );
}

/** The ignored part of the picture is drawn with the keyboard, and saved; a wrong address is reported at its field. */
export async function drawMask(page: Page, camera: string, problems: string[], t: Test): Promise<void> {
  await visit(page, `/gate/cameras/${camera}`);
  await page.getByLabel("Where they come from").selectOption("snapshot");
  const address = page.getByLabel("Address", { exact: true });
  await address.fill("snapshot.jpg");
  await button(page, "Leave out parts of the picture").click();
  await page.getByRole("application").focus();
  for (const key of ["Enter", "Shift+ArrowRight", "Enter", "Shift+ArrowDown", "Enter"]) await page.keyboard.press(key);
  await button(page, "Finish this area").click();
  await button(page, "Save").click();
  await page.locator("[aria-invalid=true]:focus").waitFor();
  t.match(problems.splice(0), [/400/, /400/], "the address is refused, and its field is focused");
  await address.fill("http://127.0.0.1:9/snapshot.jpg");
  await button(page, "Save").click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const { cameras } = (await (await page.request.get("/api/cameras")).json()) as {
    cameras: { deviceId: string; source: unknown }[];
  }; // its contract
  const mask = [
    [
      [0.5, 0.5],
      [0.6, 0.5],
      [0.6, 0.6],
    ],
  ];
  t.match(cameras.find(({ deviceId }) => deviceId === camera)?.source, {
    kind: /^snapshot$/,
    watch: { kind: /^motion$/, mask },
  });
}
