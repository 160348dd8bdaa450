import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectMqtt, type MqttClient } from "mqtt";
import type { Test } from "tap";
import type { Role } from "../../src/core/api/roles.ts";
import type { Scope } from "../../src/core/api/scopes.ts";
import { type HubProcess, Person, startOwnedHub } from "./hub-process.ts";
import { testFolder } from "./test-folder.ts";

/** A response as programs see it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
  readonly body: any;
}

/** A key with its text. */
export interface MadeKey {
  readonly id: number;
  readonly secret: string;
}

/** A hub process with an owner and a gate, and the people a test lets in. */
export class HouseholdProcess {
  readonly hub: HubProcess;
  readonly owner: Person;
  #persons = 0;

  private constructor(hub: HubProcess, owner: Person) {
    this.hub = hub;
    this.owner = owner;
  }

  /** Starts the process; it ends with the test. */
  static async start(t: Test, env: Record<string, string> = {}): Promise<HouseholdProcess> {
    const { hub, owner } = await startOwnedHub(testFolder(t), { GATEHOUSE_RECOGNITION: "false", ...env });
    t.teardown(() => hub.kill());
    return new HouseholdProcess(hub, owner);
  }

  /** Makes a device; returns its MQTT password. */
  async device(id: string, type = "gate"): Promise<string> {
    const { status, body } = await this.owner.call<{ password: string }>("POST", "/api/devices", {
      id,
      name: id,
      type,
    });
    if (status !== 201) throw new Error(`device: ${status} ${JSON.stringify(body)}`);
    return body.password;
  }

  /**
   * Connects as a device; the connection ends with the test. `heard` gets every payload.
   * @throws Error when the hub refuses it.
   */
  async connect(
    t: Test,
    id: string,
    password: string,
    more: { clean?: boolean; webSocket?: boolean; clientId?: string; heard?: string[] } = {},
  ): Promise<MqttClient> {
    const url = more.webSocket ? `${this.hub.url.replace("http", "ws")}/mqtt` : `mqtt://127.0.0.1:${this.hub.mqttPort}`;
    const client = connectMqtt(url, {
      username: id,
      password,
      clientId: more.clientId ?? id,
      clean: more.clean ?? true,
      reconnectPeriod: 0,
      protocolVersion: 4,
    });
    client.on("error", () => {}); // it is disconnected on purpose
    // a session's pending messages come before a test could subscribe
    client.on("message", (_topic, payload) => more.heard?.push(String(payload)));
    t.teardown(() => client.end(true));
    const isTaken = await new Promise<boolean>((resolve) => {
      client.once("connect", () => resolve(true));
      client.once("close", () => resolve(false));
    });
    if (!isTaken) throw new Error("not let in");
    return client;
  }

  /** Lets a person join; returns them signed in, with their id. */
  async join(role: Role): Promise<{ person: Person; id: number }> {
    const invited = await this.owner.call<{ code: string }>("POST", "/api/persons/invitations", { name: "Ravi", role });
    const person = new Person(this.hub.url);
    this.#persons += 1;
    const email = `ravi${this.#persons}@example.org`;
    const joined = await person.call<{ account: { id: number } }>("POST", "/api/join", {
      code: invited.body.code,
      name: this.#persons === 1 ? "Ravi" : `Ravi ${this.#persons}`,
      email,
      password: "a quiet sentence about rain",
    });
    if (joined.status !== 201) throw new Error(`join: ${joined.status} ${JSON.stringify(joined.body)}`);
    return { person, id: joined.body.account.id };
  }

  /** Makes a key. */
  async key(scopes: readonly Scope[], env: "live" | "test" = "live"): Promise<MadeKey> {
    const { status, body } = await this.owner.call<{ key: { id: number }; secret: string }>("POST", "/api/keys", {
      name: "app",
      env,
      scopes,
    });
    if (status !== 201) throw new Error(`key: ${status} ${JSON.stringify(body)}`);
    return { id: body.key.id, secret: body.secret };
  }

  /** One request with a key. */
  async ask(key: MadeKey, method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.hub.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key.secret}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
  }

  /** Opens an event stream on the console's API. */
  async stream(t: Test, person: Person, path = "/api/stream"): Promise<OpenStream> {
    const opened = new OpenStream(request(this.hub.url + path, { headers: { cookie: person.cookie } }));
    t.teardown(() => opened.close());
    await opened.begun;
    return opened;
  }

  /** Sends the head of a request and holds its body back; `finish` sends it and returns the status. */
  async halfSent(
    head: { method: string; path: string; headers: Record<string, string> },
    body: string,
  ): Promise<{ finish: () => Promise<number> }> {
    const { hostname, port } = new URL(this.hub.url);
    const socket: Socket = connectTcp(Number(port), hostname);
    await new Promise((resolve) => socket.once("connect", resolve));
    const lines = {
      Host: `${hostname}:${port}`,
      "Content-Type": "application/json",
      "Content-Length": String(body.length),
      Connection: "close",
      ...head.headers,
    };
    socket.write(
      `${head.method} ${head.path} HTTP/1.1\r\n${Object.entries(lines)
        .map(([name, value]) => `${name}: ${value}`)
        .join("\r\n")}\r\n\r\n`,
    );
    return {
      finish: async () => {
        let text = "";
        socket.on("data", (chunk) => (text += String(chunk)));
        const closed = new Promise((resolve) => socket.once("close", resolve));
        socket.write(body);
        await closed;
        return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
      },
    };
  }
}

/** An event stream as its reader sees it. */
export class OpenStream {
  /** Everything received. */
  text = "";
  status = 0;
  /** Whether the hub has ended it. */
  hasEnded = false;
  readonly begun: Promise<void>;
  readonly ended: Promise<void>;
  readonly #request: ClientRequest;

  constructor(outgoing: ClientRequest) {
    this.#request = outgoing;
    let end = (): void => {};
    this.ended = new Promise((resolve) => {
      end = () => {
        this.hasEnded = true;
        resolve();
      };
    });
    this.begun = new Promise((resolve, reject) => {
      outgoing.on("error", reject);
      outgoing.on("response", (response: IncomingMessage) => {
        this.status = response.statusCode ?? 0;
        response.on("error", () => {});
        response.on("close", end);
        response.on("data", (chunk) => {
          this.text += String(chunk);
          if (this.text.includes("retry:")) resolve();
        });
        if (this.status !== 200) resolve();
      });
    });
    outgoing.end();
  }

  /** Whether it ends within `ms`. */
  endsWithin(ms: number): Promise<boolean> {
    return Promise.race([
      this.ended.then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(this.hasEnded), ms)),
    ]);
  }

  close(): void {
    this.#request.destroy();
  }
}
