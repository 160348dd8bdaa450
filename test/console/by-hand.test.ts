/**
 * Manual use: typing key by key, tapping beside a dialog, leaving a page, opening a gate. A real browser, a real hub,
 * real devices.
 */
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { OWNER, Person } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import {
  cannotBrowse,
  choose,
  connectDevice,
  SIZES,
  type Stage,
  settled,
  startOwnedStage,
  violations,
  visit,
} from "./stage.ts";

t.setTimeout(240_000);
/** Realistic names, as people and their bridges choose them. */
const HARD_NAMES = ["0x00158d0001a2b3c4", "living_room_ceiling_light_2", "Lamp 10", "Lamp 2", "A".repeat(120)];

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const dialog = (page: Page) => page.getByRole("dialog");

/** An owner who is signed in on both pages, and makes devices that answer. */
async function household(t: Test): Promise<{
  stage: Stage;
  /** The same owner, in a second session. */
  elsewhere: Person;
  device: (id: string, name: string, type: string) => ReturnType<typeof connectDevice>;
}> {
  const stage = await startOwnedStage(testFolder(t));
  t.teardown(stage.stop);
  const elsewhere = new Person(stage.hub.url);
  await elsewhere.call("POST", "/api/session", { email: OWNER.email, password: OWNER.password });
  return {
    stage,
    elsewhere,
    device: async (id, name, type) => {
      const made = (await (
        await stage.pages.desktop.request.post("/api/devices", { data: { id, name, type } })
      ).json()) as { password: string }; // its contract
      const connected = await connectDevice(stage, id, made.password);
      t.teardown(() => connected.client.endAsync(true));
      return connected;
    },
  };
}

