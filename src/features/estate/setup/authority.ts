/**
 * An estate's keys, its members, and the claims that the NATS servers trust. Only the hub on which the estate was
 * created keeps them. Must never know the network or invitations.
 *
 * The rights of hubs are defined once, in the claim of the estate's account, for each role under a signing key of its
 * own; a hub's credential only identifies it. So adding a hub needs no change at the servers, and one is removed by a
 * single claim that names its key.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expectSmallFile, readSmallFile } from "../../../core/kernel/small-file.ts";
import { writeFileAtomicSync } from "../../../core/kernel/write-file-atomic.ts";
import { hubPermissions } from "../names.ts";
import { type Signer, signClaim } from "./claims.ts";

/** How a hub takes part: a manager sees all gates and may open those of others. */
export type EstateRole = "gate" | "manager";

/** The parameters for creating an estate. */
export interface EstatePlan {
  readonly estate: string;
  /** Hosts of the NATS servers: one, or those of a cluster. */
  readonly hosts: readonly string[];
  /** Retention of reads in days. */
  readonly keepDays: number;
  readonly server: ServerPlan;
}

/** The common parameters of all servers of an estate. */
interface ServerPlan {
  /** Address to listen at. */
  readonly listen: string;
  readonly port: number;
  /** Port on which the servers of a cluster talk to each other. */
  readonly clusterPort: number;
  /** The folder of a server's data. */
  readonly storeFolder: string;
  /** Most GiB of reads that a server stores. */
  readonly storeGb: number;
}

/** The file: the estate's secrets. Seeds are those of NATS ("SO…", "SA…"). */
interface AuthorityFile extends EstatePlan {
  readonly operator: string;
  readonly system: string;
  readonly account: string;
  readonly signers: Readonly<Record<EstateRole | "admin", string>>;
  /** 32 bytes as base64, the same at all hubs, with which they hash plates. */
  readonly plateKey: string;
  /** Certificate authority of the servers, PEM. */
  readonly ca: { readonly cert: string; readonly key: string };
  /** When the account's latest claim was issued: a newer one replaces it. */
  readonly claimedAt: number;
  /** Public keys of removed hubs, and the time up to which their credentials are void. */
  readonly revoked: Readonly<Record<string, number>>;
}

/** A credential for a connection to the servers. */
export interface NatsCredential {
  readonly jwt: string;
  readonly seed: Uint8Array;
}

const FILE = "authority.json";
const SEEDS = ["operator", "system", "account"] as const;
/**
 * An administrator's credential is made for one command and never stored; the servers' clocks may be off by this much.
 */
const ADMIN_SECONDS = 3_600;
/**
 * A removed hub's key is void forever, regardless of the clock by which its credential was made; if it is invited
 * again, it makes a new key.
 */
const FOR_EVER = 253_402_300_799;
const UNBOUNDED = { subs: -1, data: -1, payload: -1 };
/** Streams and consumers of an estate with 250 hubs: three consumers for each, and some room. */
const MOST_CONSUMERS = 1_024;
const MOST_STREAMS = 3;
const MOST_CONNECTIONS = 1_024;
/** A token that the servers replace by the name in a hub's credential. */
const OWN_NAME = "{{name()}}";

/** The keys of one estate. */
export class EstateAuthority {
  readonly #folder: string;
  readonly #nkeys: Nkeys;
  #file: AuthorityFile;

  private constructor(folder: string, file: AuthorityFile, nkeys: Nkeys) {
    this.#folder = folder;
    this.#file = file;
    this.#nkeys = nkeys;
  }

  /** The one in a folder; null if it does not exist. @throws Error when its file is damaged */
  static async open(folder: string): Promise<EstateAuthority | null> {
    const file = read(join(folder, FILE));
    return file === null ? null : new EstateAuthority(folder, file, await loadNkeys());
  }

