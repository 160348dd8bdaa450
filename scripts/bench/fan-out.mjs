/**
 * npm run bench -- fan-out [--build FOLDER] [--seconds N] [--rate N]
 *
 * What others hear of it costs while messages come in at QoS 1 (500 a second from ten devices): nobody (the baseline), one console open, ten
 * of them, and a webhook for every sample. Processor time of the hub per message, and from the device's sending to the console's line (p50,
 * p99). Everybody but the hub is in a process of its own.
 */
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, get } from "node:http";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import mqtt from "mqtt";
import { benchDevices, option, percentile, startBenchHub } from "../lib/bench-hub.mjs";

const SELF = fileURLToPath(import.meta.url);
const DEVICES = 10;
const EVERY_MS = 20;
const CONSOLES = 10;

export async function run(options = []) {
  const [build, seconds, rate] = [option(options, "--build", "build"), Number(option(options, "--seconds", "5")), Number(option(options, "--rate", "500"))];
  const plugs = Array.from({ length: DEVICES }, (_, n) => [`plug-${n}`, "smart-plug"]);
  const hub = await startBenchHub({ build, devices: benchDevices(plugs), env: { GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true" } });
  const others = await helper({ port: hub.port, url: hub.url, rate });
  try {
    const rows = [];
    for (const [name, prepare] of [
      ["nobody listens", () => {}],
      ["one console", () => others.ask({ consoles: 1, cookie: hub.cookie() })],
      [`${CONSOLES} consoles`, () => others.ask({ consoles: CONSOLES, cookie: hub.cookie() })],
      [
        "a webhook",
        async () => {
          const { receiver } = await others.ask({ consoles: 0, receiver: true });
          await hub.console("POST", "/api/webhooks", { url: receiver, events: ["device.telemetry"] });
        },
      ],
    ]) {
      // prettier-ignore
      if (name !== "nobody listens") await hub.console("GET", "/api/health");
      await prepare();
      if (rows.length === 0) await others.ask({ seconds: seconds * 2 }); // Node compiles what runs often
      const cpu = cpuOf(hub.pid());
      const { sent, heard, times } = await others.ask({ seconds });
      const used = cpuOf(hub.pid()) - cpu;
      rows.push({ name, sent, heard, used, p50: percentile(times, 0.5), p99: percentile(times, 0.99) });
    }
    console.log(`${rate} messages a second for ${seconds} s\n| | CPU ms a message | lines or calls | p50 ms | p99 ms |\n| --- | --- | --- | --- | --- |`);
    for (const { name, sent, heard, used, p50, p99 } of rows) {
      const late = Number.isNaN(p50) ? "- | -" : `${p50.toFixed(1)} | ${p99.toFixed(1)}`;
      console.log(`| ${name} | ${((used * 1000) / sent).toFixed(3)} | ${heard} | ${late} |`);
    }
    return rows;
  } finally {
    others.end();
    await hub.stop();
  }
}

/** Seconds of processor time that a process has used. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100; // clock ticks, 100 a second on Linux
}

async function helper(settings) {
  const child = fork(SELF, ["--others", JSON.stringify(settings)]);
  const answer = () =>
    new Promise((done, failed) => {
      child.once("message", done);
      child.once("exit", () => failed(new Error("the devices and consoles ended")));
    });
  await answer();
  return {
    ask: (order) => {
      child.send(order);
      return answer();
    },
    end: () => child.kill(),
  };
}

/** Devices, consoles and a receiver. */
async function others({ port, url, rate }) {
  const connect = (id) => mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username: id, password: `password-of-${id}`, clientId: id });
  const clients = await Promise.all(Array.from({ length: DEVICES }, (_, n) => connect(`plug-${n}`)));
  const state = { heard: 0, times: [], streams: [] };
  const open = (cookie) =>
    new Promise((done, failed) => {
      const request = get(`${url}/api/stream`, { headers: { cookie } }, (response) => {
        response.setEncoding("utf8").on("data", (text) => {
          const now = performance.now();
          for (const [, sentAt] of text.matchAll(/"sent":([\d.]+)/g)) {
            state.heard += 1;
            state.times.push(now - Number(sentAt));
          }
        });
        done(request);
      });
      request.on("error", failed);
    });
  const receiver = createServer((request, response) => {
    state.heard += 1;
    request.resume().on("end", () => response.writeHead(200).end());
  });
  process.on("message", async ({ consoles, cookie, receiver: wanted, seconds }) => {
    if (consoles !== undefined) {
      for (const stream of state.streams.splice(0)) stream.on("error", () => {}).destroy();
      for (let n = 0; n < consoles; n++) state.streams.push(await open(cookie));
      if (wanted) await new Promise((done) => receiver.listen(0, "127.0.0.1", done));
      process.send({ receiver: wanted ? `http://127.0.0.1:${receiver.address().port}/` : null });
      return;
    }
    Object.assign(state, { heard: 0, times: [] });
    const sent = await send(clients, rate, seconds);
    await pause(200);
    process.send({ sent, heard: state.heard, times: state.times });
  });
  process.send({});
}

async function send(clients, rate, seconds) {
  let sent = 0;
  const started = performance.now();
  const acknowledged = [];
  while (performance.now() - started < seconds * 1_000) {
    await pause(EVERY_MS);
    const due = ((performance.now() - started) / 1_000) * rate;
    for (; sent < due; sent++) {
      const n = sent % clients.length;
      acknowledged.push(clients[n].publishAsync(`gatehouse/plug-${n}/telemetry`, JSON.stringify({ watts: sent % 100, sent: performance.now() }), { qos: 1 }));
    }
  }
  await Promise.all(acknowledged);
  return sent;
}

if (process.argv[2] === "--others" && SELF === resolve(process.argv[1] ?? "")) await others(JSON.parse(process.argv[3]));
