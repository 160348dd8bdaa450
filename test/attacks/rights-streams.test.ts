/** Connections end with their credential: event streams, the log, half-sent requests, connections of devices. */
import t, { type Test } from "tap";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually, Person } from "../support/hub-process.ts";

/** Longer than one commit of the disk, much shorter than a heartbeat of the stream (15 s). */
const AT_ONCE_MS = 1_000;

t.setTimeout(60_000); // a hub that starts, persons whose passwords are hashed
const house = await HouseholdProcess.start(t, { GATEHOUSE_MQTT_WEBSOCKET: "true" });
const { owner } = house;
const gatePassword = await house.device("gate");

t.test("a person who is removed, demoted or signed out hears nothing more", async (t) => {
  const ways: Record<string, () => Promise<{ reader: Person; path?: string; end: () => Promise<unknown> }>> = {
    "a member who is removed": async () => {
      const { person, id } = await house.join("member");
      return { reader: person, end: () => owner.call("DELETE", `/api/persons/${id}`) };
    },
    "an owner who becomes a member, on the log": async () => {
      const { person, id } = await house.join("owner");
      return {
        reader: person,
        path: "/api/stream?logs=debug",
        end: () => owner.call("PATCH", `/api/persons/${id}`, { role: "member" }),
      };
    },
    "a member whose session another ends": async () => {
      const { person, id } = await house.join("member");
      const { body } = await owner.call<{ sessions: { id: number }[] }>("GET", `/api/persons/${id}/sessions`);
      return { reader: person, end: () => owner.call("DELETE", `/api/persons/${id}/sessions/${body.sessions[0]?.id}`) };
    },
    "a person who signs out": async () => {
      const { person } = await house.join("member");
      return { reader: person, end: () => person.call("DELETE", "/api/session") };
    },
    "a session of before the password was changed": async () => {
      const { person } = await house.join("member");
      const { body } = await person.call<{ account: { email: string } }>("GET", "/api/me");
      const elsewhere = new Person(house.hub.url);
      await elsewhere.call("POST", "/api/session", {
        email: body.account.email,
        password: "a quiet sentence about rain",
      });
      const change = { password: "a louder sentence about thunder" };
      return { reader: elsewhere, end: () => person.call("POST", "/api/me/password", change) };
    },
  };
  for (const [who, begin] of Object.entries(ways)) {
    const { reader, path, end } = await begin();
    const stream = await house.stream(t, reader, path);
    const others = await house.stream(t, owner);
    await end();
    const has = await stream.endsWithin(AT_ONCE_MS);
    t.ok(has, `${who}: the stream ends`);
    const before = stream.text.length;
    await owner.call("POST", "/v1/devices/gate/commands", { open: false });
    await eventually(() => (others.text.includes("command.sent") ? true : undefined));
    t.equal(stream.text.length, before, `${who}: nothing comes after`);
    t.notOk(others.hasEnded, `${who}: other streams continue`);
    others.close();
  }
});

t.test("a half-sent request does nothing once its credential has ended", async (t) => {
  const gate = await house.connect(t, "gate", gatePassword);
  const heard: string[] = [];
  gate.on("message", (_topic, payload) => heard.push(String(payload)));
  await gate.subscribeAsync("gatehouse/gate/command", { qos: 1 });
  const command = { method: "POST", path: "/v1/devices/gate/commands" };
  const { person, id } = await house.join("member");
  const key = await house.key(["devices:control"]);
  const bySession = await house.halfSent({ ...command, headers: { Cookie: person.cookie } }, '{"open":"by session"}');
  const byKey = await house.halfSent(
    { ...command, headers: { Authorization: `Bearer ${key.secret}` } },
    '{"open":"by key"}',
  );
  await new Promise((resolve) => setTimeout(resolve, 100)); // the headers have been checked
  await owner.call("DELETE", `/api/persons/${id}`);
  await owner.call("DELETE", `/api/keys/${key.id}`);
  t.equal(await bySession.finish(), 401, "of a removed person");
  t.equal(await byKey.finish(), 401, "of a revoked key");
  await owner.call("POST", "/v1/devices/gate/commands", { open: "by the owner" });
  await eventually(() => (heard.some((text) => text.includes("owner")) ? true : undefined));
  t.same(
    heard.filter((text) => /by /.test(text)),
    ['{"open":"by the owner"}'],
  );
});

t.test(
  "a device's connections end with its password, over TCP and WebSocket, including those being set up",
  async (t) => {
    const cut = async (t: Test, id: string, end: () => Promise<unknown>): Promise<void> => {
      const password = await house.device(id, "smart-plug");
      const ended: string[] = [];
      const open = await house.connect(t, id, password);
      open.on("close", () => ended.push("tcp"));
      const web = await house.connect(t, id, password, { webSocket: true, clientId: `${id}:web` });
      web.on("close", () => ended.push("web"));
      let isOver = false;
      const survivors: { connected: boolean }[] = [];
      const knocking = Array.from({ length: 4 }, async (_, n) => {
        while (!isOver) {
          const client = await house.connect(t, id, password, { clientId: `${id}:${n}` }).catch(() => null);
          if (client !== null) survivors.push(client);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
      await end();
      isOver = true;
      await Promise.all(knocking);
      t.ok(
        await eventually(() => (survivors.every(({ connected }) => !connected) ? true : undefined), AT_ONCE_MS).catch(
          () => false,
        ),
        `${id}: none is left`,
      );
      t.same(ended.sort(), ["tcp", "web"], `${id}: both connections are cut`);
    };
    await cut(t, "plug-renewed", () => house.owner.call("POST", "/api/devices/plug-renewed/password"));
    await cut(t, "plug-removed", () => house.owner.call("DELETE", "/api/devices/plug-removed"));
  },
);
