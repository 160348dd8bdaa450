/** Setting up a camera in the console: searched for, probed, previewed, saved; or by its maker. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Test } from "tap";
import { discoverOnvif } from "../../src/features/cameras/onvif/discovery.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually } from "../support/hub-process.ts";
import { OnvifDevice } from "../support/onvif-device.ts";
import { type Size, visit } from "./stage.ts";

const OWNER = { user: "admin", password: "p@ss <word>" };

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });

interface SetCamera {
  readonly deviceId: string;
  readonly source: { readonly kind: string; readonly url: string; readonly watch: object };
}

async function cameras(page: Page): Promise<SetCamera[]> {
  return ((await (await page.request.get("/api/cameras")).json()) as { cameras: SetCamera[] }).cameras; // its contract
}

/**
 * A camera answers the search, refuses a wrong password, shows its picture before it is saved, and then reports motion
 * by itself. The hub searches a whole network, but the fake camera answers on the loopback interface only, so the real
 * search is pointed at it.
 */
export async function findCamera(page: Page, size: Size, problems: string[], t: Test): Promise<void> {
  const picture = await readFile(join(PROJECT_ROOT, "test/fixtures/plates/two-wheeler-BR03AD2586.jpg"));
  const device = new OnvifDevice({ ...OWNER, picture });
  await device.open();
  t.teardown(() => device.close());
  await page.route("**/api/cameras/discover", async (route) => {
    const found = await discoverOnvif({
      interfaces: ["127.0.0.1"],
      waitMs: 400,
      target: { address: "127.0.0.1", port: device.discoveryPort },
    });
    await route.fulfill({ json: { cameras: found.map((camera) => ({ ...camera, deviceIds: [] })) } });
  });
  await visit(page, "/gate/cameras");
  await page.getByRole("link", { name: "Add a camera" }).click();
  await button(page, "Search").click();
  await page.getByText("One camera answered.").waitFor();
  await button(page, "Choose Gate camera").click();
  await page.getByLabel("Password of the camera").fill("wrong");
  await button(page, "Ask the camera").click();
  await page.getByText(/refuses the user name or the password/).waitFor();
  t.match(problems.splice(0), [/409/, /409/], "a wrong password is refused, with a message");
  await page.getByLabel("Password of the camera").fill(OWNER.password);
  await button(page, "Ask the camera").click();
  await page.getByLabel("Which picture").selectOption({ label: "Pictures: Main, 1920 × 1080" });
  await page.getByText(/^It works\./).waitFor();
  const wide: unknown = await page.evaluate(
    "document.querySelector('.tried-image').decode().then(() => document.querySelector('.tried-image').naturalWidth)",
  );
  t.ok(Number(wide) > 0, "a picture before anything is saved");
  const overflow: unknown = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  t.equal(overflow, 0, "does not scroll sideways");
  t.equal(await page.getByLabel("When to look").inputValue(), "onvif", "its own motion events are offered first");
  const name = `Found ${size}`;
  await page.getByLabel("Name", { exact: true }).fill(name);
  await button(page, "Add this camera").click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  const url = `http://admin@127.0.0.1:${device.port}/snap.jpg?p=main&q=1`;
  const found = (await cameras(page)).find(({ source }) => source.url === url);
  t.match(found, {
    hasPassword: true,
    source: { kind: /^snapshot$/, watch: { kind: /^onvif$/, address: device.address } },
  });
  await eventually(() => (device.asked.includes("PullMessages") ? true : undefined));
  device.tell(true);
  await visit(page, "/gate");
  await page.locator(".read-row", { hasText: name }).first().waitFor();
  await page.unroute("**/api/cameras/discover");
  await page.request.patch(`/api/cameras/${found?.deviceId}`, { data: { enabled: false } }); // the camera is gone
}

/**
 * A camera of a known maker needs only its address and credentials; an address without a camera is reported, and may be
 * saved all the same.
 */
export async function presetCamera(page: Page, size: Size, t: Test): Promise<void> {
  const deviceId = `lane-${size}`;
  await page.request.post("/api/devices", { data: { id: deviceId, name: `Lane ${size}`, type: "camera" } });
  await visit(page, `/gate/cameras/${deviceId}`);
  const settings = page.locator("summary", { hasText: "The pictures" });
  if (size === "phone") await settings.click(); // folded where there is little room
  await page.getByRole("link", { name: "Find it for me" }).click();
  await page.getByLabel("Make", { exact: true }).selectOption("hikvision");
  await page.getByText(/^For ONVIF, switch it on/).waitFor();
  t.equal(await page.getByLabel("User name").inputValue(), "admin", "the usual one");
  await page.getByLabel("Address of the camera or recorder").fill("http://127.0.0.1:9/");
  await page.getByLabel("Password of the camera").fill("s3cret:@/!");
  await page.getByLabel("Channel").fill("2");
  await button(page, "Next").click();
  await page.getByLabel("Which picture").selectOption({ label: "Single pictures" });
  await page.getByText(/^It did not work: the camera cannot be reached/).waitFor();
  await page.getByLabel("When to look").selectOption("manual");
  await button(page, "Save").click();
  await settings.getByText("The hub fetches them one by one").waitFor();
  t.match(
    (await cameras(page)).find((camera) => camera.deviceId === deviceId),
    {
      hasPassword: true,
      source: {
        kind: /^snapshot$/,
        url: "http://admin@127.0.0.1/ISAPI/Streaming/channels/201/picture",
        watch: { kind: /^manual$/ },
      },
    },
  );
}
