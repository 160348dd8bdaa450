import { get } from "node:http";
import t from "tap";
import { createLogger } from "../../../src/core/platform/log.ts";
import { LogRing } from "../../../src/core/platform/log-ring.ts";
import { startConsoleHub } from "../../support/console-hub.ts";

t.test("the log is listed, filtered, and followed; secrets are hidden", async (t) => {
  const log = new LogRing();
  const logger = createLogger({
    level: "debug",
    format: "json",
    write: () => {},
    kept: log,
    mono: () => performance.now(),
  });
  const { call, port, cookie } = await startConsoleHub(t, { log });
  logger.child({ part: "mqtt" }).info({ deviceId: "plug-1", password: "hush" }, "connected");
  logger.child({ part: "cameras" }).warn({ address: "rtsp://admin:hush@192.168.1.9/main" }, "a camera stream ended");
  logger.error({ err: new Error("no such file") }, "it failed");
  const { lines, parts } = (await call("GET", "/api/logs")).body;
  t.match(lines, [
    { level: "info", part: "mqtt", message: "connected", detail: /deviceId=plug-1/ },
    { level: "warn", part: "cameras" },
    { level: "error", part: null, detail: /no such file/ },
  ]);
  t.strictSame(parts, ["cameras", "mqtt"]);
  t.notMatch(JSON.stringify(lines), /hush/);
  const messages = async (query: string): Promise<string[]> =>
    (await call("GET", `/api/logs?${query}`)).body.lines.map((line: { message: string }) => line.message);
  t.strictSame(await messages("level=warn"), ["a camera stream ended", "it failed"]);
  t.strictSame(await messages("part=mqtt"), ["connected"]);
  t.strictSame(await messages("text=PLUG-1"), ["connected"]);
  t.strictSame(await messages("limit=1"), ["it failed"]);

  const seen = await new Promise<string>((resolve, reject) => {
    const request = get(
      { port, host: "127.0.0.1", path: "/api/stream?logs=warn", headers: { Cookie: cookie } },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString();
          if (text.includes("retry:") && !text.includes("event: log")) {
            logger.info({}, "not asked for");
            logger.warn({}, "something odd");
          }
          if (text.includes("event: log") && text.includes("\n\n", text.indexOf("event: log"))) {
            response.destroy();
            resolve(text);
          }
        });
      },
    );
    request.on("error", reject);
  });
  t.match(seen, /event: log\.line\ndata: \{.*"message":"something odd"/);
  t.notMatch(seen, /not asked for/);
});

t.test("the ring is bounded", async (t) => {
  const log = new LogRing();
  const logger = createLogger({
    level: "info",
    format: "json",
    write: () => {},
    kept: log,
    mono: () => performance.now(),
  });
  for (let i = 1; i <= 1_005; i++) logger.info({}, `line ${i}`);
  t.equal(log.lines().length, 1_000);
  t.match(log.lines()[0], { id: 6, message: "line 6" });
});
