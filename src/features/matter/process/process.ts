/**
 * Owns the content of the Matter process: the environment of matter.js (storage in its own folder, no Bluetooth, the
 * log goes to the hub) and the parts. Imported by the process's entry only; nothing in `process/` ever runs in the hub.
 */
import { Environment } from "@matter/main";
import { bridgePart } from "./bridge/bridge.ts";
import { controllerPart } from "./controller/controller.ts";
import { logToHub } from "./log.ts";
import type { PartContext, ProcessPart } from "./part.ts";

/** The running parts. */
export interface MatterProcess {
  stop(): Promise<void>;
}

/**
 * Starts every part, one after another. @throws Error of the part that could not start; those that ran are stopped
 * again
 */
export async function startMatter(about: PartContext["about"], link: PartContext["link"]): Promise<MatterProcess> {
  logToHub(link, about.logLevel);
  const environment = Environment.default;
  const { vars } = environment;
  vars.set("ble.enable", false);
  if (about.networkInterface !== "") vars.set("mdns.networkInterface", about.networkInterface);
  const context: PartContext = { environment, link, about };
  const parts: ProcessPart[] = [bridgePart(context), controllerPart(context)];
  const running: ProcessPart[] = [];
  const stop = async (): Promise<void> => {
    for (const part of running.splice(0).reverse()) await part.stop();
  };
  try {
    for (const part of parts) {
      running.push(part);
      await part.start();
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
