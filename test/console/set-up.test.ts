/**
 * The way from a new hub to a gate that opens by itself, key by key: claimed, gate, camera, first picture, plate, and
 * the car that it opens for. A real gate and camera, on a phone of 360 px; a person who leaves the way finds it again.
 */
import type { Locator } from "playwright-core";
import t from "tap";
import { anotherFrame, photographs, withoutModels } from "../support/photographs.ts";
import { testFolder } from "../support/test-folder.ts";
import { beyond, SCREENS } from "./layout.ts";
import { cannotBrowse, connectDevice, startStage, violations, visit } from "./stage.ts";

t.setTimeout(240_000);
const [CAR] = await photographs();
/** Taps from the first field to the opened gate, those of the fields included. */
const MOST_TAPS = 15;
/** Pictures are read however busy the machine is. */
const PATIENT_MS = "20000";

t.test("a new hub ends in a gate that opens", { skip: cannotBrowse || withoutModels }, async (t) => {
  const stage = await startStage(testFolder(t), { env: { GATEHOUSE_RECOGNITION_BUDGET_MS: PATIENT_MS } });
  t.teardown(() => stage.stop());
  const whole = t;
  const page = stage.pages.phone;
  await page.setViewportSize(SCREENS[360]);
  await page.bringToFront();
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const dialog = page.getByRole("dialog");
  const bar = page.getByRole("navigation", { name: "Until the gate opens by itself" });
  let taps = 0;
  const tap = async (at: Locator): Promise<void> => {
    await at.click();
    taps += 1;
  };
  const type = async (at: Locator, text: string): Promise<void> => {
    await tap(at);
    await at.pressSequentially(text);
  };
  /** As cameras do that send a JPEG when something moves: what stands on the camera's page is all they know. */
  let camera = { address: "", user: "", password: "" };
  const sends = async (jpeg: Buffer): Promise<void> => {
    const { pathname, search } = new URL(camera.address);
    const { status } = await fetch(stage.hub.url + pathname + search, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${camera.user}:${camera.password}`).toString("base64")}`,
        "content-type": "image/jpeg",
      },
      body: new Uint8Array(jpeg),
    });
    t.equal(status, 201);
  };

  await t.test("claimed, it shows the first step", async (t) => {
    await page.goto("/");
    await type(page.getByLabel("Claim code"), (stage.hub.claimCode ?? "").toLowerCase());
    await type(page.getByLabel("Your name"), "Asha Rao");
    await type(page.getByLabel("E-mail"), "asha@example.org");
    const password = page.getByLabel("Password");
    await type(password, "correct horse battery staple");
    t.equal(await password.getAttribute("type"), "password");
    await button("Show").click(); // to see what a thumb has typed
    t.equal(await password.getAttribute("type"), "text");
    await password.and(page.locator(":focus")).waitFor();
    t.same(await violations(page), []);
    await page.getByLabel("E-mail").focus();
    t.equal(await password.getAttribute("type"), "password", "it is hidden once it is left");
    await tap(button("Continue"));
    await page.getByText("Step 2 of 2").waitFor();
    await page.reload(); // by mistake, or because the browser was closed
    await page.getByText("Step 2 of 2").waitFor();
    await page.getByLabel("Name of the site").focus();
    await page.keyboard.type("Rao house"); // in the place of what was proposed
    const place = page.getByRole("combobox", { name: "Place (optional)" });
    await place.fill("18.52° N, 73.85° E");
    await page.locator(".picker-list [role=option]").first().waitFor();
    await place.press("Enter");
    await page.getByText(/^Today the sun rises at/).waitFor();
    t.equal(await place.inputValue(), "Pune");
    t.same(await violations(page), []);
    await tap(button("Finish"));
    await link("Next: Add the gate").waitFor();
    t.equal(new URL(page.url()).pathname, "/", "on Home");
    const { site } = (await (await page.request.get("/api/site")).json()) as { site: object }; // its contract
    t.hasStrict(site, { name: "Rao house", latitude: 18.52, longitude: 73.85 });
    t.equal(await link("Name the house, and say where it is").count(), 0, "that is done");
    await page.request.patch("/api/site", { data: { latitude: null, longitude: null } });
    await page.reload(); // as for an owner who closed the second step, and signs in elsewhere
    await link("Name the house, and say where it is").waitFor();
    await page.request.patch("/api/site", { data: { latitude: 18.52, longitude: 73.85 } });
    await page.reload();
    await link("Next: Add the gate").waitFor();
    await page.reload();
    await link("Next: Add the gate").waitFor();
    t.equal(await page.getByText("Step 2 of 2").count(), 0, "it was answered");
    t.same(await violations(page), []);
  });

  await t.test("the gate is added, and connects", async (t) => {
    await tap(link("Next: Add the gate"));
    t.equal(await dialog.getByRole("link", { name: "A camera" }).count(), 0, "only what a gate may be");
    await tap(dialog.getByRole("button", { name: /^A device of your own, by hand/ }));
    t.equal(await dialog.getByLabel("Type").inputValue(), "gate");
    await tap(dialog.getByRole("button", { name: "Add", exact: true }));
    await dialog.getByText("Waiting for it to connect").waitFor();
    const [, id = "", password = ""] = await dialog.locator("dd code").allTextContents();
    const { client } = await connectDevice(stage, id, password);
    whole.teardown(() => client.endAsync(true)); // it opens in the last part
    const says = (gate: string) =>
      client.publishAsync(`gatehouse/${id}/state`, JSON.stringify({ gate }), { qos: 1 }).catch(() => {});
    client.on("message", () => void says("opening").then(() => says("open")));
    await says("closed");
    await dialog.getByText("Gate is connected.").waitFor();
  });

  await t.test("the camera is added, with the gate that it opens", async (t) => {
    await tap(dialog.getByRole("link", { name: "Next: Add the camera" }));
    await bar.getByText("Step 2 of 5").waitFor();
    await tap(button(/^Set it up by hand/));
    t.equal(await dialog.getByLabel("Opens for an allowed car").locator("option:checked").textContent(), "Gate");
    await tap(dialog.getByRole("button", { name: "Add this camera", exact: true }));
    await bar.getByText("See the first picture").waitFor();
    await page.getByText("Waiting for the first picture").waitFor();
    const [address = "", user = "", password = ""] = await page.locator("main dl.facts dd code").allTextContents();
    camera = { address, user, password };
    t.match(await page.locator(".paste-line code").first().textContent(), `curl -u ${user}:${password} `);
    t.equal(await beyond(page), 0, "does not scroll sideways");
    t.ok(await page.evaluate("document.documentElement.scrollHeight <= 3 * innerHeight"), "three screens at most");
    t.same(await violations(page), []);
  });

  await t.test("a person who leaves the way finds it again", async (t) => {
    const here = new URL(page.url()).pathname;
    await visit(page, "/gate");
    await link("Next: See the first picture").click();
    await page.getByText("Waiting for the first picture").waitFor();
    t.equal(new URL(page.url()).pathname, here);
    await visit(page, "/devices");
    await bar.getByRole("link", { name: "Next: See the first picture" }).click();
    await page.locator(".paste-line").first().waitFor();
  });

  await t.test("the plate of the first picture is allowed beside it", async (t) => {
    await sends(CAR.jpeg);
    await bar.getByText("Allow your plate").waitFor();
    await page.locator(".first-car .plate-frame").waitFor();
    await type(page.locator(".first-car").getByLabel("Name", { exact: true }), "Asha's scooter");
    await tap(button("Allow this plate"));
    await page.getByText("This plate is allowed.").waitFor();
    await bar.getByText("See the gate open for your car").waitFor();
    t.same(await violations(page), []);
  });

  await t.test("the same picture opens nothing, and the way says so", async (t) => {
    await sends(CAR.jpeg);
    await page.locator(".first-car").getByText("Send another picture: this one was shown before.").waitFor();
    const { plates } = (await (await page.request.get("/v1/plates")).json()) as { plates: { gate: object }[] }; // its contract
    t.match(plates[0]?.gate, { result: /^not_told$/, reason: /^repeated$/ });
    await stage.pages.desktop.goto("/");
    await stage.pages.desktop.getByText("Send another picture: this one was shown before.").waitFor();
  });

  await t.test("the next one opens the gate, and the way ends", async (t) => {
    await sends(anotherFrame(CAR.jpeg));
    await page.getByText("The gate opened for BR 03 AD 2586.").waitFor();
    t.equal(await bar.count(), 0);
    await tap(link("Go to Home"));
    // nothing says which way it went: the lane goes both ways
    await page.getByText(/^The gate opened for Asha's scooter/).waitFor();
    t.equal(await page.getByText("Until the gate opens by itself").count(), 0);
    t.equal(await page.getByText("1 offline").count(), 0, "a camera that posts its pictures is not offline");
    await stage.pages.desktop.getByText("Until the gate opens by itself").waitFor({ state: "detached" });
    t.ok(taps <= MOST_TAPS, `${taps} taps`);
  });

  await t.test("then it says what is worth doing next, until that is put away", async (t) => {
    const next = page.locator(".what-next");
    const line = next.locator("summary");
    t.ok(((await line.boundingBox())?.height ?? 99) <= 52, "one line until somebody wants to see it");
    await line.click();
    await next.getByRole("link", { name: /^A second person/ }).waitFor();
    await next.getByRole("link", { name: /^Where the house is\s*done/ }).waitFor();
    t.same(await violations(page), []);
    t.equal(await beyond(page), 0);
    const invited = { data: { name: "Ravi", role: "member" } };
    t.ok((await page.request.post("/api/persons/invitations", invited)).ok());
    await page.reload();
    await line.getByText("3 more things worth doing").click();
    await next.getByRole("link", { name: /^A second person\s*done/ }).waitFor();
    await next.getByRole("button", { name: "Hide this" }).click();
    await next.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { name: "Latest" }).waitFor();
    await page.locator(".latest-car").first().waitFor();
    t.equal(await next.count(), 0, "and never asks again");
    await stage.pages.desktop.goto("/");
    await stage.pages.desktop.locator(".latest-car").first().waitFor();
    t.equal(await stage.pages.desktop.locator(".what-next").count(), 0, "nor in another browser");
  });
  t.strictSame(stage.problems, [], "no console error, no failed request");
});
