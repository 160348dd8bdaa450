import { CONTRACT_EVENTS, WEBHOOK_EVENTS } from "../core/api/webhook-events.ts";
import { controlSocketFile } from "../core/platform/control-socket-file.ts";
import { deliveryHeaders, newSecret } from "../features/webhooks/sign.ts";
import { type CliIo, type Command, json, openPlace, readArguments, UsageError, withHub } from "./command.ts";
import { followStream, hubRuns } from "./control-socket.ts";

const ANSWER_MS = 5_000;

/** `gatehouse listen`. */
export const listenCommand: Command = {
  name: "listen",
  summary: "show webhook deliveries as they happen, and post them to a receiver that you are writing",
  help: `Usage: gatehouse listen [--forward-to URL] [--events ${CONTRACT_EVENTS.join(",")}] [--env live|test]

Prints every event as a delivery (only those that --events names, if given; of both households unless --env names one) and posts it to
--forward-to as a webhook would, signed with a secret that is printed first. No webhook has to be registered, and the receiver
may be on this machine. Nothing is kept or sent again. It ends with Ctrl-C, or with the hub.
Events: ${WEBHOOK_EVENTS.join(", ")}.
Send a test event: gatehouse trigger device.state`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {
      "forward-to": { type: "string" },
      events: { type: "string" },
      env: { type: "string" },
    });
    if (positionals.length > 0) throw new UsageError("listen takes no arguments but its options.");
    const { "forward-to": receiver, events, env, json: asJson = false } = values;
    if (receiver !== undefined && !URL.canParse(receiver))
      throw new UsageError("--forward-to needs a URL, such as http://localhost:3000/hook.");
    const socketFile = controlSocketFile(openPlace(io, values.data).dataFolder);
    if (!(await hubRuns(socketFile))) throw new UsageError("listen needs a hub that runs on this machine.");
    const secret = newSecret();
    let isUnread = false;
    io.whenUnread?.(() => {
      isUnread = true;
    });
    if (!asJson) io.err(`Ready. The signing secret of this listener: ${secret}\n`);
    const query = new URLSearchParams({
      ...(events === undefined ? {} : { events }),
      ...(env === undefined ? {} : { env }),
    });
    for await (const { event, data } of followStream(socketFile, `/api/webhooks/listen?${query}`)) {
      if (isUnread) return 0;
      // features/webhooks/api/console-listen.ts
      if (event === "delivery") await show(data as Delivery, { io, asJson, receiver, secret });
    }
    io.err("The hub has ended the stream.\n");
    return 1;
  },
};

interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly body: string;
}

async function show(
  { id, event, body }: Delivery,
  {
    io,
    asJson,
    receiver,
    secret,
  }: { readonly io: CliIo; readonly asJson: boolean; readonly receiver: string | undefined; readonly secret: string },
): Promise<void> {
  const { deviceId } = JSON.parse(body) as { deviceId: string | null }; // the hub's own delivery
  const answer = receiver === undefined ? null : await post(receiver, { id, event, body }, secret);
  if (asJson) io.out(`${JSON.stringify({ ...JSON.parse(body), ...(answer === null ? {} : { answer }) })}\n`);
  else io.out(`--> ${event}  ${deviceId ?? ""}  ${id}\n${answer === null ? "" : `<-- ${answer}\n`}`);
}

async function post(url: string, { id, event, body }: Delivery, secret: string): Promise<string> {
  const headers = deliveryHeaders({ id, event, body, attempts: 0 }, [secret], Date.now());
  const started = performance.now();
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return `${response.status}  ${Math.round(performance.now() - started)} ms  POST ${url}`;
  } catch (error) {
    const { cause, message } = error as Error; // what fetch throws
    return `no answer: ${cause instanceof Error ? cause.message : message}`;
  }
}

/** `gatehouse trigger`. */
export const triggerCommand: Command = {
  name: "trigger",
  summary: "have an event told that did not happen, for trying a receiver",
  help: `Usage: gatehouse trigger EVENT [--device ID] [--env live|test]

Sends an example of the event, with "test": true in its data, to 'gatehouse listen' and to those webhooks of the household (the simulated one
unless --env live) that are registered for it. No device is touched. The hub must run.
Events: ${WEBHOOK_EVENTS.join(", ")}.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, { device: { type: "string" }, env: { type: "string" } });
    const [event, ...more] = positionals;
    if (event === undefined || more.length > 0) throw new UsageError("trigger needs one event.");
    if (!WEBHOOK_EVENTS.some((known) => known === event)) throw new UsageError(`There is no event '${event}'.`);
    return withHub(io, values.data, async (hub) => {
      if (!hub.running) throw new UsageError("trigger needs a hub that runs.");
      const { device: deviceId, env } = values;
      const wish = { event, ...(deviceId === undefined ? {} : { deviceId }), ...(env === undefined ? {} : { env }) };
      // features/webhooks/api/console-listen.ts
      const { webhooks } = (await hub.call("POST", "/api/webhooks/trigger", wish)) as { webhooks: number };
      io.out(
        values.json
          ? json({ webhooks })
          : `Sent to every listener, and pending for ${webhooks} ${webhooks === 1 ? "webhook" : "webhooks"}.\n`,
      );
      return 0;
    });
  },
};
