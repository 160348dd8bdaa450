/** An installer's list of hubs: a TOML file with one table for each. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse, TomlError } from "smol-toml";
import { isJsonObject } from "../../core/kernel/json-object.ts";
import { Problem, type ProblemDetail } from "../../core/kernel/problem.ts";

/** One hub of the list. */
export interface FleetHost {
  readonly name: string;
  /** `http://…` or `https://…`, without a path. */
  readonly url: URL;
  /** SHA-256 of the hub's own authority, 64 hexadecimal digits: a host with another one is not this hub. */
  readonly pin: string | null;
  /** Certificates of authorities to trust for it, PEM; null: those of the system. */
  readonly ca: string | null;
}

const MEMBERS = ["url", "pin", "ca"];
const PIN = /^[0-9a-f]{64}$/;

/**
 * Reads a list of hubs. The files that it names are relative to it.
 * @throws Problem `invalid_body` with every mistake and its place
 */
export function readHosts(file: string): FleetHost[] {
  const document = parsed(file);
  const mistakes: ProblemDetail[] = [];
  const wrong = (field: string, message: string): null => {
    mistakes.push({ field, code: "invalid", message });
    return null;
  };
  for (const name of Object.keys(document))
    if (name !== "hosts" && name !== "ca") wrong(name, "is not known here; there are hosts and ca");
  const pem = (value: unknown, place: string): string | null => {
    if (value === undefined) return null;
    if (typeof value !== "string") return wrong(place, "is the name of a file");
    try {
      return readFileSync(resolve(dirname(file), value), "utf8");
    } catch (error) {
      return wrong(place, error instanceof Error ? error.message : String(error));
    }
  };
  const shared = pem(document.ca, "ca");
  const hosts = isJsonObject(document.hosts) ? Object.entries(document.hosts) : [];
  if (hosts.length === 0) wrong("hosts", "there is no hub in it; each is a table such as [hosts.villa-1]");
  const read = hosts.flatMap(([name, given]): FleetHost[] => {
    const place = `hosts.${name}`;
    if (!isJsonObject(given)) return wrong(place, "is a table") ?? [];
    for (const member of Object.keys(given))
      if (!MEMBERS.includes(member)) wrong(`${place}.${member}`, `is not known here; there are ${MEMBERS.join(", ")}`);
    const url = urlOf(given.url);
    if (url === null)
      return wrong(`${place}.url`, "is an address such as https://villa-1.local or http://192.168.1.20:8080") ?? [];
    const pin = pinOf(given.pin);
    if (pin === undefined) wrong(`${place}.pin`, "is the SHA-256 of the hub's authority, 64 hexadecimal digits");
    if (typeof pin === "string" && url.protocol !== "https:") wrong(`${place}.pin`, "goes with https only");
    return [{ name, url, pin: pin ?? null, ca: pem(given.ca, `${place}.ca`) ?? shared }];
  });
  const [first] = mistakes;
  if (first !== undefined)
    throw new Problem("invalid_body", `${file}: ${first.field} ${first.message}.`, { details: mistakes });
  return read;
}

function parsed(file: string): Record<string, unknown> {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof TomlError) throw new Problem("invalid_body", `${file} is not valid TOML: ${error.message}`);
    throw error;
  }
}

function urlOf(value: unknown): URL | null {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : null;
  return url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    url.pathname === "/" &&
    url.search === "" &&
    url.username === ""
    ? url
    : null;
}

/** Undefined if it is not one. */
function pinOf(value: unknown): string | null | undefined {
  if (value === undefined) return null;
  const pin = typeof value === "string" ? value.replaceAll(":", "").toLowerCase() : "";
  return PIN.test(pin) ? pin : undefined;
}
