/** An owner's occasional tasks: persons, the log, third-party devices, cameras of the network, backups. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Test } from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually } from "../support/hub-process.ts";
import { SIZES, type Size, type Stage, visit } from "./stage.ts";

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const dialog = (page: Page) => page.getByRole("dialog");

/** A camera that always sends the same photograph. */
async function snapshotCamera(t: Test): Promise<string> {
  const jpeg = await readFile(join(PROJECT_ROOT, "test/fixtures/plates/two-wheeler-BR03AD2586.jpg"));
  const server = createServer((_request, response) =>
    response.writeHead(200, { "Content-Type": "image/jpeg" }).end(jpeg),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/snapshot.jpg`; // listening on TCP
}

/**
 * The live picture of a camera is on the gate page and in its setup, with plates drawn on it; nothing of it is stored.
 */
export async function livePicture(page: Page, size: Size, t: Test): Promise<void> {
  const url = await snapshotCamera(t);
  const id = `eye-${size}`;
  await page.request.post("/api/devices", { data: { id, name: `Eye ${size}`, type: "camera" } });
  await page.request.patch(`/api/cameras/${id}`, {
    data: { source: { kind: "snapshot", url, watch: { kind: "manual" } } },
  });
  await visit(page, `/gate/cameras/${id}`);
  await page.locator(".live-frame img").waitFor();
  const image = "document.querySelector('.live-frame img')";
  const wide: unknown = await page.evaluate(`${image}.decode().then(() => ${image}.naturalWidth)`);
  t.ok(Number(wide) > 0, "a picture of the camera");
  // its contract
  const before = ((await (await page.request.get("/v1/plates")).json()) as { plates: unknown[] }).plates.length;
  await button(page, "Show the plates").click();
  await page.locator(".overlay img").waitFor();
  await page.getByText(/Nothing was kept or decided/).waitFor();
  const drawn = await page.locator(".overlay polygon").count();
  t.comment(`plates drawn: ${drawn}`);
  t.ok(drawn > 0, "the plate is drawn at its place");
  t.equal(
    ((await (await page.request.get("/v1/plates")).json()) as { plates: unknown[] }).plates.length,
    before,
    "nothing was stored",
  ); // its contract
  await visit(page, "/gate");
  await page.getByRole("link", { name: "Cameras", exact: true }).click();
  const card = page.locator(".card", { hasText: `Eye ${size}` }).first();
  await card.scrollIntoViewIfNeeded(); // a picture that is not visible is not requested
  await card.locator(".live-frame img").waitFor();
}

/** Reads are filtered by everything that the API can filter by, and the filters cleared again. */
export async function filterReads(page: Page): Promise<void> {
  await visit(page, "/gate");
  const rows = page.locator(".read-row");
  const none = page.getByText("No plate read matches this filter.");
  await rows.first().waitFor();
  await button(page, "Filter").click();
  await button(page, "Denied").click();
  await none.waitFor();
  await button(page, "Show all").click();
  await rows.first().waitFor();
  await page.getByLabel("Direction", { exact: true }).selectOption("in");
  await button(page, "Filter (1)").waitFor();
  await rows.first().waitFor();
  await page.getByLabel("Plate or name").fill("DL 09 ZZ 9999");
  await none.waitFor();
  await button(page, "Show all").click();
  await page.getByLabel("Plate or name").fill("");
  await rows.first().waitFor();
}

/** The log is live, filtered, held. */
export async function watchLog(page: Page, { hub }: Stage, size: Size, t: Test): Promise<void> {
  await visit(page, "/system/log");
  await button(page, "debug").click();
  await page.locator(".log li").first().waitFor();
  await page.getByLabel("Contains").fill("no line says this");
  await page.getByText("No matching entries.").waitFor();
  await page.getByLabel("Contains").fill("");
  await page.locator(".log .log-day").first().waitFor();
  const menu = button(page, "More actions");
  if (size === "phone") await menu.click();
  await button(page, "Pause").click();
  if (size === "phone") await menu.click();
  await button(page, "Resume").waitFor();
  if (size === "phone") await menu.click();
  t.match(hub.output(), /"msg"/, "the same lines that the process prints");
}

/**
 * A person is invited, joins in a browser of their own, and sees what a member sees; then the owner signs them out and
 * removes them.
 */
export async function household(page: Page, { browser, hub, problems }: Stage, size: Size, t: Test): Promise<void> {
  const name = `Ravi ${size}`;
  await visit(page, "/system/persons");
  await button(page, "Invite somebody").click();
  await dialog(page).getByLabel("Who is it?").fill(name);
  await button(page, "Create invitation").click();
  await dialog(page).getByRole("img", { name: "QR code of the invitation" }).waitFor();
  const link = (await dialog(page).locator("code.secret").textContent()) ?? "";
  t.match(link, /\/join#[0-9A-Z-]{14}$/);
  await button(page, "Done").click();

  const context = await browser.newContext({
    baseURL: hub.url,
    locale: "en-GB",
    reducedMotion: "reduce",
    viewport: SIZES[size],
  });
  const theirs = await context.newPage();
  theirs.on(
    "response",
    (response) => void (response.status() >= 400 && problems.push(`member: ${response.status()} ${response.url()}`)),
  );
  theirs.on("console", (message) => void (message.type() === "error" && problems.push(`member: ${message.text()}`)));
  await theirs.goto("/");
  await theirs.getByRole("heading", { level: 1, name: "Sign in to Gatehouse" }).waitFor();
  t.strictSame(problems, [], "being signed out is not an error");
  await theirs.goto(link.replace(/^https?:\/\/[^/]+/, ""));
  // the invitation's name is filled in once it is known: what is typed at that moment would stand beside it
  await eventually(async () => (await theirs.getByLabel("Your name").inputValue()) === name || undefined);
  await theirs.getByLabel("E-mail").fill(`ravi-${size}@example.org`);
  await theirs.getByLabel("Password").fill("a quiet sentence about rain");
  await button(theirs, "Join").click();
  await theirs.getByRole("link", { name: "Gate", exact: true }).first().waitFor();
  for (const gone of ["Automations", "Developer"])
    t.equal(await theirs.getByRole("link", { name: gone }).count(), 0, `${gone} is an owner's`);
  for (const path of ["/", "/gate", "/scenes", "/activity", "/system"]) {
    await theirs.goto(path);
    await theirs.getByRole("heading", { level: 1 }).first().waitFor();
    await theirs.waitForLoadState("load");
  }
  t.equal(await theirs.getByText("Factory reset").count(), 0);
  t.strictSame(problems, [], "a member's pages request nothing that is refused");
  await context.close();

  await visit(page, "/system/persons");
  await page.reload(); // the page may have been open since the invitation
  await page.getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await button(page, "End").click();
  await page.getByText("Not signed in anywhere").waitFor();
  await page.getByText("Nothing so far").waitFor();
  await button(page, "Remove from the house").click();
  await dialog(page).getByText("They are signed out everywhere at once.").waitFor();
  await dialog(page).getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
  await page.getByRole("link", { name, exact: true }).waitFor({ state: "detached" });
}

/** A third-party device gets its password and its configuration lines; the window for unknown ones opens and closes. */
export async function otherMakes(page: Page, size: Size, t: Test): Promise<void> {
  await visit(page, "/devices");
  await button(page, "Add a device").click();
  await dialog(page).getByRole("link", { name: "A device of another make" }).click();
  await page.getByRole("heading", { level: 1, name: "Other makes" }).waitFor();
  await dialog(page).getByLabel("Name").waitFor(); // it asks at once what is to be added
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "detached" });
  await button(page, "Let new devices in for 10 minutes").click();
  await page.getByText(/New devices may knock until/).waitFor();
  await button(page, "Close it now").click();
  await button(page, "Let new devices in for 10 minutes").waitFor();
  await button(page, "Add a device of another make").click();
  await dialog(page).getByLabel("Name").fill(`Boiler ${size}`);
  await button(page, "Create a password").click();
  await dialog(page).getByText("How Boiler").waitFor();
  t.ok((await dialog(page).locator("pre").count()) > 0, "lines to paste");
  await button(page, "Done").click();
  await page
    .locator("li", { hasText: `Boiler ${size}` })
    .first()
    .waitFor();
}