  /**
   * Creates one, or takes the one in the folder and gives it the plan. @throws Error when it belongs to another estate
   */
  static async make(
    folder: string,
    plan: EstatePlan,
    makeCa: () => Promise<AuthorityFile["ca"]>,
  ): Promise<EstateAuthority> {
    const known = await EstateAuthority.open(folder);
    if (known !== null && known.plan.estate !== plan.estate)
      throw new Error(`This hub keeps the keys of the estate ${known.plan.estate} already.`);
    const nkeys = await loadNkeys();
    const seed = (pair: { getSeed(): Uint8Array }): string => Buffer.from(pair.getSeed()).toString();
    const account = (): string => seed(nkeys.createAccount());
    const file: AuthorityFile = known?.withPlan(plan) ?? {
      ...plan,
      operator: seed(nkeys.createOperator()),
      system: account(),
      account: account(),
      signers: { gate: account(), manager: account(), admin: account() },
      plateKey: randomBytes(32).toString("base64"),
      ca: await makeCa(),
      claimedAt: 0,
      revoked: {},
    };
    const made = new EstateAuthority(folder, file, nkeys);
    made.#save({ ...file, claimedAt: laterThan(file.claimedAt) });
    return made;
  }

  get plan(): EstatePlan {
    const { estate, hosts, keepDays, server } = this.#file;
    return { estate, hosts, keepDays, server };
  }

  /** Addresses of the servers, such as `tls://10.0.0.5:4222`. */
  get servers(): string[] {
    const { hosts, server } = this.#file;
    return hosts.map((host) => `tls://${host.includes(":") ? `[${host}]` : host}:${server.port}`);
  }

  get ca(): { readonly cert: string; readonly key: string } {
    return this.#file.ca;
  }

  get plateKey(): string {
    return this.#file.plateKey;
  }

