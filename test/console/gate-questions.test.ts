/**
 * A vehicle waits at a gate, and a person with a phone lets it in: a real browser, a camera's pictures, a gate over
 * MQTT.
 */
import t from "tap";
import { anotherFrame, photographs, withoutModels } from "../support/photographs.ts";
import { testFolder } from "../support/test-folder.ts";
import { overlaps } from "./layout.ts";
import { cannotBrowse, connectDevice, settled, startOwnedStage, violations, visit } from "./stage.ts";

t.setTimeout(120_000);
const [ASHA, , STRANGER] = await photographs();

t.test("the question comes with the picture, and one tap opens", { skip: cannotBrowse || withoutModels }, async (t) => {
  const stage = await startOwnedStage(testFolder(t));
  t.teardown(stage.stop);
  const { phone, desktop } = stage.pages;
  const { request } = desktop;
  const connect = async (id: string, name: string, type: string) => {
    const made = (await (await request.post("/api/devices", { data: { id, name, type } })).json()) as {
      password: string;
    }; // its contract
    const connected = await connectDevice(stage, id, made.password);
    t.teardown(() => connected.client.endAsync(true));
    return connected;
  };
  const gate = await connect("gate", "Driveway gate", "gate");
  const { client } = await connect("cam", "Entry camera", "camera");
  await request.patch("/api/cameras/cam", {
    data: { direction: "in", gate: { deviceId: "gate", command: { open: true } } },
  });
  let captures = 0;
  const sees = async ({ jpeg }: { readonly jpeg: Buffer }): Promise<void> => {
    captures += 1;
    await client.publishAsync(`gatehouse/cam/capture/${captures}/0`, anotherFrame(jpeg), { qos: 1 });
    const done = JSON.stringify({ trigger: "motion", frames: 1 });
    await client.publishAsync(`gatehouse/cam/capture/${captures}/done`, done, { qos: 1 });
  };

  await t.test("a rule sets what its plate may do, and the console warns that a plate is not a key", async (t) => {
    await visit(desktop, "/gate/rules");
    await settled(desktop);
    await desktop.getByText("A plate is a convenience, not a key").first().waitFor();
    await desktop.getByRole("button", { name: "Add a plate rule" }).click();
    const dialog = desktop.getByRole("dialog");
    await dialog.getByLabel("Plate", { exact: true }).fill(ASHA.plate);
    await dialog.getByLabel("Whose is it?").fill("Asha's scooter");
    await dialog.getByLabel("When it comes").selectOption("confirm");
    await dialog.getByRole("button", { name: "Save" }).click();
    await desktop.getByText("The gate opens after confirmation").first().waitFor();
    t.same(await violations(desktop), []);
    await visit(desktop, "/gate/cameras/cam");
    await desktop.getByText("A plate is a convenience, not a key").waitFor();
  });

  await t.test("on a phone of 360 pixels", async (t) => {
    await phone.setViewportSize({ width: 360, height: 740 });
    await phone.goto("/");
    await settled(phone);
    const shown = phone.evaluate(`new Promise((resolve) => {
      const look = () => {
        const picture = document.querySelector(".question img");
        if (picture?.complete && picture.naturalWidth > 0) resolve(Date.now());
        else requestAnimationFrame(look);
      };
      setTimeout(() => resolve(0), 20_000);
      look();
    })`);
    await sees(ASHA);
    const shownAt = Number(await shown);
    const { questions } = (await (await request.get("/v1/gate-questions")).json()) as {
      questions: { askedAt: string }[];
    }; // its contract
    const took = shownAt - Date.parse(questions[0]?.askedAt ?? "");
    t.comment(`from the read to the picture on the phone: ${took} ms`);
    t.ok(took >= 0, `${took} ms`);
    t.same(gate.commands, []);
    const card = phone.locator(".question");
    await card.getByText("Asha's scooter · Entry camera").waitFor();
    t.same(await violations(phone), []);
    t.same(await overlaps(phone), []);
    await card.getByRole("button", { name: "Open", exact: true }).click();
    await card.waitFor({ state: "detached" });
    t.same(gate.commands, ['{"open":true}'], "one tap");
    await visit(phone, "/activity");
    await phone.getByText(/ · Let in by Asha Rao$/).waitFor();
  });

  await t.test("nobody is asked about an unknown vehicle, and the console says why the gate stays shut", async (t) => {
    await visit(phone, "/gate");
    await sees(STRANGER);
    await phone.locator(".read-row", { hasText: "On no list" }).first().waitFor();
    t.equal(await phone.locator(".question").count(), 0);
    await sees(ASHA);
    await phone.locator(".question").getByRole("button", { name: "Keep it shut" }).click();
    await phone.getByText("Asha Rao said no", { exact: true }).waitFor();
    await phone.getByText("Let in by Asha Rao").waitFor();
    await phone.locator(".read-row", { hasText: "Asha Rao said no" }).getByRole("link").click();
    const chain = phone.locator(".chain");
    await chain.getByText(/^Asked at /).waitFor();
    t.match(await chain.innerText(), /Asha Rao said no after \d+\s(s|min)/);
    t.equal(gate.commands.length, 1);
  });
  t.same(stage.problems, []);
});
