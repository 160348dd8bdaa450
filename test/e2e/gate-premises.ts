import mqtt from "mqtt";
import { eventually, type HubProcess, type Person, startOwnedHub } from "../support/hub-process.ts";
import { anotherFrame } from "../support/photographs.ts";

/** A plate read as /v1 shows it, as far as tests need it. */
export interface Read {
  readonly id: number;
  readonly deviceId: string;
  readonly captureId: number;
  readonly plate: string | null;
  readonly decision: string;
  readonly status: string;
  readonly reason: string | null;
  readonly direction: string | null;
  readonly at: string;
  readonly hasImage: boolean;
  readonly imageUrl: string | null;
}

/**
 * A hub in its own process with an entry camera that opens a gate, an exit camera, and an app with a key for plates.
 */
export interface GatePremises {
  readonly hub: HubProcess;
  readonly person: Person;
  /** One call of /v1 as the app. */
  api<Body>(method: string, path: string, body?: object): Promise<Body>;
  picture(url: string): Promise<Response>;
  /** Connects a device by MQTT. */
  connect(id: string): Promise<mqtt.MqttClient>;
  /** Every command that the gate's relay has received. */
  readonly commands: readonly string[];
  /** Makes the gate's relay listen. */
  listen(): Promise<mqtt.MqttClient>;
  /** Sends a capture as a camera does and waits until it is read; returns the newest read of this capture. */
  capture(
    camera: mqtt.MqttClient,
    frames: readonly Buffer[],
    about?: { readonly direction?: "in" | "out" },
  ): Promise<Read>;
}

const DEVICES = [
  ["camera-1", "camera"],
  ["camera-2", "camera"],
  ["gate-1", "gate"],
] as const;

/** Makes the premises on a new data folder. */
export async function gatePremises(folder: string, env: Record<string, string> = {}): Promise<GatePremises> {
  // A busy machine may take its time.
  const patient = { GATEHOUSE_METRICS: "true", GATEHOUSE_RECOGNITION_BUDGET_MS: "60000" };
  const { hub, owner: person } = await startOwnedHub(folder, { ...patient, ...env });
  const passwords = new Map<string, string>();
  for (const [id, type] of DEVICES) {
    const { body } = await person.call<{ password: string }>("POST", "/api/devices", { id, name: id, type });
    passwords.set(id, body.password);
  }
  const gate = { deviceId: "gate-1", command: { relays: [true, false, false, false] } };
  const setUp = await person.call("PATCH", "/api/cameras/camera-1", { gate });
  if (setUp.status !== 200) throw new Error(`camera: ${JSON.stringify(setUp.body)}`);
  const key = await person.call<{ secret: string }>("POST", "/api/keys", {
    name: "App",
    env: "live",
    scopes: ["plates:read", "plates:write", "events:read"],
  });
  const authorization = `Bearer ${key.body.secret}`;
  const api = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const headers = { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const answer = await fetch(hub.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return (text === "" ? {} : JSON.parse(text)) as Body; // the caller names the shape it expects
  };
  const connect = (id: string): Promise<mqtt.MqttClient> =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
      username: id,
      password: passwords.get(id) ?? "",
      clientId: id,
      reconnectPeriod: 0,
    });
  const commands: string[] = [];
  let captures = 70;
  return {
    hub,
    person,
    api,
    picture: (url) => fetch(url, { headers: { authorization } }),
    connect,
    commands,
    listen: async () => {
      const relay = await connect("gate-1");
      relay.on("message", (_topic, payload) => commands.push(String(payload)));
      await relay.subscribeAsync("gatehouse/gate-1/command", { qos: 1 });
      return relay;
    },
    capture: async (camera, frames, about = {}) => {
      captures += 1;
      const captureId = captures;
      await sendCapture(camera, captureId, frames.map(anotherFrame), about);
      const deviceId = String(camera.options.username);
      const stored = async (): Promise<Read | undefined> => {
        const { plates } = await api<{ plates: Read[] }>("GET", `/v1/plates?deviceId=${deviceId}&limit=10`);
        return plates.find((read) => read.captureId === captureId);
      };
      return eventually(stored, 30_000);
    },
  };
}

/** Publishes the frames of a capture and its closing, each when the previous one is acknowledged. */
async function sendCapture(
  camera: mqtt.MqttClient,
  captureId: number,
  frames: readonly Buffer[],
  about: { readonly direction?: "in" | "out" } = {},
): Promise<void> {
  const topic = `gatehouse/${camera.options.username}/capture/${captureId}`;
  for (const [n, jpeg] of frames.entries()) await camera.publishAsync(`${topic}/${n}`, jpeg, { qos: 1 });
  await camera.publishAsync(`${topic}/done`, JSON.stringify({ trigger: "loop", frames: frames.length, ...about }), {
    qos: 1,
  });
}
