/**
 * Every page at every common width, in a house without devices and in one of two hundred with realistic names. The long
 * form (`npm run test:long`); `console.test.ts` and `home.test.ts` cover some of them each time.
 */
import t from "tap";
import { Person } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { fits, PATTERNS, SCREENS, type Width } from "./layout.ts";
import { cannotBrowse, startStage } from "./stage.ts";

t.setTimeout(1_200_000);
const DEVICES = 200;
const NAMES = ["0x00158d0001a2b3c4", "living_room_ceiling_light_2", "A".repeat(120), "बैठक की छत वाली बड़ी बत्ती"];
const TYPES = ["smart-plug", "sensor", "dimmer", "cover", "thermostat", "lock", "gate", "camera", "home-hub"];
const ROOMS = ["Kitchen", "Children’s room on the first floor towards the garden", "R".repeat(80)];
const WIDTHS = Object.keys(SCREENS).map(Number) as Width[]; // keys of a literal
const PAGES = PATTERNS.filter((pattern) => !pattern.includes(":"));
const isLong = process.env.GATEHOUSE_TEST_LONG === "1";

t.test("no device and two hundred", { skip: cannotBrowse || (!isLong && "the long form has it") }, async (t) => {
  const stage = await startStage(testFolder(t));
  t.teardown(stage.stop);
  await new Person(stage.hub.url).claim(stage.hub.claimCode ?? "");
  const { desktop } = stage.pages;
  const login = { email: "asha@example.org", password: "correct horse battery staple" };
  await desktop.request.post("/api/session", { data: login });
  for (const [language, colorScheme] of [
    ["en", "light"],
    ["hi", "dark"],
  ] as const) {
    await desktop.emulateMedia({ colorScheme });
    await desktop.goto("/");
    await desktop.evaluate(`localStorage.setItem("gatehouse.language", "${language}")`);
    await desktop.goto("/");
    await fits(desktop, PAGES, WIDTHS, t, ` with none, ${language}`);
  }
  for (let i = 0; i < DEVICES; i += 25)
    await Promise.all(
      Array.from({ length: 25 }, (_, n) => i + n).map((n) =>
        desktop.request.post("/api/devices", {
          data: {
            id: `d-${n}`,
            name: n < 2 * NAMES.length ? NAMES[n % NAMES.length] : `Device ${n}`,
            type: TYPES[n % TYPES.length],
            favorite: n % 12 === 0,
            ...(n % 4 === 3 ? {} : { room: ROOMS[n % 3] }),
          },
        }),
      ),
    );
  const further = ["/devices/d-2", "/devices/d-5", "/gate/cameras/d-7", "/rooms/none", "/rooms/favourites", "/?q=a"];
  for (const [language, colorScheme] of [
    ["hi", "light"],
    ["en", "dark"],
  ] as const) {
    await desktop.emulateMedia({ colorScheme });
    await desktop.evaluate(`localStorage.setItem("gatehouse.language", "${language}")`);
    await desktop.goto("/");
    await fits(desktop, [...PAGES, ...further], WIDTHS, t, ` with ${DEVICES}, ${language}`);
  }
  t.same(stage.problems, []);
});
