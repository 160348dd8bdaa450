import mqtt from "mqtt";
import type { Test } from "tap";
import { ApiClient, apiDocument, type CallAnswer } from "./api-client.ts";
import { type ConsoleHub, startConsoleHub } from "./console-hub.ts";
import type { PacedClock } from "./paced-clock.ts";
import { passesOf } from "./played-pass.ts";

/** A question as `/v1` shows it, as far as tests look at it. */
interface Question {
  readonly id: string;
  readonly readId: number;
  readonly plate: string;
  readonly state: string;
}

/** A hub whose gate asks, with the gate connected over MQTT. */
export interface AskingHub extends ConsoleHub {
  /** Every answer is held to /v1/openapi.json. */
  readonly v1: ApiClient;
  /** Listed plates come to the camera, in one burst; the questions that wait then. */
  arrives(...plates: readonly string[]): Promise<readonly Question[]>;
  /** Commands that the gate has got. */
  opened(): readonly string[];
  /** When, as `performance.now()` says. */
  openedAt(): readonly number[];
  until(isSo: () => boolean): Promise<void>;
}

/** Starts it; each plate that comes is allowed, and earns `earns`; `clock`: where time has to pass. */
export async function askingHub(
  t: Test,
  earns: "open" | "confirm" | "ask" = "confirm",
  clock?: PacedClock,
): Promise<AskingHub> {
  const home = await startConsoleHub(t, clock === undefined ? {} : { clock });
  const { hub, call, port } = home;
  const v1 = new ApiClient(port, await apiDocument(port, "/v1/openapi.json"));
  const headers = { Cookie: home.cookie };
  await call("POST", "/api/devices", { id: "camera", name: "Entry", type: "camera" });
  const made = await call("POST", "/api/devices", { id: "gate", name: "Gate", type: "gate" });
  await call("PATCH", "/api/cameras/camera", { gate: { deviceId: "gate", command: { open: true } }, direction: "in" });
  const commands: string[] = [];
  const times: number[] = [];
  const gate = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqtt.broker.port}`, {
    clientId: "gate",
    username: "gate",
    password: made.body.password,
  });
  t.teardown(() => gate.endAsync(true));
  gate.on("message", (_topic, payload) => {
    times.push(performance.now());
    commands.push(String(payload));
  });
  await gate.subscribeAsync("gatehouse/gate/command", { qos: 1 });
  return {
    ...home,
    v1,
    arrives: async (...plates) => {
      for (const plate of plates) await v1.post("/v1/plate-rules", { headers, json: { plate, label: "Asha", earns } });
      await passesOf(hub, "camera", plates, { direction: "in" });
      return (await v1.get("/v1/gate-questions", { headers })).body.questions;
    },
    opened: () => commands,
    openedAt: () => times,
    until: async (isSo) => {
      for (let tries = 0; tries < 500 && !isSo(); tries++) await new Promise((resolve) => setTimeout(resolve, 10));
      if (!isSo()) throw new Error("it did not happen");
    },
  };
}

/** Somebody who has joined the household and is signed in on a phone. */
export async function signInAs(
  { hub }: Pick<AskingHub, "hub">,
  role: "owner" | "member",
): Promise<{ readonly id: number; readonly headers: { readonly Cookie: string } }> {
  const { access } = hub;
  const { database } = hub.base;
  const householdId = access.accounts.owner()?.id ?? 0;
  const from = { address: "192.168.1.20", userAgent: "phone" };
  const { code } = await access.persons.invite(
    householdId,
    { name: "Mina", role },
    { accountId: householdId, actor: "cli" },
  );
  const password = "a quiet sentence about rain";
  const { account } = await access.persons.join({ code, name: "Mina", email: "mina@example.org", password }, from);
  const { token } = await database.write(() => access.sessions.open(account.id, from));
  return { id: account.id, headers: { Cookie: `gatehouse_session=${token}` } };
}

/** Lets the vehicle of a question in, with whatever credential. */
export function answerAs(api: ApiClient, headers: Readonly<Record<string, string>>, id: string): Promise<CallAnswer> {
  return api.post(`/v1/gate-questions/${id}/answer`, { headers, json: { open: true } });
}