/** A receiver is changed, and its deliveries are shown byte for byte. */
export async function editWebhook(page: Page, t: Test): Promise<void> {
  await visit(page, "/developer");
  const line = page.locator("li", { hasText: "/hook" }).first();
  await line.getByRole("button", { name: "Edit" }).click();
  await dialog(page).getByLabel("Whose is it?").fill("Node-RED");
  await dialog(page).getByLabel("device.telemetry").uncheck();
  await button(page, "Save").click();
  await page.getByText("Node-RED").first().waitFor();
  await page.locator("li", { hasText: "Node-RED" }).first().getByRole("button", { name: "Delivery log" }).click();
  await dialog(page).getByRole("button", { name: "Show", exact: true }).first().click();
  t.match(await dialog(page).locator("pre").first().textContent(), /"event"/);
  t.ok(
    ((await dialog(page).locator(".delivery > .grow").first().boundingBox())?.width ?? 0) > 200,
    "deliveries have a line each, not a line per word",
  );
  await button(page, "Send all failed again").click();
  await page.getByText(/sent again\./).waitFor();
  await button(page, "Done").click();
}

/** A backup is made, checked, downloaded; its restore is rehearsed. Resolves with the file. */
export async function makeBackup(page: Page, t: Test): Promise<string> {
  await visit(page, "/system/backups");
  await button(page, "Back up now").click();
  const download = page.getByRole("button", { name: /^Download the backup/ }).first();
  await download.waitFor();
  const [file] = await Promise.all([page.waitForEvent("download"), download.click()]);
  t.ok((await readFile(await file.path())).length > 1_000);
  await button(page, "Rehearse a restore").click();
  await eventually(async () => ((await page.getByText(/^Rehearsed /).count()) > 0 ? true : undefined), 30_000);
  return file.path();
}
