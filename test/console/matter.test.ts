/**
 * Matter in the console: switched on, a code, a PIN, what is shared. A real browser, a real hub, a real Matter process;
 * its network is the loopback interface.
 */
import t from "tap";
import { testFolder } from "../support/test-folder.ts";
import { beyond } from "./layout.ts";
import { cannotBrowse, settled, startOwnedStage, violations } from "./stage.ts";

t.setTimeout(120_000);

t.test(
  "an owner switches Matter on, shows a code, and shares the gate after choosing a PIN",
  { skip: cannotBrowse },
  async (t) => {
    // As a restore from another host leaves it.
    const stage = await startOwnedStage(testFolder(t, { matter: { restored: "" } }), {
      env: { GATEHOUSE_MATTER_PORT: "0", GATEHOUSE_MATTER_INTERFACE: "lo" },
    });
    t.teardown(stage.stop);
    const { desktop, phone } = stage.pages;
    for (const [id, name, type] of [
      ["lamp", "A".repeat(120), "light"],
      ["gate", "Driveway gate", "gate"],
      ["odd", "living_room_vacuum_2", "vacuum"],
    ])
      await desktop.request.post("/api/devices", { data: { id, name, type } });
    await desktop.goto("/system/matter");
    const matter = desktop.getByRole("switch", { name: "Matter", exact: true });
    await matter.click();
    await desktop.locator("[role=switch][aria-label='Matter'][aria-checked=true]").waitFor();
    await desktop.getByText("Off", { exact: true }).waitFor(); // it is inactive
    const pictures = process.env.MATTER_PICTURES;
    if (pictures !== undefined) await desktop.screenshot({ path: `${pictures}/restored.png`, fullPage: true });
    await desktop.getByRole("button", { name: "The other hub is off" }).click();
    await desktop.getByRole("button", { name: "Use them" }).click();
    await desktop.getByText("Running", { exact: true }).waitFor();
    t.equal(await desktop.getByRole("heading", { name: "Keys from a backup" }).count(), 0);
    // Without a network address the page explains why no phone will find the hub.
    await desktop.getByText("Phones and speakers find Matter devices by IPv6 only", { exact: false }).waitFor();

    const showGate = desktop.getByRole("switch", { name: "Show Driveway gate to Matter" });
    t.equal(await showGate.getAttribute("aria-checked"), "false", "what opens is hidden");
    t.equal(
      await desktop.getByRole("switch", { name: "Show living_room_vacuum_2 to Matter" }).count(),
      0,
      "what Matter cannot represent has no switch",
    );
    await desktop.getByRole("button", { name: "Choose", exact: true }).click();
    const pin = desktop.getByLabel("PIN", { exact: true });
    await pin.pressSequentially("1234");
    await desktop.getByRole("button", { name: "Save" }).click();
    await desktop.getByText("This is guessed first; choose another.").waitFor();
    t.equal(await pin.inputValue(), "1234", "the typed input stays");
    await pin.fill("4827");
    await desktop.getByRole("button", { name: "Save" }).click();
    await desktop.getByText("asks for the household's PIN", { exact: false }).waitFor();
    await showGate.click();
    await desktop.locator("[role=switch][aria-label='Show Driveway gate to Matter'][aria-checked=true]").waitFor();

    const show = desktop.getByRole("button", { name: "Show the code for 10 minutes" });
    await show.click();
    await desktop.getByRole("img", { name: "QR code for adding this hub by Matter" }).waitFor();
    t.match(await desktop.locator("code.secret").innerText(), /^\d{4}-\d{3}-\d{4}$/);
    await settled(desktop);
    t.same(await violations(desktop), []);
    const first = await desktop.locator("code.secret").innerText();
    await desktop.getByRole("button", { name: "Stop", exact: true }).click();
    await show.click();
    await desktop.getByRole("img", { name: "QR code for adding this hub by Matter" }).waitFor();
    t.not(await desktop.locator("code.secret").innerText(), first, "each code is new");

    await phone.goto("/system/matter");
    await phone.getByText("Running", { exact: true }).waitFor();
    await settled(phone);
    t.equal(await beyond(phone), 0, "nothing is wider than a phone");
    if (pictures !== undefined) {
      await desktop.screenshot({ path: `${pictures}/desktop.png`, fullPage: true });
      await phone.screenshot({ path: `${pictures}/phone.png`, fullPage: true });
      await phone.evaluate(
        "localStorage.setItem('gatehouse.language', 'hi'); localStorage.setItem('gatehouse.theme', 'dark')",
      );
    }
    await matter.click();
    await desktop.getByText("Off", { exact: true }).waitFor();
    // The refused PIN is the one expected answer of 400.
    t.same(
      stage.problems.filter((problem) => !/\/api\/matter\/pin|status of 400/.test(problem)),
      [],
    );
  },
);
