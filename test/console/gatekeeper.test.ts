/**
 * A gatekeeper in the console: invited, joins in a browser of their own, keeps the gate, sees nothing of an owner's;
 * then made a member, and what they gave has ended.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { withoutModels } from "../support/photographs.ts";
import { testFolder } from "../support/test-folder.ts";
import { cannotBrowse, SIZES, settled, startOwnedStage, violations, visit } from "./stage.ts";

const SEEN = "BR03AD2586";
const RIGHT = "BR03AD2588";

t.setTimeout(180_000); // a hub and a browser
const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const dialog = (page: Page) => page.getByRole("dialog");

t.test(
  "a gatekeeper keeps the gate until an owner makes them a member",
  { skip: cannotBrowse || withoutModels },
  async (t) => {
    const stage = await startOwnedStage(testFolder(t));
    t.teardown(stage.stop);
    const { desktop } = stage.pages;
    const { request } = desktop;
    await request.post("/api/devices", { data: { id: "eye", name: "Entry camera", type: "camera" } });
    const jpeg = await readFile(join(PROJECT_ROOT, `test/fixtures/plates/two-wheeler-${SEEN}.jpg`));
    const burst = await request.post("/api/cameras/eye/burst", {
      data: jpeg,
      headers: { "content-type": "image/jpeg" },
    });
    const { reads } = (await burst.json()) as { reads: { id: number; plate: string }[] }; // its contract
    t.hasStrict(reads, [{ plate: SEEN }]);
    const readPath = `/gate/reads/${reads[0]?.id}`;

    await visit(desktop, "/system/persons");
    await button(desktop, "Invite somebody").click();
    await dialog(desktop).getByLabel("Who is it?").fill("Gopal");
    await dialog(desktop).getByLabel("Role").selectOption("gatekeeper");
    await dialog(desktop)
      .getByText(/keeps the gate: lists plates/)
      .waitFor();
    t.same(await violations(desktop), []);
    await button(desktop, "Create invitation").click();
    await dialog(desktop)
      .getByText(`on the page ${new URL(desktop.url()).protocol}//`)
      .waitFor();
    for (const copy of ["Copy the link", "Copy the code"])
      await dialog(desktop).getByRole("button", { name: copy }).waitFor();
    const link = (await dialog(desktop).locator("code.secret").textContent()) ?? "";
    await button(desktop, "Done").click();

    const context = await stage.browser.newContext({
      baseURL: stage.hub.url,
      locale: "en-GB",
      reducedMotion: "reduce",
      serviceWorkers: "block",
      viewport: SIZES.phone,
    });
    t.teardown(() => context.close());
    context.setDefaultTimeout(20_000);
    const theirs = await context.newPage();
    const refused: string[] = [];
    theirs.on(
      "response",
      (answer) => void (answer.status() >= 400 && refused.push(`${answer.status()} ${answer.url()}`)),
    );
    await theirs.goto(link.replace(/^https?:\/\/[^/]+/, ""));
    await theirs.getByRole("heading", { level: 1, name: "Join this house" }).waitFor(); // nobody has named it
    await theirs.getByText(/^(?!Somebody ).*has invited you\.$/).waitFor();
    t.equal(await theirs.getByLabel("Your name").inputValue(), "Gopal");
    await theirs.getByLabel("E-mail").fill("gopal@example.org");
    await theirs.getByLabel("Password").fill("a quiet sentence about rain");
    await button(theirs, "Join").click();
    await theirs.getByRole("link", { name: "Gate", exact: true }).first().waitFor();

    await t.test("the gate's pages are there, and no page of an owner's", async (t) => {
      for (const path of ["/", "/gate", "/gate/vehicles", "/gate/guests", "/gate/rules", "/activity", "/system"]) {
        await theirs.goto(path);
        await theirs.getByRole("heading", { level: 1 }).first().waitFor();
        await theirs.waitForLoadState("load");
        for (const gone of ["Automations", "Developer", "People", "Settings", "Backups", "Cameras", "Log"])
          t.equal(await theirs.getByRole("link", { name: gone, exact: true }).count(), 0, `${path}: ${gone}`);
        if (path === "/gate/rules") {
          await theirs.getByRole("link", { name: "Guests", exact: true }).waitFor();
          t.equal(
            await theirs.getByText("When an allowed car comes").count(),
            0,
            "the household's choices are an owner's",
          );
        }
      }
      t.equal(await theirs.getByText("Factory reset").count(), 0);
      await theirs.goto("/system/persons");
      await theirs.getByRole("heading", { level: 1 }).first().waitFor();
      t.equal(await button(theirs, "Invite somebody").count(), 0);
      await theirs.getByRole("heading", { name: "Only an owner sees this" }).waitFor();
      await theirs.goto("/system/none");
      await theirs.getByRole("heading", { name: "There is no such page." }).waitFor();
      await theirs.goto("/more");
      await theirs.getByText("This browser and your account").waitFor();
      t.same(refused, [], "and none of them asks for what is refused");
    });

    await t.test("a read is corrected and its plate allowed", async (t) => {
      await theirs.goto(readPath);
      await button(theirs, "Correct this read").click();
      await dialog(theirs).getByLabel("Plate", { exact: true }).fill(RIGHT);
      await dialog(theirs).getByRole("button", { name: "Save", exact: true }).click();
      await theirs.locator("summary", { hasText: "Details" }).click();
      await theirs
        .getByText(/Corrected by Gopal/)
        .first()
        .waitFor();
      await button(theirs, "Allow this plate").click();
      await dialog(theirs).getByLabel("Whose is it?").fill("Milkman");
      await dialog(theirs).getByRole("button", { name: "Save", exact: true }).click();
      await dialog(theirs).waitFor({ state: "detached" });
      await theirs.goto("/gate/rules");
      await theirs.getByText("Milkman").first().waitFor();
      t.same(await violations(theirs), []);
      const { rules } = (await (await request.get("/v1/plate-rules")).json()) as { rules: object[] }; // its contract
      t.hasStrict(rules, [{ plate: RIGHT, kind: "allow", enabled: true }]);
    });

    let pass = "";
    await t.test("a guest gets a pass", async (t) => {
      await theirs.goto("/gate/guests");
      await button(theirs, "New guest pass").click();
      await dialog(theirs).getByLabel("For whom?").fill("Plumber");
      await button(theirs, "Make the pass").click();
      pass = (await dialog(theirs).locator(".secret").textContent()) ?? "";
      await button(theirs, "Done").click();
      await theirs.getByText("Plumber").first().waitFor();
      const { status } = await lookAt(pass);
      t.equal(status, 200);
      t.same(refused, []);
    });

    await t.test("made a member, they have the gate's pages no more, and the pass is off", async (t) => {
      await visit(desktop, "/system/persons");
      await desktop.reload();
      await desktop
        .locator("li", { hasText: "Gopal" })
        .getByText(/^Gatekeeper/)
        .waitFor();
      await desktop.getByRole("link", { name: "Gopal", exact: true }).click();
      await desktop.getByText("1 guest pass, 1 plate that may come in").waitFor();
      await button(desktop, "Change access").click();
      await dialog(desktop).getByLabel("Role").selectOption("member");
      await dialog(desktop).getByText("Uses devices and scenes and sees the gate.").waitFor();
      t.same(await violations(desktop), []);
      await dialog(desktop).getByRole("button", { name: "Change access" }).click();
      await dialog(desktop).getByRole("heading", { name: "Make Gopal a member?" }).waitFor();
      for (const kind of [/^Guest passes \(1\)/, /^Plates that may come in \(1\)/])
        t.equal(await dialog(desktop).getByLabel(kind).inputValue(), "end");
      await dialog(desktop)
        .getByLabel(/^Plates that may come in/)
        .selectOption("keep");
      await dialog(desktop).getByRole("button", { name: "Make a member" }).click();
      await desktop.getByText("1 access ended").waitFor();
      await desktop.locator("dd").getByText("Member", { exact: true }).waitFor();
      await desktop.getByText("Nothing so far").waitFor();
      t.equal((await lookAt(pass)).status, 404, "the pass is off");
      const { rules } = (await (await request.get("/v1/plate-rules")).json()) as { rules: object[] }; // its contract
      t.hasStrict(rules, [{ plate: RIGHT, enabled: true }], "the plate that the owner kept stays");
      await theirs.goto("/gate");
      await theirs.getByRole("heading", { level: 1, name: "Gate" }).waitFor();
      for (const gone of ["Guest passes", "Plate rules", "Guests", "Rules"])
        t.equal(await theirs.getByRole("link", { name: gone, exact: true }).count(), 0, gone);
      await settled(desktop);
      t.same(stage.problems, []);
    });

    async function lookAt(shown: string): Promise<{ status: number }> {
      const answer = await stage.browser.newContext({ baseURL: stage.hub.url });
      const { request: guest } = answer;
      const looked = await guest.post("/api/guest/look", { data: { token: shown.split("#")[1] } });
      await answer.close();
      return { status: looked.status() };
    }
  },
);
