import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { Problem } from "../../core/kernel/problem.ts";
import { localAddresses } from "../../core/platform/network.ts";
import { isEstateName, readEstateConfig } from "../../features/estate/config.ts";
import { EstateAuthority, type EstatePlan } from "../../features/estate/setup/authority.ts";
import { makeServerAuthority } from "../../features/estate/setup/certificates.ts";
import { checkMembership, EstateMembers } from "../../features/estate/setup/invitations.ts";
import { estateFolder, joiningKey, writeMembership } from "../../features/estate/setup/joining.ts";
import { writeNatsFolders } from "../../features/estate/setup/nats-config.ts";
import { prepareServers } from "../../features/estate/setup/servers.ts";
import { expectHub, UsageError } from "../command.ts";
import { type EstateCall, type EstateOutcome, restarted } from "./call.ts";

const SERVER = {
  listen: "0.0.0.0",
  port: 4_222,
  clusterPort: 6_222,
  storeFolder: "/var/lib/gatehouse-nats",
  storeGb: 4,
};
const KEEP_DAYS = 90;
const SERVICE = "gatehouse-nats.service";

/** `gatehouse estate create NAME`: keys, configuration, streams, and this hub as the first member. */
export async function createEstate(call: EstateCall): Promise<EstateOutcome> {
  const { dataFolder, values, subject: estate } = call;
  if (!isEstateName(estate))
    throw new UsageError("create needs the estate's name: 1 to 32 small letters, digits or hyphens.");
  expectHub(dataFolder);
  const present = readEstateConfig(dataFolder);
  if (present !== null && present.estate !== estate)
    throw new Problem("conflict", `This hub is ${present.hub} of the estate ${present.estate}.`, {
      hint: "gatehouse estate leave takes it out.",
    });
  const folder = estateFolder(dataFolder);
  const known = await EstateAuthority.open(folder);
  if (known !== null && known.plan.estate !== estate)
    throw new Problem("conflict", `The keys of the estate ${known.plan.estate} are on this hub.`);
  if (known === null && present !== null)
    throw new Problem("conflict", `This hub has joined ${estate}; its keys are where it was made.`);
  const authority = await EstateAuthority.make(folder, planOf(call, estate, known?.plan ?? null), () =>
    makeServerAuthority(estate),
  );
  const folders = await writeNatsFolders(resolve(values.out ?? join(folder, "nats")), authority);
  await becomeFirst(call, authority);
  const isAlone = folders.length === 1;
  if (isAlone) startUnit();
  const ready = await prepared(authority);
  const next = ready ? await restarted(dataFolder) : nextSteps(folders, estate);
  const shown = { estate, servers: authority.servers, folders, ready };
  return {
    shown,
    text: ready
      ? `The estate ${estate} is there. ${next}\nInvite the other gates: gatehouse estate invite NAME\n`
      : next,
  };
}

/** The given values, else the earlier ones, else the usual ones. @throws UsageError */
function planOf({ values }: EstateCall, estate: string, known: EstatePlan | null): EstatePlan {
  if (values.cluster !== undefined && values.address !== undefined)
    throw new UsageError("Give --address for one server, or --cluster for three.");
  const given = values.cluster?.split(",").map((host) => host.trim()) ?? values.address;
  const hosts = given ?? known?.hosts ?? localAddresses().slice(0, 1);
  if (hosts.length === 0)
    throw new UsageError("create needs --address HOST: the host by which the other hubs reach this box.");
  if (hosts.length !== 1 && hosts.length !== 3)
    throw new UsageError("An estate has one server, or a cluster of three.");
  const odd = hosts.find((host) => !isHost(host));
  if (odd !== undefined || new Set(hosts).size !== hosts.length)
    throw new UsageError(`${odd ?? "Twice the same"} is no host: a name or an address, without a port.`);
  const before = known?.server ?? SERVER;
  const server = {
    listen: values.listen ?? before.listen,
    port: whole("port", values.port, 65_535) ?? before.port,
    clusterPort: whole("cluster-port", values["cluster-port"], 65_535) ?? before.clusterPort,
    storeFolder: values.store === undefined ? before.storeFolder : resolve(values.store),
    storeGb: whole("store-gb", values["store-gb"], 10_000) ?? before.storeGb,
  };
  if (isIP(server.listen) === 0) throw new UsageError("--listen takes an address of this box.");
  return {
    estate,
    hosts,
    keepDays: whole("keep-days", values["keep-days"], 3_650) ?? known?.keepDays ?? KEEP_DAYS,
    server,
  };
}

