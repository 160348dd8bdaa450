/** Endless messages from one sender neither push others' items out of the feed nor fill the disk. */
import t from "tap";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually } from "../support/hub-process.ts";

t.setTimeout(60_000); // a hub that starts
const house = await HouseholdProcess.start(t, { GATEHOUSE_MQTT_MESSAGES_PER_SECOND: "0" });
const { owner } = house;

interface Item {
  readonly kind: string;
  readonly title: string;
}
const feed = async (): Promise<Item[]> =>
  (await owner.call<{ events: Item[] }>("GET", "/v1/events?limit=500")).body.events;
const count = (items: readonly Item[], kind: string): number => items.filter((item) => item.kind === kind).length;

t.test("a device's events and firmware versions", async (t) => {
  const bell = await house.connect(t, "bell", await house.device("bell", "sensor"));
  const rule = {
    name: "last",
    trigger: { type: "event", deviceId: "bell", kind: "last" },
    action: { type: "notify", title: "heard", body: "" },
  };
  t.equal((await owner.call("POST", "/v1/automations", rule)).status, 201);
  const say = (at: number): Promise<unknown>[] => [
    bell.publishAsync("gatehouse/bell/event", `{"kind":"ring","title":"${at}"}`, { qos: 1 }),
    bell.publishAsync("gatehouse/bell/info", `{"firmware":"${at}"}`, { qos: 1 }),
  ];
  for (let round = 0; round < 6; round++)
    await Promise.all(Array.from({ length: 50 }, (_, at) => say(round * 50 + at)).flat());
  await bell.publishAsync("gatehouse/bell/event", '{"kind":"last"}', { qos: 1 });
  const items = await eventually(async () => {
    const found = await feed();
    return count(found, "automation.notify") > 0 ? found : undefined;
  });
  t.equal(items.filter(({ title }) => title === "heard").length, 1, "rules hear every event");
  for (const kind of ["device.event", "device.firmware"]) {
    t.ok(count(items, kind) >= 200, `${kind}: the device's allowance is there`);
    t.ok(count(items, kind) < 240, `${kind}: ${count(items, kind)} of 300`);
  }
});

t.test("messages from the rules of one key, in the feed and at the receiver on the LAN", async (t) => {
  const key = await house.key(["automations:write"]);
  const action = {
    type: "sequence",
    actions: Array.from({ length: 50 }, () => ({ type: "notify", title: "flood", body: "" })),
  };
  for (let made = 0; made < 4; made++) {
    const answer = await house.ask(key, "POST", "/v1/automations", {
      name: "flood",
      trigger: { type: "interval", everySeconds: 1 },
      action,
    });
    t.equal(answer.status, 201);
  }
  await new Promise((resolve) => setTimeout(resolve, 3_500)); // 600 messages and more
  const own = {
    name: "own",
    trigger: { type: "time", at: "03:00" },
    action: { type: "notify", title: "the owner's", body: "" },
  };
  const made = await owner.call<{ automation: { id: number } }>("POST", "/v1/automations", own);
  await owner.call("POST", `/api/automations/${made.body.automation.id}/run`);
  const items = await eventually(async () => {
    const found = await feed();
    return found.some(({ title }) => title === "the owner's") ? found : undefined;
  });
  const floods = items.filter(({ title }) => title === "flood").length;
  t.ok(floods >= 60 && floods < 70, `${floods} messages`);
});
