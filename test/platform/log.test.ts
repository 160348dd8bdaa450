import t from "tap";
import { createLogger } from "../../src/core/platform/log.ts";

let now = 0;

function capture(format: "json" | "text"): { lines: string[]; logger: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  return { lines, logger: createLogger({ level: "info", format, write: (line) => lines.push(line), mono: () => now }) };
}

t.test("JSON lines carry time, level, fields; secrets are hidden at every depth", (t) => {
  const { lines, logger } = capture("json");
  logger.info({ deviceId: "plug", password: "hunter2", request: { authorization: "Bearer gth_live_x" } }, "hello");
  logger.debug({}, "not this");
  t.equal(lines.length, 1);
  const line = JSON.parse(lines[0] ?? "");
  t.match(line, {
    level: 30,
    deviceId: /^plug$/,
    msg: "hello",
    password: "[hidden]",
    request: { authorization: "[hidden]" },
  });
  t.match(line.time, /^\d{4}-\d\d-\d\dT.*Z$/);
  t.end();
});

t.test("text lines are for people: time, level, message, fields, and the stack only for errors", (t) => {
  const { lines, logger } = capture("text");
  logger.warn({ port: 1883, err: new Error("taken") }, "cannot listen");
  logger.error({ err: new Error("broken") }, "failed");
  t.match(lines[0], /^\d\d:\d\d:\d\d warn {2}cannot listen {2}port=1883\n {4}taken\n$/);
  t.match(lines[1], /ERROR failed\n {4}Error: broken\n {4,}at /);
  t.end();
});

t.test("one message is written 50 times in 10 s; the number omitted is in the next one", (t) => {
  const { lines, logger } = capture("json");
  for (let at = 0; at < 1_000; at++) logger.warn({ at }, "request refused");
  logger.info({}, "something else");
  t.equal(lines.length, 51, "another message is written meanwhile");
  now += 10_001;
  logger.warn({ at: 1_000 }, "request refused");
  t.same(
    lines
      .slice(51)
      .map((line) => JSON.parse(line))
      .map(({ msg, more, at }) => ({ msg, more, at })),
    [
      { msg: "request refused (left out)", more: 950, at: undefined },
      { msg: "request refused", more: undefined, at: 1_000 },
    ],
  );
  t.end();
});
