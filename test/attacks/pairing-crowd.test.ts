/**
 * One machine that connects under many names does not keep others out of the pairing window, neither this one nor the
 * next.
 */
import mqtt from "mqtt";
import t from "tap";
import { Hostile } from "../support/attacker.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually } from "../support/hub-process.ts";

t.setTimeout(60_000); // a hub that starts
const house = await HouseholdProcess.start(t);
const { owner } = house;

const field = (text: string): Buffer => Buffer.concat([Buffer.from([0, text.length]), Buffer.from(text)]);
/** An MQTT 3.1.1 CONNECT with user name and password. */
function connectPacket(name: string): Buffer {
  const body = Buffer.concat([field("MQTT"), Buffer.from([4, 0xc2, 0, 60]), field(name), field(name), field("pw")]);
  return Buffer.concat([Buffer.from([0x10, body.length]), body]);
}
const knock = async (name: string): Promise<Hostile> =>
  (await new Hostile(house.hub.mqttPort, "127.0.0.2").open()).listen().send(connectPacket(name));
const waiting = async (): Promise<string[]> => {
  const { clients } = (
    await owner.call<{ clients: { username: string; status: string }[] }>("GET", "/api/bridge/clients")
  ).body;
  return clients.filter(({ status }) => status === "pending").map(({ username }) => username);
};
/** Whether a client at another address is admitted to wait. */
async function newcomer(username: string): Promise<boolean> {
  const client = mqtt.connect(`mqtt://127.0.0.1:${house.hub.mqttPort}`, {
    username,
    password: "secret",
    reconnectPeriod: 0,
    protocolVersion: 4,
  });
  client.on("error", () => {}); // refused
  t.teardown(() => client.end(true));
  return new Promise((resolve) => {
    client.once("connect", () => resolve(true));
    client.once("close", () => resolve(false));
  });
}

t.test("a crowd from one machine and two honest clients", async (t) => {
  await owner.call("POST", "/api/bridge/pairing", { minutes: 5 });
  const crowd = await Promise.all(Array.from({ length: 60 }, (_, at) => knock(`crowd${at}`)));
  t.teardown(() => {
    for (const { socket } of crowd) socket.destroy();
  });
  await eventually(async () => ((await waiting()).length >= 50 ? true : undefined));
  t.ok(await newcomer("plug"), "an honest one has a place");
  t.ok(await newcomer("lamp"));
  const late = await knock("late");
  t.teardown(() => late.socket.destroy());
  t.ok(await late.over(5_000), "the crowd displaces no other client");
  const names = await waiting();
  t.equal(names.length, 50);
  t.ok(names.includes("plug") && names.includes("lamp") && !names.includes("late"));
  t.ok(
    crowd.filter(({ isOver }) => isOver).length >= 12,
    "displaced clients are disconnected, as are those that found no place",
  );
  await owner.call("DELETE", "/api/bridge/pairing");
  await owner.call("POST", "/api/bridge/pairing", { minutes: 5 });
  t.ok(await newcomer("sensor"), "the crowd's list does not fill the next window");
});
