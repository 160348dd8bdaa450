/**
 * The joining hub: asks the inviting hub, which it recognises by its certificate, for its credential, and stores the
 * response.
 */
import { existsSync, rmSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { Problem } from "../../../core/kernel/problem.ts";
import { expectSmallFile } from "../../../core/kernel/small-file.ts";
import { writeFileAtomicSync } from "../../../core/kernel/write-file-atomic.ts";
import { detailEnglish } from "../../../core/text/english.ts";
import type { Detail } from "../../../core/text/keys.ts";
import { isEstateName, isServerAddress, readEstateConfig } from "../config.ts";
import { loadNkeys } from "./authority.ts";
import { hostAndPort, type InvitationCode, pinOf } from "./invitation-code.ts";
import { type Admission, checkMembership } from "./invitations.ts";

const TIMEOUT_MS = 10_000;
const LONGEST_ANSWER = 65_536;
/** The key of a hub that is about to join: a second try asks for the same one. */
const JOINING_SEED = "joining.nk";
const FILES = { seedFile: "hub.nk", jwtFile: "hub.jwt", caFile: "ca.crt", plateKeyFile: "plate.key" } as const;

/** The folder of a hub's estate files. */
export function estateFolder(dataFolder: string): string {
  return join(dataFolder, "estate");
}

/** A joining hub's own key, kept until it has joined: the seed never leaves the host. */
export async function joiningKey(dataFolder: string): Promise<{ readonly publicKey: string; readonly seed: string }> {
  const nkeys = await loadNkeys();
  const file = join(estateFolder(dataFolder), JOINING_SEED);
  if (existsSync(file)) {
    const seed = expectSmallFile(file).toString("utf8").trim();
    return { publicKey: nkeys.fromSeed(Buffer.from(seed)).getPublicKey(), seed };
  }
  const pair = nkeys.createUser();
  const seed = Buffer.from(pair.getSeed()).toString();
  writeFileAtomicSync(file, seed);
  return { publicKey: pair.getPublicKey(), seed };
}

/**
 * Sends the code's secret to the hub with the right certificate, at the first of its addresses that answers, and
 * returns that hub's response.
 * @throws Problem `forbidden` if it refuses, `unavailable` if no hub (or another one) answers
 */
export async function askToJoin(code: InvitationCode, publicKey: string): Promise<Admission> {
  const failures: string[] = [];
  for (const address of code.addresses) {
    let answer: { readonly status: number; readonly body: unknown };
    try {
      answer = await post(address, code.pin, { secret: code.secret, publicKey });
    } catch (error) {
      failures.push(`${address}: ${error instanceof Error ? error.message : String(error)}`);
      continue;
    }
    if (answer.status === 200) return admissionOf(answer.body);
    const why = `${address}: ${answer.status}`;
    throw refusalOf(answer.body) ?? new Problem("unavailable", { code: "unavailable.estateInviter", why });
  }
  throw new Problem(
    "unavailable",
    { code: "unavailable.estateInviter", why: failures.join("; ") },
    {
      hint: "Both hubs must be on one network or VPN, and the inviting hub must run.",
    },
  );
}

/** Stores a hub's membership of an estate; `estate.json`, which makes it effective, comes last. */
export async function writeMembership(dataFolder: string, admission: Admission, seed: string): Promise<void> {
  const folder = estateFolder(dataFolder);
  const { estate, hub, name, part, role, servers, ca, credential, plateKey } = admission;
  const contents = {
    [FILES.seedFile]: seed,
    [FILES.jwtFile]: credential,
    [FILES.caFile]: ca,
    [FILES.plateKeyFile]: plateKey,
  };
  for (const [file, text] of Object.entries(contents)) writeFileAtomicSync(join(folder, file), text);
  writeFileAtomicSync(
    join(folder, "estate.json"),
    `${JSON.stringify({ estate, hub, name, part, role, servers, ...FILES }, null, 2)}\n`,
  );
  rmSync(join(folder, JOINING_SEED), { force: true });
}

/** Removes the hub's membership of its estate from this host. Returns the membership; null if there was none. */
export function forgetMembership(dataFolder: string): { readonly estate: string; readonly hub: string } | null {
  const folder = estateFolder(dataFolder);
  const known = readEstateConfig(dataFolder);
  for (const file of ["estate.json", ...Object.values(FILES), JOINING_SEED])
    rmSync(join(folder, file), { force: true }); // first the file that makes it effective
  return known === null ? null : { estate: known.estate, hub: known.hub };
}

/** The other hub's refusal in the API's one error shape; null for any other body. */
function refusalOf(body: unknown): Problem | null {
  const { error } = (body ?? {}) as { error?: { code?: unknown; message?: unknown; words?: Detail } };
  if (typeof error?.code !== "string" || typeof error.message !== "string") return null;
  return new Problem(error.code, error.message, { words: isSaidBy(error.words, error.message) ? error.words : null });
}

/** Whether this hub knows these words, and renders them as the same English. */
function isSaidBy(words: Detail | undefined, message: string): words is Detail {
  try {
    return words !== undefined && detailEnglish(words) === message;
  } catch {
    return false;
  }
}

/** @throws Problem `unavailable` if the answer is not an admission */
function admissionOf(body: unknown): Admission {
  const admission = body as Admission; // checked below
  const { estate, role, servers, ca, credential, plateKey } = admission ?? {};
  const isWhole =
    [ca, credential, plateKey].every((member) => typeof member === "string") &&
    isEstateName(estate) &&
    (role === "gate" || role === "manager") &&
    Array.isArray(servers) &&
    servers.every(isServerAddress);
  if (!isWhole || typeof admission.name !== "string")
    throw new Problem("unavailable", { code: "unavailable.estateAnswer" });
  checkMembership(admission);
  return admission;
}

/** One request over TLS; nothing is sent before the certificate has been verified. */
async function post(address: string, pin: string, body: object): Promise<{ status: number; body: unknown }> {
  const socket = await pinnedConnection(address, pin);
  const text = JSON.stringify(body);
  try {
    return await new Promise((resolve, reject) => {
      const headers = {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(text),
        Connection: "close",
      };
      const { host } = hostAndPort(address);
      const call = request(
        {
          method: "POST",
          host,
          path: "/api/estate/join",
          headers,
          createConnection: () => socket,
          signal: AbortSignal.timeout(TIMEOUT_MS), // for all of the answer: it may come byte by byte
        },
        (response) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          response.on("data", (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > LONGEST_ANSWER) call.destroy(new Error("the answer is too long"));
            chunks.push(chunk);
          });
          response.on("error", reject);
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString()) }),
          );
        },
      );
      call.on("error", reject);
      call.on("upgrade", () => reject(new Error("no answer"))); // otherwise neither a response nor an error follows
      call.end(text);
    });
  } finally {
    socket.destroy();
  }
}

function pinnedConnection(address: string, pin: string): Promise<TLSSocket> {
  const { host, port } = hostAndPort(address);
  return new Promise((resolve, reject) => {
    // The code identifies the certificate itself; who signed it and for which name adds nothing.
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: TIMEOUT_MS }, () => {
      if (pinOf(socket.getPeerCertificate().fingerprint256) === pin) resolve(socket);
      else socket.destroy(new Error("another hub answers there, or its certificate was renewed since the invitation"));
    });
    socket.on("timeout", () => socket.destroy(new Error("no answer")));
    socket.on("error", reject);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
