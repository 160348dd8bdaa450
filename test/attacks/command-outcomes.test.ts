/**
 * The outcome of a command on a real device: acknowledged, offline, unresponsive; and a crowd of unanswered commands.
 */
import t from "tap";
import { EventReader } from "../support/event-reader.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually } from "../support/hub-process.ts";

t.setTimeout(60_000);
const house = await HouseholdProcess.start(t, { COMMAND_TTL: "2" });
const password = await house.device("plug", "smart-plug");
const key = await house.key(["devices:control"]);
const send = async (command: object, as = key): Promise<number> =>
  (await house.ask(as, "POST", "/v1/devices/plug/commands", command)).body.commandId;
const becomes = (id: number, status: string): Promise<object> =>
  eventually(async () => {
    const { body } = await house.ask(key, "GET", `/v1/commands/${id}`);
    return body.command?.status === status ? body.command : undefined;
  });

t.test("the sender follows only its own commands through the stream", async (t) => {
  const other = await house.key(["devices:control"]);
  const mine = await EventReader.open(t, `${house.hub.url}/v1/stream?types=command.changed`, { key: key.secret });
  const theirs = await EventReader.open(t, `${house.hub.url}/v1/stream`, { key: other.secret });
  await mine.named("stream.ready");
  await theirs.named("stream.ready");
  const away = await send({ power: true });
  t.match(await becomes(away, "pending"), { reason: null });
  t.hasStrict(await becomes(away, "expired"), { reason: "device_away" });
  const plug = await house.connect(t, "plug", password);
  await plug.subscribeAsync("gatehouse/plug/command", { qos: 1 });
  const taken = await send({ power: false });
  t.match(await becomes(taken, "acknowledged"), { acknowledgedAt: /Z$/ });
  const outcomes = async (id: number, count: number): Promise<string[]> =>
    eventually(() => {
      const found = mine.events.filter(({ data }) => data.data.commandId === id).map(({ data }) => data.data.status);
      return found.length >= count ? found : undefined;
    });
  t.same(await outcomes(away, 2), ["pending", "expired"]);
  t.equal((await outcomes(taken, 1)).at(-1), "acknowledged");
  t.same(theirs.names, ["stream.ready"], "another key of the household hears nothing of it");
  t.equal((await house.ask(other, "GET", `/v1/commands/${taken}`)).status, 404);
  await plug.endAsync(true);
});

t.test(
  "commands that the device never acknowledges all end as unanswered, even beyond those being watched",
  async (t) => {
    const deaf = await house.connect(t, "plug", password);
    deaf.handleMessage = () => {}; // takes the packet and never acknowledges it
    await deaf.subscribeAsync("gatehouse/plug/command", { qos: 1 });
    const ids: number[] = [];
    for (let n = 0; n < 3; n++) {
      const sender = await house.key(["devices:control", "devices:read"]);
      for (let m = 0; m < 15; m++) ids.push(await send({ n, m }, sender));
    }
    const reader = await house.key(["devices:read"]);
    const statuses = await eventually(async () => {
      const all = await Promise.all(
        ids.map(async (id) => (await house.ask(reader, "GET", `/v1/commands/${id}`)).body.command),
      );
      return all.every(({ status }) => status === "expired") ? all : undefined;
    }, 15_000);
    t.same([...new Set(statuses.map(({ reason }) => reason))], ["no_answer"]);
    t.equal(new Set(ids).size, 45);
  },
);
