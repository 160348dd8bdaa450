import t from "tap";
import { createLogger } from "../../src/platform/log.js";

function capture(format: "json" | "text"): { lines: string[]; logger: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  return { lines, logger: createLogger({ level: "info", format, write: (line) => lines.push(line) }) };
}

t.test("JSON lines carry time, level, fields; secrets are hidden at every depth", (t) => {
  const { lines, logger } = capture("json");
  logger.info({ deviceId: "plug", password: "hunter2", request: { authorization: "Bearer gth_live_x" } }, "hello");
  logger.debug({}, "not this");
  t.equal(lines.length, 1);
  const line = JSON.parse(lines[0] ?? "");
  t.match(line, { level: 30, deviceId: "plug", msg: "hello", password: "[hidden]", request: { authorization: "[hidden]" } });
  t.match(line.time, /^\d{4}-\d\d-\d\dT.*Z$/);
  t.end();
});

t.test("text lines are for people: time, word, message, fields, and the stack only for errors", (t) => {
  const { lines, logger } = capture("text");
  logger.warn({ port: 1883, err: new Error("taken") }, "cannot listen");
  logger.error({ err: new Error("broken") }, "failed");
  t.match(lines[0], /^\d\d:\d\d:\d\d warn {2}cannot listen {2}port=1883\n {4}taken\n$/);
  t.match(lines[1], /ERROR failed\n {4}Error: broken\n {4,}at /);
  t.end();
});
