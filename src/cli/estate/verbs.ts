import { join } from "node:path";
import { isoTime } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { expectSmallFile } from "../../core/kernel/small-file.ts";
import { controlSocketFile } from "../../core/platform/control-socket-file.ts";
import { localAddresses } from "../../core/platform/network.ts";
import { readEstateConfig } from "../../features/estate/config.ts";
import { EstateAuthority } from "../../features/estate/setup/authority.ts";
import { codeText, pinOf, readCode } from "../../features/estate/setup/invitation-code.ts";
import { EstateMembers } from "../../features/estate/setup/invitations.ts";
import {
  askToJoin,
  estateFolder,
  forgetMembership,
  joiningKey,
  writeMembership,
} from "../../features/estate/setup/joining.ts";
import { clearAfter, tellServers } from "../../features/estate/setup/servers.ts";
import { columns, expectHub, UsageError } from "../command.ts";
import { hubRuns, socketCalls } from "../control-socket.ts";
import { type EstateCall, type EstateOutcome, restarted } from "./call.ts";
import { createEstate } from "./create.ts";

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_INVITATION_MS = 7 * 86_400_000;
const MOST_ADDRESSES = 4;

/** What `gatehouse estate` can do. */
export const ESTATE_VERBS = {
  create: createEstate,
  invite,
  join: joinEstate,
  list,
  remove,
  leave,
} as const satisfies Readonly<Record<string, (call: EstateCall) => Promise<EstateOutcome>>>;

async function invite({ dataFolder, settings, values, subject }: EstateCall): Promise<EstateOutcome> {
  if (subject === undefined) throw new UsageError("invite needs the name that the hub will have in the estate.");
  const { authority, members } = await keeper(dataFolder);
  const { tls } = settings;
  if (tls.mode === "off")
    throw new Problem("conflict", "This hub has TLS switched off; an invitation is shown over https only.", {
      hint: "Set tls.mode to auto or own.",
    });
  const certificate = expectSmallFile(
    tls.mode === "files" ? tls.certificateFile : join(dataFolder, "tls", "server.crt"),
  );
  const { X509Certificate } = await import("node:crypto");
  const pin = pinOf(new X509Certificate(certificate).fingerprint256);
  const addresses = values.address ?? ownAddresses(tls.httpsPort);
  const now = Date.now();
  const expiresAt = now + validFor(values.valid ?? "24h");
  const membership = {
    hub: subject,
    name: values.title ?? subject,
    part: values.part ?? "main",
    role: values.manager ? ("manager" as const) : ("gate" as const),
  };
  const secret = await members.invite(membership, expiresAt, now);
  const code = codeText({ addresses, pin, secret });
  if (readCode(code) === null) throw new UsageError("--address takes HOST:PORT; an IPv6 address stands in brackets.");
  const { toString: qrText } = await import("qrcode");
  const picture = await qrText(code, { type: "utf8", errorCorrectionLevel: "L" });
  const text = `${picture}\n${code}\n\nOn the other hub: gatehouse estate join CODE\nIt can be used once, until ${isoTime(expiresAt)}. Anyone who has it can join: keep it to yourself.\n`;
  return { shown: { estate: authority.plan.estate, ...membership, code, expiresAt: isoTime(expiresAt) }, text };
}

async function joinEstate({ dataFolder, subject }: EstateCall): Promise<EstateOutcome> {
  const code = readCode(subject ?? "");
  if (code === null)
    throw new UsageError("join needs the code that 'gatehouse estate invite' printed (gatehouse-estate:…).");
  expectHub(dataFolder);
  const present = readEstateConfig(dataFolder);
  if (present !== null)
    throw new Problem("conflict", `This hub is ${present.hub} of the estate ${present.estate} already.`, {
      hint: "gatehouse estate leave takes it out.",
    });
  const { publicKey, seed } = await joiningKey(dataFolder);
  const admission = await askToJoin(code, publicKey);
  await writeMembership(dataFolder, admission, seed);
  const { estate, hub, name, part, role } = admission;
  return {
    shown: { estate, hub, name, part, role },
    text: `This hub is ${hub} of the estate ${estate} now. ${await restarted(dataFolder)}\n`,
  };
}

