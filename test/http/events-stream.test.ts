import { get, type IncomingMessage } from "node:http";
import t from "tap";
import { defineRoute } from "../../src/core/api/route.ts";
import { bindOpen, type EventSink } from "../../src/core/http/exchange.ts";
import { ApiHub } from "../support/api-hub.ts";
import { testFolder } from "../support/test-folder.ts";

const NOW = "2026-03-01T12:00:00.000Z";
const spec = defineRoute({
  method: "GET",
  path: "/api/stream",
  operationId: "stream",
  tag: "t",
  summary: "",
  access: { kind: "public" },
  responses: { 200: { description: "", contentType: "text/event-stream" } },
  problems: [],
});

async function openStream(t: import("tap").Test) {
  const sinks: EventSink[] = [];
  let undone = 0;
  const route = bindOpen(spec, () => ({
    status: 200,
    stream: (sink) => {
      sinks.push(sink);
      return () => {
        undone += 1;
      };
    },
  }));
  const hub = await ApiHub.open(testFolder(t), { routes: [route] });
  t.teardown(() => hub.close());
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ host: "127.0.0.1", port: hub.server.port, path: "/api/stream" }, resolve).on("error", reject);
  });
  let text = "";
  let changed = (): void => {};
  response.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
    changed();
  });
  const until = async (wanted: RegExp): Promise<void> => {
    while (!wanted.test(text)) {
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
    }
  };
  const [sink] = sinks;
  if (!sink) throw new Error("the stream did not begin");
  return { hub, response, sink, until, undone: () => undone };
}

t.test("events are sent as they come, in the event-stream format", async (t) => {
  const { response, sink, until } = await openStream(t);
  t.match(response.headers, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "private, no-cache",
  });
  sink.send("scene.activated", { sceneId: 3, name: "two\nlines", at: NOW }, "7");
  await until(
    /id: 7\nevent: scene\.activated\ndata: \{"sceneId":3,"name":"two\\nlines","at":"2026-03-01T12:00:00\.000Z"\}\n\n/,
  );
});

t.test("a quiet stream is kept alive", async (t) => {
  const { hub, until } = await openStream(t);
  hub.clock.advance(15_000);
  await until(/: still here\n\n/);
});

t.test("when the reader goes, its subscription is removed", async (t) => {
  const { hub, response, undone } = await openStream(t);
  response.destroy();
  while (hub.server.figures.streams > 0) await new Promise((resolve) => setTimeout(resolve, 2));
  t.equal(undone(), 1);
});

t.test("a stop ends every stream", async (t) => {
  const { hub, response, sink, undone } = await openStream(t);
  const ended = new Promise((resolve) => response.on("end", resolve));
  await hub.server.stop();
  await ended;
  sink.send("webhook.changed", { webhookId: 1, active: true });
  t.equal(undone(), 1);
});

t.test("a reader that does not read is disconnected before it fills the memory", async (t) => {
  const { hub, response, sink, undone } = await openStream(t);
  response.pause();
  const gone = new Promise((resolve) => response.on("close", resolve));
  const name = "x".repeat(100_000);
  for (let i = 0; i < 200 && hub.server.figures.streams > 0; i++)
    sink.send("scene.activated", { sceneId: 3, name, at: NOW });
  t.equal(hub.server.figures.streams, 0);
  t.equal(undone(), 1);
  response.resume().on("error", () => {});
  await gone;
});

t.test("one owner keeps ten streams; the oldest gives way and is asked not to reconnect soon", async (t) => {
  const { hub, response, until } = await openStream(t);
  const more: IncomingMessage[] = [];
  for (let at = 0; at < 10; at++) {
    more.push(
      await new Promise<IncomingMessage>((resolve, reject) => {
        get({ host: "127.0.0.1", port: hub.server.port, path: "/api/stream" }, resolve).on("error", reject);
      }),
    );
  }
  await until(/retry: 60000/);
  if (!response.readableEnded) await new Promise((resolve) => response.once("end", resolve));
  t.equal(hub.server.figures.streams, 10);
  for (const one of more) one.destroy();
});
