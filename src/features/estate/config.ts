import { isAbsolute, join } from "node:path";
import { isJsonObject } from "../../core/kernel/json-object.ts";
import { expectSmallFile, readSmallFile } from "../../core/kernel/small-file.ts";

/** How this hub takes part in its estate. */
export interface EstateConfig {
  readonly estate: string;
  /** This hub's name in subjects; unique in the estate. */
  readonly hub: string;
  /** Its name for people. */
  readonly name: string;
  /** The part of the site that it guards. */
  readonly part: string;
  /** A manager may open gates of other hubs. */
  readonly role: "gate" | "manager";
  readonly servers: readonly string[];
  /** Certificate authority of the servers, PEM; null: the system's. */
  readonly ca: string | null;
  /** Seed of this hub's NKey; null: no credential. */
  readonly seed: string | null;
  /** The claim that goes with the seed and identifies this hub; null if the servers know the key itself. */
  readonly jwt: string | null;
  /** The key with which the estate hashes plates: 32 bytes. */
  readonly plateKey: Buffer;
}

/** A name in subjects: small letters, digits, hyphens. */
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
const MOST_SERVERS = 9;

/** Whether a text can be the name of an estate, a hub or a part. */
export function isEstateName(text: unknown): text is string {
  return typeof text === "string" && NAME.test(text);
}

/**
 * Reads `estate/estate.json` and the files that it names; null if it does not exist.
 * @throws Error describing what is wrong with it
 */
export function readEstateConfig(dataFolder: string): EstateConfig | null {
  const folder = join(dataFolder, "estate");
  const found = readSmallFile(join(folder, "estate.json"));
  if (found.kind === "missing") return null;
  if (found.kind === "unusable") throw new Error(`estate.json cannot be used (${found.reason})`);
  const file: Record<string, unknown> = objectOf(found.text);
  const named = (member: string, fallback?: string): string => {
    const value = file[member] ?? fallback;
    if (!isEstateName(value))
      throw new Error(`estate.json: "${member}" must be 1 to 32 small letters, digits or hyphens`);
    return value;
  };
  const path = (member: string): string | null => {
    const value = file[member] ?? null;
    if (value === null) return null;
    if (typeof value !== "string" || value === "") throw new Error(`estate.json: "${member}" must name a file`);
    return isAbsolute(value) ? value : join(folder, value);
  };
  const content = (member: string): string | null => {
    const name = path(member);
    return name === null ? null : expectSmallFile(name).toString("utf8").trim();
  };
  const { name, role = "gate", servers } = file;
  const hub = named("hub");
  if (name !== undefined && (typeof name !== "string" || name.trim() === "" || name.length > 80))
    throw new Error('estate.json: "name" must have 1 to 80 characters');
  if (role !== "gate" && role !== "manager") throw new Error('estate.json: "role" must be "gate" or "manager"');
  if (
    !Array.isArray(servers) ||
    servers.length === 0 ||
    servers.length > MOST_SERVERS ||
    !servers.every(isServerAddress)
  )
    throw new Error(`estate.json: "servers" must be 1 to ${MOST_SERVERS} addresses such as tls://10.0.0.5:4222`);
  const plateKey = Buffer.from(content("plateKeyFile") ?? "", "base64");
  if (plateKey.length !== 32) throw new Error('estate.json: "plateKeyFile" must name a file with 32 bytes as base64');
  return {
    estate: named("estate"),
    hub,
    name: typeof name === "string" ? name.trim() : hub,
    part: named("part", "main"),
    role,
    servers,
    ca: content("caFile"),
    seed: content("seedFile"),
    jwt: content("jwtFile"),
    plateKey,
  };
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return { ...value };
  } catch {
    // reported below
  }
  throw new Error("estate.json is not a JSON object");
}

/** Whether `address` can be one of an estate's servers. */
export function isServerAddress(address: unknown): address is string {
  return typeof address === "string" && /^(nats|tls):\/\/[^\s/@]+:\d{1,5}$/.test(address);
}