async function list({ dataFolder }: EstateCall): Promise<EstateOutcome> {
  const config = readEstateConfig(dataFolder);
  const authority = await EstateAuthority.open(estateFolder(dataFolder));
  if (config === null && authority === null)
    throw new Problem("not_found", "This hub is in no estate.", { hint: "See 'gatehouse estate --help'." });
  const members = authority === null ? [] : new EstateMembers(estateFolder(dataFolder), authority).list();
  const socketFile = controlSocketFile(dataFolder);
  const live = (await hubRuns(socketFile))
    ? ((await socketCalls(socketFile).call("GET", "/api/estate")) as LiveEstate).estate
    : null; // features/estate/api/console-estate.ts
  const hubs = new Map<string, string[]>();
  for (const { hub, name, part, role, removedAt } of members)
    hubs.set(hub, [hub, name, part, role, removedAt === null ? "-" : `removed ${isoTime(removedAt)}`]);
  for (const { hub, name, part, role, state } of live?.hubs ?? [])
    if (hubs.get(hub)?.[4]?.startsWith("removed") !== true) hubs.set(hub, [hub, name, part, role, state]);
  const shown = {
    estate: config?.estate ?? authority?.plan.estate,
    hub: config?.hub ?? null,
    servers: config?.servers ?? authority?.servers ?? [],
    members: members.map(({ publicKey: _key, ...member }) => ({
      ...member,
      joinedAt: isoTime(member.joinedAt),
      removedAt: member.removedAt === null ? null : isoTime(member.removedAt),
    })),
    live: live?.hubs ?? null,
  };
  return { shown, text: `${shown.estate}\n${columns(["hub", "name", "part", "role", "state"], [...hubs.values()])}` };
}

/** The part of the answer of GET /api/estate that is used. */
interface LiveEstate {
  readonly estate: {
    readonly hubs: readonly Readonly<Record<"hub" | "name" | "part" | "role" | "state", string>>[];
  } | null;
}

async function remove({ dataFolder, subject }: EstateCall): Promise<EstateOutcome> {
  if (subject === undefined) throw new UsageError("remove needs the name of a hub (see: gatehouse estate list).");
  const { authority, members } = await keeper(dataFolder);
  if (readEstateConfig(dataFolder)?.hub === subject)
    throw new Problem(
      "conflict",
      "This hub keeps the estate's keys. 'gatehouse estate leave' takes it out of the register.",
    );
  const member = await members.remove(subject, Date.now());
  let told: number;
  try {
    told = await tellServers(authority);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(
      error.code,
      `${subject} is removed in the estate's book, but the servers do not know it yet, and it still has its rights. ${error.message}`,
      {
        hint: "Repeat the command when the servers run.",
      },
    );
  }
  const cleared = await clearAfter(authority, subject).then(
    () => true,
    () => false, // a cluster that has just lost a server takes no writes for some seconds
  );
  const servers = authority.servers.length;
  const rest =
    told < servers
      ? ` ${told} of ${servers} servers have it; the others take it from them within seconds of their return.`
      : "";
  const left = cleared ? "" : " It is still listed by the other hubs: repeat the command when the servers are well.";
  return {
    shown: { hub: member.hub, removed: true, servers, told, cleared },
    text: `${subject} is out of the estate: it reads and writes nothing any more.${rest}${left}\n`,
  };
}

async function leave({ dataFolder }: EstateCall): Promise<EstateOutcome> {
  const left = forgetMembership(dataFolder);
  if (left === null) throw new Problem("not_found", "This hub is in no estate.");
  const authority = await EstateAuthority.open(estateFolder(dataFolder));
  if (authority !== null) await new EstateMembers(estateFolder(dataFolder), authority).remove(left.hub, Date.now());
  const rest =
    authority === null
      ? `Where the estate was made: gatehouse estate remove ${left.hub}`
      : "The estate's keys stay here: gatehouse estate create joins it again.";
  return {
    shown: left,
    text: `This hub is no longer ${left.hub} of ${left.estate}. ${await restarted(dataFolder)}\n${rest}\n`,
  };
}

/** @throws Problem `not_found` if the estate's keys are not here */
async function keeper(dataFolder: string): Promise<{ authority: EstateAuthority; members: EstateMembers }> {
  const folder = estateFolder(dataFolder);
  const authority = await EstateAuthority.open(folder);
  if (authority !== null) return { authority, members: new EstateMembers(folder, authority) };
  throw new Problem("not_found", "The keys of the estate are not on this hub.", {
    hint: "Run it where 'gatehouse estate create' ran.",
  });
}

function ownAddresses(port: number): string[] {
  const addresses = localAddresses().slice(0, MOST_ADDRESSES);
  if (addresses.length === 0 || port === 0) throw new UsageError("invite needs --address HOST:PORT here.");
  return addresses.map((address) => `${address.includes(":") ? `[${address}]` : address}:${port}`);
}

function validFor(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? 0);
  if (ms <= 0 || ms > LONGEST_INVITATION_MS)
    throw new UsageError("--valid takes minutes, hours or days up to seven, such as 30m, 24h or 7d.");
  return ms;
}
