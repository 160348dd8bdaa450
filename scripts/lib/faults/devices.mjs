// @ts-check
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";

export const METERS = ["meter-0", "meter-1"];
/** A device on the site's broker. */
export const OUTSIDE = "outside-1";

/** The devices of a household under test, and the samples they have sent. */
export class Devices {
  /** By device. @type {Record<string, string>} */
  passwords = {};
  /** The meters that are connected. @type {import("mqtt").MqttClient[]} */
  meters = [];
  /** Samples that were sent. */
  sent = 0;
  /** Samples that were sent and are not acknowledged yet. @type {Set<string>} */
  waiting = new Set();

  /** @param {import("./household.mjs").Household} house */
  constructor(house) {
    this.house = house;
  }

  /** A device of the household, as soon as it is connected. @param {string} id */
  connectOne(id) {
    const { house } = this;
    /** @type {Promise<import("mqtt").MqttClient>} */
    const connected = new Promise((resolve) => {
      const client = new mqtt.MqttClient(() => house.dial(house.hub.mqttPort), {
        username: id,
        password: this.passwords[id] ?? "",
        clientId: id,
        clean: false,
        reconnectPeriod: 150,
        connectTimeout: 5_000,
        keepalive: 0,
      });
      client.on("error", () => {});
      client.once("connect", () => resolve(client));
      if (METERS.includes(id)) this.meters.push(client);
    });
    return connected;
  }

  /** Connects the meters; they reconnect by themselves and resend unacknowledged samples. */
  async connect() {
    if (this.meters.length > 0) return;
    await Promise.race([Promise.all(METERS.map((id) => this.connectOne(id))), pause(10_000)]);
  }

  /** Disconnects; unacknowledged samples are discarded. */
  hangUp() {
    for (const client of this.meters) client.end(true);
    this.meters = [];
    this.waiting.clear();
  }

  /** One sample of a meter; in the ledger once it is acknowledged. */
  report() {
    const n = this.sent++;
    const at = n % METERS.length;
    const key = `${METERS[at]} ${n}`;
    const { waiting } = this;
    const { ledger } = this.house;
    const client = this.meters[at];
    if (client === undefined) return;
    waiting.add(key);
    client.publish(
      `gatehouse/${METERS[at]}/telemetry`,
      JSON.stringify({ n, watts: 60 + (n % 40) }),
      { qos: 1 },
      (error) => {
        waiting.delete(key);
        if (!error) ledger.samples.add(key);
      },
    );
  }

  /**
   * A sample of {@link OUTSIDE} at the site's broker; in the ledger once that broker has acknowledged it, if it
   * promises to keep it.
   * @param {import("mqtt").MqttClient} client
   * @param {boolean} isPromised
   */
  reportOutside(client, isPromised) {
    const n = this.sent++;
    const key = `${OUTSIDE} ${n}`;
    const { waiting } = this;
    const { ledger } = this.house;
    waiting.add(key);
    client.publish(`gatehouse/${OUTSIDE}/telemetry`, JSON.stringify({ n, watts: n % 40 }), { qos: 1 }, (error) => {
      waiting.delete(key);
      if (!error && isPromised) ledger.samples.add(key);
    });
  }

  /**
   * Waits until every sample that was sent is acknowledged; false if none was for `limitMs`: the hub limits the
   * rate of a device.
   * @param {number} limitMs
   */
  async settled(limitMs) {
    let left = this.waiting.size;
    let deadline = performance.now() + limitMs;
    while (this.waiting.size > 0) {
      if (this.waiting.size < left) deadline = performance.now() + limitMs;
      left = Math.min(left, this.waiting.size);
      if (performance.now() > deadline) return false;
      await pause(20);
    }
    return true;
  }
}