t.test("a person's console", { skip: cannotBrowse }, async (t) => {
  const { stage, elsewhere, device } = await household(t);
  const { desktop, phone } = stage.pages;
  const lamp = await device("lamp", "Lamp", "dimmer");
  const gate = await device("gate", "Driveway gate", "gate");
  const door = await device("door", "Front door", "lock");
  await lamp.client.publishAsync("gatehouse/lamp/state", JSON.stringify({ power: true, brightness: 40 }), { qos: 1 });
  await gate.client.publishAsync("gatehouse/gate/state", JSON.stringify({ gate: "closed" }), { qos: 1 });
  await door.client.publishAsync("gatehouse/door/state", JSON.stringify({ locked: true }), { qos: 1 });

  await t.test("no field of a rule rewrites what is typed", async (t) => {
    await desktop.goto("/automations/new?detail");
    await desktop.getByLabel("Name", { exact: true }).pressSequentially("Evening");
    await desktop.getByLabel("What starts it").selectOption("sun");
    await desktop.getByLabel("When exactly").selectOption("before");
    const minutes = desktop.getByLabel("Minutes", { exact: true });
    await minutes.fill("");
    await minutes.pressSequentially("45");
    t.equal(await minutes.inputValue(), "45");
    await desktop.getByLabel("Add a condition").selectOption("state");
    await choose(desktop, "Device", "Lamp");
    await choose(desktop, "Value", "Brightness");
    await desktop.getByLabel("Comparison").selectOption("gt");
    const value = desktop.getByLabel("Compare with");
    await value.fill("");
    await value.pressSequentially("-21.05");
    t.equal(await value.inputValue(), "-21.05");
    await desktop.getByLabel("Add an action").selectOption("command");
    await choose(desktop, "Device", "Lamp", -1);
    await desktop.locator("summary", { hasText: "As JSON" }).click();
    const json = desktop.getByLabel("Command", { exact: true });
    await json.fill("");
    await json.pressSequentially('{"power":true,"brightness":4');
    t.equal(await json.inputValue(), '{"power":true,"brightness":4', "a draft stays unchanged");
    await button(desktop, "Save").click();
    await desktop.getByText("This is not a JSON object yet.").waitFor();
    t.equal(new URL(desktop.url()).pathname, "/automations/new", "unreadable input is not sent");
    await json.press("End");
    await json.pressSequentially("0}");
    await button(desktop, "Save").click();
    await desktop.getByRole("link", { name: "Evening" }).waitFor();
    const { automations } = (await (await desktop.request.get("/v1/automations")).json()) as {
      automations: Record<string, unknown>[];
    }; // its contract
    t.hasStrict(automations[0], {
      trigger: { type: "sun", event: "sunset", offsetMinutes: -45 },
      conditions: [{ type: "state", op: "gt", value: -21.05 }],
      action: { type: "command", deviceId: "lamp", command: { power: true, brightness: 40 } },
    });
  });

  await t.test("a command is built with the device's own controls", async (t) => {
    await desktop.getByRole("link", { name: "Evening" }).click();
    await button(desktop, "In detail").click();
    const slider = desktop.getByLabel("Brightness");
    t.equal(await slider.inputValue(), "40", "the slider shows the command's value");
    await slider.press("ArrowRight");
    await button(desktop, "Save").click();
    await desktop.getByRole("heading", { level: 1, name: "Automations" }).waitFor();
    const { automations } = (await (await desktop.request.get("/v1/automations")).json()) as {
      automations: { action: unknown }[];
    }; // its contract
    t.match(automations[0]?.action, { command: { power: true, brightness: 41 } });
  });

  await t.test("unsaved changes are not lost without a question", async (t) => {
    await desktop.getByRole("link", { name: "Evening" }).click();
    await desktop.getByLabel("Name", { exact: true }).press("End");
    await desktop.getByLabel("Name", { exact: true }).pressSequentially(" light");
    await desktop.getByRole("link", { name: "Activity" }).click();
    await dialog(desktop).getByText("Leave without saving?").waitFor();
    await dialog(desktop).getByRole("button", { name: "Cancel", exact: true }).click();
    t.equal(await desktop.getByLabel("Name", { exact: true }).inputValue(), "Evening light");
    await desktop.goBack();
    await button(desktop, "Leave").click();
    await desktop.getByRole("heading", { level: 1, name: "Automations" }).waitFor();
  });

  await t.test("a starter makes a rule, disappears at once and returns on demand", async (t) => {
    await desktop.goto("/automations");
    await desktop.getByRole("link", { name: "Light at sunset" }).click();
    t.equal(await desktop.getByLabel("Name", { exact: true }).inputValue(), "Light at sunset");
    await button(desktop, "Save").click();
    const rule = desktop.getByRole("link", { name: "Light at sunset" });
    await button(desktop, "Delete Light at sunset").click();
    await desktop.getByText("Light at sunset was deleted.").waitFor();
    const names = async (): Promise<string[]> => {
      const { automations } = (await (await desktop.request.get("/v1/automations")).json()) as {
        automations: { name: string; enabled: boolean }[];
      }; // its contract
      return automations.map(({ name }) => name);
    };
    t.notOk((await names()).includes("Light at sunset"));
    await button(desktop, "Undo").click();
    await button(desktop, "Delete Light at sunset").waitFor();
    t.ok((await names()).includes("Light at sunset"), "with everything it did");
    t.equal(await rule.count(), 1, "starters already in use are not proposed again");
  });

  await t.test("anything that opens asks first, even from a scene", async (t) => {
    await desktop.request.post("/api/scenes", {
      data: { name: "Come home", actions: [{ deviceId: "gate", command: { open: true, speed: 2 } }] },
    });
    await phone.goto("/");
    await button(phone, "Come home").click();
    await dialog(phone).getByText("It opens Driveway gate").waitFor();
    await button(phone, "Cancel").click();
    const tile = phone.locator(".tile", { hasText: "Front door" });
    await button(phone, "Unlock").click();
    await dialog(phone).getByText("Unlock Front door?").waitFor();
    t.same([gate.commands, door.commands], [[], []], "nothing was sent before the answer");
    await button(phone, "Unlock now").click();
    await dialog(phone).waitFor({ state: "detached" });
    await door.client.publishAsync("gatehouse/door/state", JSON.stringify({ locked: false }), { qos: 1 });
    await tile.getByText("Unlocked").waitFor();
    await tile.getByRole("button", { name: "Lock", exact: true }).click(); // closing asks nothing
    await phone.waitForTimeout(100);
    t.match(
      door.commands.map((command) => JSON.parse(command) as object),
      [{ locked: false }, { locked: true }],
    );
  });

  await t.test("the gate page shows the gate's state, a command in progress, and a missing answer", async (t) => {
    await visit(phone, "/gate");
    const card = phone.locator(".gate-bar", { hasText: "Driveway gate" });
    await card.getByText("Closed", { exact: true }).waitFor();
    await card.getByRole("button", { name: "Open", exact: true }).click();
    await button(phone, "Open now").click();
    await card.getByText("Sent, waiting for an answer …").waitFor();
    await gate.client.publishAsync("gatehouse/gate/state", JSON.stringify({ gate: "opening" }), { qos: 1 });
    await card.getByText("Opening", { exact: true }).waitFor();
    await gate.client.publishAsync("gatehouse/gate/state", JSON.stringify({ gate: "open" }), { qos: 1 });
    await card.getByText("Open", { exact: true }).first().waitFor();
    await card.getByRole("button", { name: "Stop", exact: true }).click();
    await card.getByText("Did not answer").waitFor();
    t.match(
      gate.commands.map((command) => JSON.parse(command) as object),
      [{ open: true }, { stop: true }],
    );
    await gate.client.endAsync();
    await card.getByText("Offline", { exact: true }).waitFor();
    t.equal(await card.getByRole("button", { name: "Open", exact: true }).isDisabled(), true);
  });

  await t.test("a secret shown once stays when the user taps beside it", async (t) => {
    await visit(desktop, "/developer");
    await button(desktop, "New key").click();
    await dialog(desktop).getByLabel("Name", { exact: true }).fill("App");
    await button(desktop, "Create key").click();
    const secret = await dialog(desktop).locator(".secret").textContent();
    await desktop.mouse.click(5, 5);
    t.equal(await dialog(desktop).locator(".secret").textContent(), secret);
    await dialog(desktop).getByRole("button", { name: "Copy" }).waitFor();
    await button(desktop, "Done").click();
  });

  await t.test(
    "who does not say who they are for a camera's gate comes to the camera, and sees its password",
    async (t) => {
      await visit(desktop, "/gate/cameras/new");
      await button(desktop, /^Set it up by hand/).click();
      await dialog(desktop).getByLabel("Name", { exact: true }).fill("Left half-way");
      await desktop.route("**/api/cameras/*", (route) =>
        route.request().method() === "PATCH"
          ? route.fulfill({
              status: 403,
              json: { error: { code: "fresh_proof_required", message: "Say who you are." } },
            })
          : route.continue(),
      );
      await dialog(desktop).getByLabel("Opens for an allowed car").selectOption({ index: 1 });
      await dialog(desktop).getByRole("button", { name: "Add this camera", exact: true }).click();
      await desktop.getByRole("dialog", { name: "Confirm it is you" }).getByRole("button", { name: "Cancel" }).click();
      await dialog(desktop).getByRole("button", { name: "Cancel", exact: true }).click();
      await desktop.getByRole("heading", { level: 1, name: "Left half-way" }).waitFor();
      await desktop.getByText("The password is shown this once.").waitFor();
      await desktop.unrouteAll({ behavior: "wait" });
      t.ok(stage.problems.every((problem) => problem.includes("403")));
      stage.problems.length = 0;
    },
  );

  await t.test("realistic names never make a page scroll sideways, and 2 sorts before 10", async (t) => {
    for (const [index, name] of HARD_NAMES.entries())
      await desktop.request.post("/api/devices", { data: { id: `hard-${index}`, name, type: "light" } });
    await phone.setViewportSize({ width: 360, height: 780 });
    for (const path of [
      "/",
      "/gate",
      "/activity",
      "/scenes",
      "/automations",
      "/devices",
      "/devices/hard-4",
      "/rooms",
    ]) {
      await visit(phone, path);
      await settled(phone);
      const beyond = await phone.evaluate("document.documentElement.scrollWidth - innerWidth");
      t.ok(Number(beyond) <= 0, `${path} is ${String(beyond)} px too wide`);
    }
    await phone.setViewportSize(SIZES.phone);
    await visit(phone, "/");
    await phone.getByText("Lamp 10", { exact: true }).waitFor();
    const names = await phone.locator(".tile-name").allTextContents();
    t.ok(names.indexOf("Lamp 2") < names.indexOf("Lamp 10"), names.join(", "));
  });
  t.same(stage.problems, []);

  await t.test("a session that ends while the user types discards only secrets", async (t) => {
    const again = desktop.getByRole("dialog", { name: "Sign in again" });
    await visit(desktop, "/automations/new?detail");
    const name = desktop.getByLabel("Name", { exact: true });
    await name.pressSequentially("Late evening");
    await desktop.getByLabel("What starts it").selectOption("sun");
    await desktop.getByLabel("When exactly").selectOption("before");
    await desktop.getByLabel("Minutes", { exact: true }).fill("25");
    await endSessions(elsewhere);
    await again.getByText("What you typed is still here").waitFor(); // noticed without a tap
    await phone.getByRole("dialog", { name: "Sign in again" }).waitFor();
    t.match(
      await desktop.evaluate(
        `getComputedStyle(document.querySelector("dialog.curtain"), "::backdrop").backgroundColor`,
      ),
      /^rgb\(/,
      "the page is hidden behind the question",
    );
    t.same(await violations(desktop), []);
    await again.getByLabel("Password").fill("half a password");
    await desktop.evaluate(
      `(function look() { window.bare = (window.bare ?? 0) + (document.querySelector("dialog.curtain:modal") === null ? 1 : 0); requestAnimationFrame(look); })()`,
    );
    for (let times = 0; times < 6; times++) await desktop.keyboard.press("Escape");
    t.equal(await desktop.evaluate("window.bare"), 0, "the page below was never visible in any frame");
    t.equal(await again.getByLabel("Password").inputValue(), "half a password");
    await again.getByLabel("Password").fill("not the password at all");
    await again.getByRole("button", { name: "Sign in", exact: true }).click();
    await again.getByRole("alert").waitFor(); // errors appear on screen
    await again.getByLabel("Password").fill(OWNER.password);
    await again.getByRole("button", { name: "Sign in", exact: true }).click();
    await again.waitFor({ state: "detached" });
    t.equal(await name.inputValue(), "Late evening");
    await phone.evaluate(`dispatchEvent(new Event("focus"))`); // the user comes to the other window
    await phone.getByRole("dialog", { name: "Sign in again" }).waitFor({ state: "detached" });
    t.equal(await desktop.getByLabel("Minutes", { exact: true }).inputValue(), "25");
    await desktop.getByLabel("Add an action").selectOption("notify");
    await desktop.getByLabel("Title", { exact: true }).fill("Late");
    await desktop.getByLabel("Text", { exact: true }).fill("It is late.");
    await button(desktop, "Save").click();
    await desktop.getByRole("link", { name: "Late evening" }).waitFor();
    await elsewhere.call("POST", "/api/session/proof", { password: OWNER.password });

    await visit(desktop, "/gate/cameras/new");
    await button(desktop, /^Set it up by hand/).click();
    await dialog(desktop).getByLabel("Name", { exact: true }).fill("Side gate");
    await dialog(desktop).getByRole("button", { name: "Add this camera", exact: true }).click();
    await desktop.getByRole("heading", { level: 1, name: "Side gate" }).waitFor();
    await desktop.getByLabel("Where they come from").selectOption("snapshot");
    await desktop.getByLabel("Address", { exact: true }).fill("http://192.168.1.9/snapshot.jpg");
    await desktop.getByLabel("Password").fill("camera secret");
    await endSessions(elsewhere);
    await again.waitFor();
    t.notOk(
      (
        (await desktop.evaluate(`[...document.querySelectorAll("input")].map(({ value }) => value)`)) as string[]
      ).includes("camera secret"),
      "no password waits behind the question",
    );
    await again.getByLabel("Password").fill(OWNER.password);
    await again.getByRole("button", { name: "Sign in", exact: true }).click();
    await again.waitFor({ state: "detached" });
    t.equal(await desktop.getByLabel("Address", { exact: true }).inputValue(), "http://192.168.1.9/snapshot.jpg");
    t.equal(await desktop.getByLabel("Password").inputValue(), "");
  });

  await t.test("another user does not get the unfinished text", async (t) => {
    const { body } = await elsewhere.call<{ code: string }>("POST", "/api/persons/invitations", {
      name: "Ravi",
      role: "owner",
    });
    const ravi = new Person(stage.hub.url);
    const login = { email: "ravi@example.org", password: "a quiet sentence about rain" };
    await ravi.call("POST", "/api/join", { code: body.code, name: "Ravi", ...login });
    await visit(desktop, "/automations/new?detail");
    await desktop.getByLabel("Name", { exact: true }).pressSequentially("Present for Ravi");
    await endSessions(elsewhere);
    const again = desktop.getByRole("dialog", { name: "Sign in again" });
    await again.getByLabel("E-mail").fill(login.email);
    await again.getByLabel("Password").fill(login.password);
    await again.getByRole("button", { name: "Sign in", exact: true }).click();
    await desktop.waitForURL("/");
    await phone.evaluate(`dispatchEvent(new Event("focus"))`); // the first user's other window
    await phone.waitForURL("/");
    await phone.getByText(/^Good .*, Ravi|^Hello, Ravi/).waitFor();
    await desktop.getByRole("heading", { level: 1 }).first().waitFor();
    for (const go of ["reload", "goBack"] as const) {
      t.notMatch(
        await desktop.evaluate(`JSON.stringify([
          [...document.querySelectorAll("input")].map(({ value }) => value), document.body.innerText,
          { ...sessionStorage }, { ...localStorage }])`),
        /Present for/,
      );
      await desktop[go]();
      await desktop.getByRole("heading", { level: 1 }).first().waitFor();
    }
    t.same(
      stage.problems.filter((problem) => !/\b401\b|\/api\/stream|INCOMPLETE_CHUNKED/.test(problem)),
      [],
    );
  });
});

/** Ends all sessions of the owner but the calling one, as after losing a phone. */
async function endSessions(owner: Person): Promise<void> {
  const { body } = await owner.call<{ sessions: { id: number; current: boolean }[] }>("GET", "/api/sessions");
  for (const { id } of body.sessions.filter(({ current }) => !current))
    await owner.call("DELETE", `/api/sessions/${id}`);
}
