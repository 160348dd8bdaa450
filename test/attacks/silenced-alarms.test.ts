/** Nobody's act keeps a message from others that they were not told by another one. */
import t from "tap";
import { startConsoleHub } from "../support/console-hub.ts";
import { startNtfy } from "../support/receivers.ts";

t.setTimeout(60_000);
const soon = async (isSo: () => boolean) => {
  for (let tries = 0; tries < 400 && !isSo(); tries++) await new Promise((resolve) => setTimeout(resolve, 50));
};

t.test("a lock that is forced just after somebody has opened it", async (t) => {
  const home = await startConsoleHub(t);
  const { access, feed } = home.hub;
  const ntfy = await startNtfy(t);
  await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
  await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga-7Q2" });
  const siteId = access.accounts.siteIdOf(access.accounts.owner()?.id ?? 0, "live");
  await home.call("POST", "/api/devices", { id: "front", name: "Front door", type: "lock" });
  const { database, clock } = home.hub.base;
  const record = (item: object) =>
    database.write(() => feed.feed.record({ siteId, deviceId: "front", at: clock.now(), ...item } as never));
  // by the usual choices, an opening is a line in the console, and an event of a device goes to phones
  await record({ kind: "gate.opened", by: 999, title: "Meena opened Front door", body: "" });
  await record({ kind: "device.event", title: "Front door was forced", body: "tamper" });
  await soon(() => ntfy.messages.length > 0);
  t.match(ntfy.messages, [{ title: "Front door was forced" }], "the phone rings");
});

t.test("a bell just before the door opens", async (t) => {
  const home = await startConsoleHub(t);
  const { access, feed } = home.hub;
  const ntfy = await startNtfy(t);
  await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
  await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga-7Q2" });
  await home.call("PATCH", "/api/notifications/preferences", {
    topics: { event: { channels: [], urgent: false }, opened: { channels: ["ntfy"], urgent: true } },
  });
  const siteId = access.accounts.siteIdOf(access.accounts.owner()?.id ?? 0, "live");
  await home.call("POST", "/api/devices", { id: "front", name: "Front door", type: "lock" });
  const { database, clock } = home.hub.base;
  const record = (item: object) =>
    database.write(() => feed.feed.record({ siteId, deviceId: "front", at: clock.now(), ...item } as never));
  await record({ kind: "device.event", title: "Somebody rings at Front door", body: "ring" });
  await record({ kind: "gate.opened", by: 999, title: "Meena opened Front door", body: "" });
  await soon(() => ntfy.messages.length > 0);
  t.match(ntfy.messages, [{ title: "Meena opened Front door" }], "who chose to be told of openings alone is told");
});

t.test("a lock that says more than that it is open, to who was told who opened it", async (t) => {
  const home = await startConsoleHub(t);
  const { access, feed, devices } = home.hub;
  const ntfy = await startNtfy(t);
  await home.call("PUT", "/api/notifications/channels/ntfy", { enabled: true, server: ntfy.url, pictures: false });
  await home.call("PUT", "/api/notifications/ntfy-topic", { topic: "olga-7Q2" });
  await home.call("PATCH", "/api/notifications/preferences", {
    topics: { opened: { channels: ["ntfy"], urgent: true }, event: { channels: ["ntfy"], urgent: true } },
  });
  const owner = access.accounts.owner()?.id ?? 0;
  const siteId = access.accounts.siteIdOf(owner, "live");
  const { database, clock } = home.hub.base;
  const opened = (deviceId: string, by: number) =>
    database.write(() =>
      feed.feed.record({
        siteId,
        deviceId,
        at: clock.now(),
        kind: "gate.opened",
        by,
        title: `${deviceId}: who`,
        body: "",
      }),
    );
  const says = (deviceId: string, kind: string) =>
    devices.events.record(deviceId, { kind, title: `${deviceId}: ${kind}` }, clock.now());
  for (const id of ["front", "back"]) await home.call("POST", "/api/devices", { id, name: id, type: "lock" });
  await opened("front", 999);
  for (const kind of ["unlocked", "forced_open"]) await says("front", kind);
  await opened("back", owner);
  for (const kind of ["opened", "tamper"]) await says("back", kind);
  await soon(() => ntfy.messages.length > 2);
  t.same(
    ntfy.messages.map(({ title }) => title).sort(),
    ["back: tamper", "front: forced_open", "front: who"],
    "that it is open is one message, or none for who opened it; an alarm is one of its own",
  );
});
