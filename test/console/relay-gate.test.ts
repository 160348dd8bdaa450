/**
 * The way to a gate that opens where a relay of another make moves it and a search finds the camera, key by key on a
 * phone of 360 px. The relay announces itself as Home Assistant's devices do; the camera is one that speaks ONVIF.
 */
import mqtt from "mqtt";
import type { Locator } from "playwright-core";
import t from "tap";
import { discoverOnvif } from "../../src/features/cameras/onvif/discovery.ts";
import { OnvifDevice } from "../support/onvif-device.ts";
import { anotherFrame, photographs, withoutModels } from "../support/photographs.ts";
import { testFolder } from "../support/test-folder.ts";
import { beyond, overlaps, SCREENS } from "./layout.ts";
import { cannotBrowse, startOwnedStage, violations } from "./stage.ts";

t.setTimeout(300_000);
const [CAR] = await photographs();
/** A picture is read however busy the machine is. */
const PATIENT = { timeout: 90_000 };
const CAMERA = { user: "admin", password: "p@ss <word>" };

t.test(
  "a relay and a camera that was found make a gate that opens",
  { skip: cannotBrowse || withoutModels },
  async (t) => {
    const stage = await startOwnedStage(testFolder(t), { env: { GATEHOUSE_RECOGNITION_BUDGET_MS: "60000" } });
    t.teardown(() => stage.stop());
    const whole = t;
    const page = stage.pages.phone;
    await page.setViewportSize(SCREENS[360]);
    await page.bringToFront();
    const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
    const link = (name: string) => page.getByRole("link", { name, exact: true });
    const dialog = page.getByRole("dialog");
    const bar = page.getByRole("navigation", { name: "Until the gate opens by itself" });
    /** What the relay was sent. */
    const orders: string[] = [];
    const type = async (at: Locator, text: string): Promise<void> => {
      await at.fill("");
      await at.pressSequentially(text);
    };
    const looksRight = async (what: string): Promise<void> => {
      t.same(await violations(page), [], what);
      t.equal(await beyond(page), 0, `${what}: no wider than the phone`);
      t.same(await overlaps(page), [], what);
    };

    await t.test("the relay is let in, and chosen as what moves the gate", async (t) => {
      await page.goto("/");
      await link("Next: Add the gate").click();
      t.equal(await button(/^A device that is here already/).count(), 0, "nothing is here yet");
      await dialog.getByRole("link", { name: "A relay at the motor" }).click();
      await dialog.getByRole("heading", { name: "A relay at the motor" }).waitFor();
      t.match(await dialog.getByLabel("Make", { exact: true }).locator("option").first().textContent(), /^Shelly/);
      await dialog.getByLabel("Make", { exact: true }).selectOption("homeassistant");
      t.equal(await dialog.getByLabel("Name", { exact: true }).inputValue(), "Gate relay");
      await button("Create a password").click();
      await dialog.getByText("How Gate relay connects").waitFor();
      await dialog.getByText(/^Waiting for it\./).waitFor();
      await looksRight("the lines to paste");
      const [username = "", password = ""] = await dialog.locator("dd code").allTextContents();
      const relay = await mqtt.connectAsync(`mqtt://127.0.0.1:${stage.hub.mqttPort}`, { username, password });
      whole.teardown(() => relay.endAsync(true));
      await dialog.getByText("It is connected.").waitFor();
      const says = (state: string) => relay.publishAsync("relay/state", state, { qos: 1, retain: true });
      relay.on("message", (_topic, payload) => {
        orders.push(payload.toString());
        void says(payload.toString()).catch(() => {});
      });
      await relay.publishAsync(
        "homeassistant/switch/relay/config",
        JSON.stringify({
          ...{ name: null, unique_id: "relay-1", command_topic: "relay/set", state_topic: "relay/state" },
          device: { identifiers: ["relay-1"], name: "Gate relay" },
        }),
        { qos: 1, retain: true },
      );
      await relay.subscribeAsync("relay/set", { qos: 1 });
      await says("OFF");
      await dialog.getByText("It is here: Gate relay.").waitFor();
      await dialog.getByText("A relay has to let go by itself").waitFor();
      await looksRight("what moves the gate");
      await dialog.getByRole("button", { name: "This moves the gate" }).click();
      await dialog.getByRole("link", { name: "Next: Add the camera" }).waitFor();
    });

    await t.test("it is a gate wherever it is shown, and nothing opens it in one tap", async (t) => {
      await page.goto("/");
      await page.getByRole("heading", { name: "Not known whether it is open" }).waitFor();
      await looksRight("Home");
      await button(/^Slide to open/).click();
      await dialog.getByRole("heading", { name: "Open Gate relay?" }).waitFor();
      await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
      t.same(orders, [], "a question is no order");
      await page.goto("/gate");
      await page.locator(".gate-bar").getByText("Not known whether it is open").waitFor();
      await button("Open").click();
      await dialog.getByRole("button", { name: "Open now" }).click();
      await page
        .locator(".gate-bar")
        .getByText(/opened it/)
        .waitFor();
      t.same(orders, ["ON"], "it hears the word of its own");
      await page.goto("/devices");
      await page.getByText(/Not known whether it is open/).waitFor();
      await page.getByRole("link", { name: "Gate relay" }).click();
      await button("Open").waitFor();
      t.equal(await page.getByRole("switch").isVisible(), false, "its raw switch stands apart");
      await page.getByText("More", { exact: true }).last().click();
      await page.getByRole("switch", { name: "Power" }).click();
      await dialog.getByRole("heading", { name: "Open Gate relay?" }).waitFor();
      await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
      t.same(orders, ["ON"]);
      await looksRight("the gate's own page");
    });

    const camera = new OnvifDevice({
      ...CAMERA,
      get picture() {
        return anotherFrame(CAR.jpeg); // as long as somebody waits, it sees the same car
      },
    });
    await camera.open();
    t.teardown(() => camera.close());

    await t.test("the camera is found, with the relay that it switches", async (t) => {
      // the fake camera answers on the loopback interface only
      await page.route("**/api/cameras/discover", async (route) => {
        const target = { address: "127.0.0.1", port: camera.discoveryPort };
        const found = await discoverOnvif({ interfaces: ["127.0.0.1"], waitMs: 400, target });
        await route.fulfill({ json: { cameras: found.map((one) => ({ ...one, deviceIds: [] })) } });
      });
      await page.goto("/gate");
      await link("Next: Add the camera").click();
      await button("Search").click();
      await button("Choose Gate camera").click();
      await type(page.getByLabel("Password of the camera"), CAMERA.password);
      await button("Ask the camera").click();
      await page.getByLabel("Which picture").selectOption({ label: "Pictures: Main, 1920 × 1080" });
      await page.getByText(/^It works\./).waitFor();
      t.equal(await page.getByLabel("Opens for an allowed car").locator("option:checked").textContent(), "Gate relay");
      await looksRight("the camera and its gate");
      await button("Add this camera").click();
      await bar.getByText("See the first picture").waitFor();
    });

    const look = page.locator(".first-car").getByRole("button", { name: "Look now", exact: true });
    await t.test("the plate of the first picture is allowed, and the next one opens the gate", async (t) => {
      await look.click();
      await page.locator(".first-car .plate-frame").waitFor(PATIENT);
      await type(page.locator(".first-car").getByLabel("Name", { exact: true }), "Asha's scooter");
      await button("Allow this plate").click();
      await bar.getByText("See the gate open for your car").waitFor();
      await looksRight("the last step");
      await look.click();
      await page.getByText("The gate opened for BR 03 AD 2586.").waitFor(PATIENT);
      t.equal(await bar.count(), 0);
      await link("Go to Home").click();
      await page.getByText(/^Asha's scooter came .*; the gate was told to open\./).waitFor(); // a relay does not say more
      await looksRight("Home with a relay for a gate");
    });
    t.strictSame(stage.problems, [], "no console error, no failed request");
  },
);
