import type { Test } from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { MatterBridge } from "../../src/features/matter/bridge/bridge.ts";
import type { BridgeSituation, EndpointAction } from "../../src/features/matter/bridge/calls.ts";
import type { MatterHost } from "../../src/features/matter/host.ts";
import { openDatabase, seedAccount } from "./database.ts";
import { DeviceParts } from "./device-parts.ts";
import { testFolder } from "./test-folder.ts";

/** A home that has joined. */
export const APPLE = { index: 1, fabric: "aaaaaaaaaaaaaaaa-1", vendorId: 0x1349, label: "" };

/** A bridge on a real database with real devices; the process is simulated: it records its messages. */
export async function matterHousehold(t: Test) {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { siteId } = seedAccount(database);
  const parts = new DeviceParts(database);
  const { registry, commands, scenes, bus, clock } = parts;
  await registry.start();
  const shown = new Map<number, { kind: string; name: string }>();
  let fabrics: BridgeSituation["fabrics"] = [APPLE];
  const situation = (): BridgeSituation => ({ port: 5540, fabrics, window: null, endpoints: shown.size });
  const sentValues: { number: number; values: object; reachable: boolean }[] = [];
  let handlers: Record<string, (input: never) => unknown> = {};
  const ups: (() => Promise<void>)[] = [];
  const audit: string[] = [];
  const host = {
    state: { state: "running", since: 0, pid: 1, rssBytes: 1, restarts: 0, reason: null },
    serve: (more: object) => {
      handlers = { ...handlers, ...more };
    },
    onUp: (tell: () => Promise<void>) => void ups.push(tell),
    call: async (name: string, input: never) => {
      const { endpoints, numbers, changes, index } = input as {
        endpoints: { number: number; kind: string; name: string }[];
        numbers: number[];
        changes: typeof sentValues;
        index: number;
      };
      if (name === "bridge.put") for (const { number, kind, name } of endpoints) shown.set(number, { kind, name });
      if (name === "bridge.remove") for (const number of numbers) shown.delete(number);
      if (name === "bridge.values") sentValues.push(...changes);
      if (name === "bridge.removeFabric") fabrics = fabrics.filter((one) => one.index !== index);
      return name === "bridge.remove" || name === "bridge.values" ? null : situation();
    },
  } as MatterHost | object as MatterHost; // the part the bridge uses
  const bridge = new MatterBridge({
    host,
    database,
    bus,
    ports: {
      siteId: () => siteId,
      devices: (id) => registry.list(id),
      commands,
      scenes,
      limits: parts.access.limits,
      send: (order) => commands.send({ ...order, source: "api" }),
      audit: ({ action, target }) => void audit.push(`${action} ${target}`),
    },
    pinKey: Buffer.alloc(32, 1),
    clock,
    logger: silentLogger,
  });
  await bridge.start();
  t.teardown(() => bridge.stop());
  for (const tell of ups) await tell();
  const numberOf = (name: string): number => [...shown].find(([, one]) => one.name === name)?.[0] ?? -1;
  const act = async (number: number, action: EndpointAction, fabricIndex = 1): Promise<string> => {
    try {
      await handlers["bridge.act"]?.({ number, fabricIndex, action } as never);
      return "ok";
    } catch (error) {
      return error instanceof Problem ? error.code : String(error);
    }
  };
  /** Publications since the last call. */
  const published = (): string[] => parts.published.splice(0).map(({ deviceId, payload }) => `${deviceId} ${payload}`);
  const step = async (): Promise<void> => {
    bridge.refresh();
    clock.advance(1_000);
    await bridge.show("device:lamp", true); // after everything already queued
  };
  return {
    bridge,
    parts,
    siteId,
    database,
    shown,
    sentValues,
    audit,
    act,
    numberOf,
    published,
    step,
    setFabrics: (next: typeof fabrics) => (fabrics = next),
  };
}
