/**
 * A button's event is taken once, although its client sends it again because the PUBACK was lost with the connection:
 * a real hub, and packets written by hand.
 */

import { createRequire } from "node:module";
import { connect, type Socket } from "node:net";
import t, { type Test } from "tap";
import { eventually, type Person, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(60_000);
const { generate } = createRequire(createRequire(import.meta.url).resolve("mqtt"))("mqtt-packet") as {
  generate: (packet: object) => Buffer;
};
const PUBACK = 0x40;

/** A button that decides itself under which packet id it sends, and what it takes for lost. */
class Button {
  readonly #socket: Socket;
  readonly #acknowledged = new Set<number>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    let bytes = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (; bytes.length >= 2 && bytes.length >= 2 + (bytes[1] ?? 0); bytes = bytes.subarray(2 + (bytes[1] ?? 0)))
        if (bytes[0] === PUBACK) this.#acknowledged.add(bytes.readUInt16BE(2));
    });
    socket.on("error", () => {});
  }

  static async on(port: number, password: string): Promise<Button> {
    const socket = connect(port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    const button = new Button(socket);
    const session = { protocolId: "MQTT", protocolVersion: 4, clean: false, clientId: "bell", keepalive: 60 };
    socket.write(generate({ cmd: "connect", ...session, username: "bell", password: Buffer.from(password) }));
    return button;
  }

  /** Sends a press; resolves with its PUBACK. */
  async press(messageId: number, { dup = false, title = "" } = {}): Promise<void> {
    const payload = JSON.stringify({ kind: "button", title });
    this.#acknowledged.delete(messageId);
    this.#socket.write(
      generate({ cmd: "publish", topic: "gatehouse/bell/event", payload, qos: 1, messageId, dup, retain: false }),
    );
    await eventually(() => (this.#acknowledged.has(messageId) ? true : undefined), 10_000);
  }

  /** As when the Wi-Fi goes away. */
  lose(): void {
    this.#socket.destroy();
  }
}

/** The titles of all presses in the feed, the earliest first. */
async function presses(owner: Person): Promise<string[]> {
  const { body } = await owner.call<{ events: { kind: string; title: string }[] }>("GET", "/v1/events?limit=100");
  return body.events.flatMap(({ kind, title }) => (kind === "device.event" ? [title] : [])).reverse();
}

async function bell(t: Test) {
  const { hub, owner } = await startOwnedHub(testFolder(t));
  t.teardown(() => hub.stop());
  const { body } = await owner.call<{ password: string }>("POST", "/api/devices", {
    id: "bell",
    name: "Bell",
    type: "button",
  });
  return { owner, again: () => Button.on(hub.mqttPort, body.password) };
}

t.test("with the DUP flag", async (t) => {
  const { owner, again } = await bell(t);
  let button = await again();
  await button.press(40, { title: "one" });
  button.lose();
  button = await again();
  await button.press(40, { title: "one", dup: true });
  t.same(await presses(owner), ["one"], "what was stored is acknowledged, and not stored again");
  await button.press(41, { title: "two", dup: true });
  t.same(await presses(owner), ["one", "two"], "what never arrived is stored, although it is marked as sent before");
  await button.press(42, { title: "two" });
  t.same(await presses(owner), ["one", "two", "two"], "the same words under another id are another press");
  await button.press(40, { title: "three", dup: true });
  t.same(await presses(owner), ["one", "two", "two", "three"], "an id that is used again is another press");
  button.lose();
});

t.test("from a library that leaves the DUP flag out", async (t) => {
  const { owner, again } = await bell(t);
  let button = await again();
  for (const id of [40, 41]) await button.press(id, { title: `${id}` });
  button.lose();
  button = await again();
  for (const id of [40, 41, 42]) await button.press(id, { title: `${id}` });
  t.same(await presses(owner), ["40", "41", "42"]);
  await button.press(41, { title: "41" });
  t.same(await presses(owner), ["40", "41", "42", "41"], "after something new, an equal press is a press");
  button.lose();
});

t.test("a press that came twice while the first was being stored is one press", async (t) => {
  const { owner, again } = await bell(t);
  const button = await again();
  await Promise.all([button.press(40, { title: "one" }), button.press(40, { title: "one", dup: true })]);
  t.same(await presses(owner), ["one"]);
  button.lose();
});
