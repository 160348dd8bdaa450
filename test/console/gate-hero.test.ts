/**
 * What Home says of the last car and the picture beside it belong to the same sighting, whatever comes late or out of
 * order. A real browser and a real hub with the demo's house; only the order of the answers is the test's.
 */
import type { Page, Route } from "playwright-core";
import t from "tap";
import type { GateRead } from "../../src/features/gate/resources/gate-read.ts";
import { eventually, Person, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { startBrowser } from "./browser.ts";
import { cannotBrowse, SIZES } from "./stage.ts";

t.setTimeout(180_000);

/** What an image element of the page says of itself. */
interface Drawn {
  readonly complete: boolean;
  readonly naturalWidth: number;
  readonly currentSrc: string;
  readonly dataset: Record<string, string>;
}

interface Overview {
  readonly devices: { readonly devices: readonly { readonly id: string; readonly state: object }[] };
}

/** The plate in the words of the hero, and the sighting whose picture has been drawn beside it. */
async function heroOf(page: Page): Promise<{ plate: string | null; drawn: number | null }> {
  const plate = await page.locator(".hero .plate").textContent();
  const drawn = await page.locator(".hero-picture img").evaluateAll((images) =>
    images.flatMap((image) => {
      const { complete, naturalWidth, currentSrc, dataset } = image as unknown as Drawn;
      if (complete && naturalWidth > 0) dataset.drawn = /(\d+)\/(?:small|image)/.exec(currentSrc)?.[1] ?? "";
      return dataset.drawn ?? [];
    }),
  );
  return { plate, drawn: drawn[0] === undefined ? null : Number(drawn[0]) };
}

t.test("the words and the picture of Home are of the same car", { skip: cannotBrowse }, async (t) => {
  const hub = await startHubProcess(testFolder(t), { GATEHOUSE_DEMO: "true", GATEHOUSE_RECOGNITION: "false" });
  t.teardown(() => hub.stop());
  const owner = new Person(hub.url);
  await owner.claim(hub.claimCode ?? "");
  const all = await eventually(async () => {
    const { body } = await owner.call<{ reads: GateRead[] }>("GET", "/api/reads?limit=50");
    return body.reads.length >= 50 ? body.reads : undefined;
  }, 60_000);
  const pictured = all.filter(({ plate, hasImage }) => plate !== null && hasImage);
  const car = (plate: string | undefined): GateRead => {
    const found = pictured.find((read) => read.plate === plate);
    if (found === undefined) throw new Error(`no picture of ${plate}`);
    return found;
  };
  const plates = [...new Set(pictured.map(({ plate }) => plate ?? ""))];
  const [first, second, third] = [car(plates[0]), car(plates[1]), car(plates[2])];

  const browser = await startBrowser();
  t.teardown(() => browser.close());
  const context = await browser.newContext({ baseURL: hub.url, viewport: SIZES.desktop, serviceWorkers: "block" });
  t.teardown(() => context.close());
  const [, name = "", value = ""] = /^([^=]+)=(.*)$/.exec(owner.cookie) ?? [];
  await context.addCookies([{ name, value, url: hub.url }]);
  const page = await context.newPage();
  let shown: readonly GateRead[] = [first];
  let isOpened = false;
  /** Answers that wait, by what they are asked for. */
  const held = new Map<string, Route[]>();
  const hold = (what: string): void => void held.set(what, []);
  const release = async (what: string, answer: (route: Route) => Promise<void>): Promise<void> => {
    const waiting = held.get(what) ?? [];
    held.delete(what);
    for (const route of waiting) await answer(route);
  };
  await page.route("**/api/overview", async (route) => {
    const answer = await route.fetch();
    const overview = (await answer.json()) as Overview; // its contract
    const devices = overview.devices.devices.map((device) =>
      isOpened && device.id === "demo-gate"
        ? { ...device, state: { ...device.state, position: "open", open: true, percent: 100 } }
        : device,
    );
    await route.fulfill({ json: { ...overview, devices: { devices }, reads: { reads: shown } } });
  });
  await page.route("**/api/reads?*", async (route) => {
    const waiting = held.get("reads");
    if (waiting !== undefined) waiting.push(route);
    else await route.fulfill({ json: { reads: shown, next: null } });
  });
  for (const read of pictured)
    for (const path of [`**/api/reads/${read.id}/small*`, `**/v1/plates/${read.id}/image*`])
      await page.route(path, async (route) => {
        const waiting = held.get(`picture ${read.id}`);
        if (waiting !== undefined) waiting.push(route);
        else await route.continue();
      });
  let rules = 0;
  /** Something happens at the gate: the page asks again. */
  const happens = async (): Promise<void> => {
    rules += 1;
    const { status } = await owner.call("POST", "/v1/plate-rules", { plate: `KA09AB10${10 + rules}`, kind: "allow" });
    t.equal(status, 201);
  };
  const says = (read: GateRead) => page.locator(".hero .plate", { hasText: read.formatted ?? "" }).waitFor();
  const isDrawn = (read: GateRead) =>
    eventually(async () => ((await heroOf(page)).drawn === read.id ? true : undefined), 20_000);

  await page.goto("/");
  await says(first);
  await isDrawn(first);

  await t.test("while the picture of the next one is on its way, there is none", async (t) => {
    hold(`picture ${second.id}`);
    shown = [second, first];
    await happens();
    await says(second);
    t.equal((await heroOf(page)).drawn, null);
    await release(`picture ${second.id}`, (route) => route.continue());
    await isDrawn(second);
  });

  await t.test("a car without a picture has none of another, and one that comes later is its own", async (t) => {
    shown = [{ ...third, hasImage: false }, second, first];
    await happens();
    await says(third);
    t.same(await heroOf(page), { plate: third.formatted, drawn: null });
    t.equal(await page.locator(".hero-picture").count(), 0);
    shown = [third, second, first];
    await happens();
    await isDrawn(third);
    t.equal((await heroOf(page)).plate, third.formatted);
  });

  await t.test("an answer that was overtaken changes nothing", async (t) => {
    hold("reads");
    await happens();
    await eventually(async () => ((held.get("reads") ?? []).length > 0 ? true : undefined), 20_000);
    const late = held.get("reads") ?? [];
    held.delete("reads");
    shown = [first];
    await happens();
    await says(first);
    for (const route of late) await route.fulfill({ json: { reads: [second, third], next: null } });
    await isDrawn(first);
    t.equal((await heroOf(page)).plate, first.formatted);
  });

  await t.test("a gate that did not close once is no danger when it opens for the next car", async (t) => {
    isOpened = true; // and of the days before Home knows that it did not close once
    const did = page.locator(".danger-place").getByText("Did not close", { exact: false });
    const arriving: GateRead = { ...first, opens: "demo-gate", gateWasOpen: false, at: new Date().toISOString() };
    const opened = { result: "opened", reason: null, deviceId: "demo-gate" } as const;
    for (const [now, dangers] of [
      [first.gate === null ? null : { ...first.gate, ...opened }, 0],
      [null, 1],
    ] as const) {
      shown = [{ ...arriving, gate: now }];
      await page.goto("/");
      await page.locator('.hero-state[data-open="true"]').waitFor();
      if (dangers > 0) await did.first().waitFor();
      t.equal(await did.count(), dangers);
    }
  });
});