  /** The file as it would be with another plan. */
  withPlan(plan: EstatePlan): AuthorityFile {
    return { ...this.#file, ...plan };
  }

  /**
   * The credential of the hub with this public key; it never expires.
   * @throws Error if that is not a user's key
   */
  credentialFor(publicKey: string, { hub, role }: { readonly hub: string; readonly role: EstateRole }): string {
    if (!isUserKey(this.#nkeys, publicKey)) throw new Error("That is no public key of a user of NATS.");
    const nats = { type: "user", version: 2, issuer_account: this.#key("account").getPublicKey() };
    return signClaim(this.#pair(this.#file.signers[role]), { subject: publicKey, name: hub, issuedAt: now(), nats });
  }

  /** A credential for everything within the estate's account: creates streams, removes what a removed hub leaves. */
  adminCredential(): NatsCredential {
    const nats = {
      type: "user",
      version: 2,
      issuer_account: this.#key("account").getPublicKey(),
      pub: {},
      sub: {},
      ...UNBOUNDED,
    };
    return this.#shortLived(this.#pair(this.#file.signers.admin), nats);
  }

  /** A credential for the servers' own account, which takes claims. */
  systemCredential(): NatsCredential {
    return this.#shortLived(this.#key("system"), { type: "user", version: 2, pub: {}, sub: {}, ...UNBOUNDED });
  }

  /**
   * The claims that the servers trust. `account` defines the rights; `beginning` is the same account without any
   * members: a server that has lost its data admits nobody until it has received the current claim, so a removed hub
   * does not come back with an old configuration.
   */
  claims(): Readonly<Record<"operator" | "system" | "systemKey" | "account" | "accountKey" | "beginning", string>> {
    const [operator, system, account] = [this.#key("operator"), this.#key("system"), this.#key("account")];
    const [operatorKey, systemKey, accountKey] = [
      operator.getPublicKey(),
      system.getPublicKey(),
      account.getPublicKey(),
    ];
    const { estate } = this.#file;
    const about = { version: 2, default_permissions: { pub: {}, sub: {} } };
    const open = { ...UNBOUNDED, imports: -1, exports: -1, wildcards: true, leaf: 0 };
    const limits = {
      ...open,
      conn: MOST_CONNECTIONS,
      mem_storage: -1,
      disk_storage: -1,
      streams: MOST_STREAMS,
      consumer: MOST_CONSUMERS,
    };
    return {
      operator: signClaim(operator, {
        subject: operatorKey,
        name: estate,
        issuedAt: now(),
        nats: { type: "operator", version: 2, system_account: systemKey },
      }),
      system: signClaim(operator, {
        subject: systemKey,
        name: "SYS",
        issuedAt: now(),
        nats: { type: "account", ...about, limits: { ...open, conn: -1 } },
      }),
      account: signClaim(operator, {
        subject: accountKey,
        name: estate,
        issuedAt: this.#file.claimedAt,
        nats: {
          type: "account",
          ...about,
          limits,
          signing_keys: [
            this.#pair(this.#file.signers.admin).getPublicKey(),
            this.#scope("gate"),
            this.#scope("manager"),
          ],
          revocations: this.#file.revoked,
        },
      }),
      systemKey,
      accountKey,
      beginning: signClaim(operator, {
        subject: accountKey,
        name: estate,
        issuedAt: 1,
        nats: { type: "account", ...about, limits: { ...limits, conn: 0 } },
      }),
    };
  }

  /** Voids all credentials of these keys; {@link claims} includes it from now on, and is newer than any before. */
  revoke(publicKeys: readonly string[]): void {
    const revoked = { ...this.#file.revoked, ...Object.fromEntries(publicKeys.map((key) => [key, FOR_EVER])) };
    this.#save({ ...this.#file, claimedAt: laterThan(this.#file.claimedAt), revoked });
  }

  #scope(role: EstateRole): object {
    const { publish, subscribe } = hubPermissions(this.#file.estate, OWN_NAME, role);
    return {
      kind: "user_scope",
      key: this.#pair(this.#file.signers[role]).getPublicKey(),
      role,
      template: { ...UNBOUNDED, pub: { allow: publish }, sub: { allow: subscribe } },
    };
  }

  #shortLived(issuer: Signer, nats: object): NatsCredential {
    const user = this.#nkeys.createUser();
    const issuedAt = now();
    return {
      jwt: signClaim(issuer, {
        subject: user.getPublicKey(),
        name: "command line",
        issuedAt,
        expiresAt: issuedAt + ADMIN_SECONDS,
        nats,
      }),
      seed: user.getSeed(),
    };
  }

  #key(name: (typeof SEEDS)[number]) {
    return this.#pair(this.#file[name]);
  }

  #pair(seed: string) {
    return this.#nkeys.fromSeed(Buffer.from(seed));
  }

  #save(file: AuthorityFile): void {
    writeFileAtomicSync(join(this.#folder, FILE), `${JSON.stringify(file, null, 2)}\n`);
    this.#file = file;
  }
}

type Nkeys = Awaited<ReturnType<typeof loadNkeys>>;

/** The NATS key library: loaded where an estate is administered, and nowhere else. */
export async function loadNkeys() {
  const { nkeys } = await import("@nats-io/transport-node");
  return nkeys;
}

function isUserKey(nkeys: Nkeys, text: string): boolean {
  if (!/^U[A-Z2-7]{55}$/.test(text)) return false;
  try {
    nkeys.fromPublic(text);
    return true;
  } catch {
    return false;
  }
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}

/** Servers keep the newer of two claims, by seconds, regardless of clock jumps between them. */
function laterThan(before: number): number {
  return Math.max(now(), before + 1);
}

function read(path: string): AuthorityFile | null {
  const found = readSmallFile(path);
  if (found.kind === "missing") return null;
  const file = JSON.parse(expectSmallFile(path).toString("utf8")) as AuthorityFile; // written whole or not at all
  if (SEEDS.some((name) => typeof file[name] !== "string"))
    throw new Error(`${path} does not hold the keys of an estate.`);
  return file;
}