function isHost(text: string): boolean {
  return (
    isIP(text) !== 0 || /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text)
  );
}

function whole(name: string, text: string | undefined, most: number): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > most)
    throw new UsageError(`--${name} takes a whole number from 1 to ${most}.`);
  return Number(text);
}

/** Makes this hub a member unless it is one; the file that makes it effective is written last. */
async function becomeFirst({ dataFolder, settings, values }: EstateCall, authority: EstateAuthority): Promise<void> {
  const folder = estateFolder(dataFolder);
  const members = new EstateMembers(folder, authority);
  const present = readEstateConfig(dataFolder);
  const hub = present?.hub ?? values.hub ?? nameFrom(settings.discovery.name);
  const membership = {
    hub,
    name: values.title ?? present?.name ?? hub,
    part: values.part ?? present?.part ?? "main",
    role: "manager" as const,
  };
  checkMembership(membership);
  if (present !== null) {
    const member = members.list().find((one) => one.hub === hub);
    if (member === undefined) return;
    await members.put({ ...member, ...membership });
    await writeMembership(
      dataFolder,
      members.admission(membership, authority.credentialFor(member.publicKey, membership)),
      present.seed ?? "",
    );
    return;
  }
  const { publicKey, seed } = await joiningKey(dataFolder);
  const other = members.list().find((one) => one.hub === hub && one.removedAt === null && one.publicKey !== publicKey);
  if (other !== undefined)
    throw new Problem(
      "conflict",
      `There is a hub ${hub} in the estate already: give this one another name with --hub.`,
    );
  await members.put({ ...membership, publicKey, joinedAt: Date.now(), removedAt: null });
  await writeMembership(
    dataFolder,
    members.admission(membership, authority.credentialFor(publicKey, membership)),
    seed,
  );
}

function nameFrom(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 32);
  return isEstateName(name) ? name : "office";
}

/**
 * Has systemd run the server beside the hub, if this is a box with its unit and root asks; otherwise the next steps say
 * so.
 */
function startUnit(): void {
  if (process.getuid?.() !== 0 || !existsSync("/run/systemd/system") || !existsSync(`/etc/systemd/system/${SERVICE}`))
    return;
  const user = process.geteuid?.() ?? 0;
  process.seteuid?.(0);
  try {
    for (const verb of ["enable", "restart"]) execFileSync("systemctl", [verb, SERVICE], { stdio: "ignore" });
  } catch {
    // The next steps name the unit: its log says why.
  } finally {
    process.seteuid?.(user);
  }
}

/** Whether the servers have the streams; false if none answers. */
async function prepared(authority: EstateAuthority): Promise<boolean> {
  try {
    await prepareServers(authority);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === "unavailable") return false;
    throw error;
  }
}

function nextSteps(folders: readonly string[], estate: string): string {
  const start =
    folders.length === 1
      ? [`  sudo systemctl enable --now ${SERVICE}      (configuration: ${folders[0]})`]
      : [
          ...folders.map((folder) => `  copy ${folder} to its server as /var/lib/gatehouse/estate/nats`),
          `  there, with Debian's nats-server and systemd/${SERVICE}: sudo systemctl enable --now ${SERVICE}`,
        ];
  return `The estate's keys and the configuration of its servers are written; no server answers yet. Next:\n${[...start, `  gatehouse estate create ${estate}`].join("\n")}\n`;
}
