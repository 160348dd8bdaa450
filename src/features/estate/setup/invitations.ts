/**
 * Invitations to an estate and its members, as small files beside its keys: the command line and the running hub use
 * them concurrently, so each change atomically creates one file.
 */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolderBelow } from "../../../core/kernel/folder-below.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { expectSmallFile, readSmallFile, smallFileText } from "../../../core/kernel/small-file.ts";
import { writeFileAtomic } from "../../../core/kernel/write-file-atomic.ts";
import { isEstateName } from "../config.ts";
import type { EstateAuthority, EstateRole } from "./authority.ts";

/** A hub's membership in an estate. */
export interface Membership {
  readonly hub: string;
  /** Its name for people. */
  readonly name: string;
  readonly part: string;
  readonly role: EstateRole;
}

/** A hub that has joined; times are epoch milliseconds. */
export interface Member extends Membership {
  readonly publicKey: string;
  readonly joinedAt: number;
  readonly removedAt: number | null;
}

interface Invitation extends Membership {
  readonly expiresAt: number;
}

/** The admission data for a joining hub. */
export interface Admission extends Membership {
  readonly estate: string;
  readonly servers: readonly string[];
  /** Authority of the servers, PEM. */
  readonly ca: string;
  /** Its credential, which identifies it. */
  readonly credential: string;
  readonly plateKey: string;
}

const SECRET_BYTES = 18;
const MOST_HUBS = 250;

/** The invitations and members of one estate; `folder` is where its keys are. */
export class EstateMembers {
  readonly #folder: string;
  readonly #authority: EstateAuthority;

  constructor(folder: string, authority: EstateAuthority) {
    this.#folder = folder;
    this.#authority = authority;
  }

  /** All hubs that ever joined, by name. */
  list(): Member[] {
    return filesOf(join(this.#folder, "members"))
      .map((file) => parsed<Member>(file))
      .filter((member) => member !== null)
      .sort((a, b) => a.hub.localeCompare(b.hub));
  }

  /**
   * Makes an invitation and returns its secret; an earlier one for the same hub becomes void.
   * @throws Problem `conflict`, `invalid_body`, `limit_reached`
   */
  async invite(membership: Membership, expiresAt: number, nowMs: number): Promise<string> {
    checkMembership(membership);
    const members = this.list().filter(({ removedAt }) => removedAt === null);
    if (members.some(({ hub }) => hub === membership.hub))
      throw new Problem("conflict", { code: "conflict.estateHub", hub: membership.hub });
    if (members.length >= MOST_HUBS)
      throw new Problem("limit_reached", { code: "refusal.most.hubs", limit: MOST_HUBS });
    for (const file of filesOf(this.#invitations)) {
      const known = parsed<Invitation>(file);
      if (known === null || known.hub === membership.hub || known.expiresAt < nowMs) await withdraw(file);
    }
    const secret = randomBytes(SECRET_BYTES).toString("base64url");
    const { hub, name, part, role } = membership;
    await makeFolderBelow(this.#folder, this.#invitations);
    await writeFileAtomic(this.#invitationFile(secret), `${JSON.stringify({ hub, name, part, role, expiresAt })}\n`);
    return secret;
  }

  /**
   * Admits the hub that has an invitation's secret. The first key to come is admitted; the same key may ask again until
   * the invitation ends, because a response can get lost.
   * @throws Problem `forbidden` for every invalid or expired secret
   */
  async admit(secret: string, publicKey: string, nowMs: number): Promise<Admission> {
    const file = this.#invitationFile(secret);
    const invitation = parsed<Invitation>(file);
    if (invitation === null || invitation.expiresAt < nowMs) throw refused();
    const { hub, name, part, role } = invitation;
    const credential = credentialOf(this.#authority, publicKey, { hub, role });
    if (!(await claim(`${file}.key`, publicKey))) throw refused();
    const known = parsed<Member>(this.#memberFile(hub));
    if (known !== null && known.publicKey === publicKey && known.removedAt !== null) throw refused();
    if (known !== null && known.publicKey !== publicKey && known.removedAt === null) throw refused();
    if (known?.publicKey !== publicKey)
      await this.put({ hub, name, part, role, publicKey, joinedAt: nowMs, removedAt: null });
    return this.admission({ hub, name, part, role }, credential);
  }

  /** A member's data besides its credential. */
  admission(membership: Membership, credential: string): Admission {
    const { plan, servers } = this.#authority;
    return {
      estate: plan.estate,
      ...membership,
      servers,
      ca: this.#authority.ca.cert,
      credential,
      plateKey: this.#authority.plateKey,
    };
  }

  /** Records a member. */
  async put(member: Member): Promise<void> {
    const file = this.#memberFile(member.hub);
    await makeFolderBelow(this.#folder, dirname(file));
    await writeFileAtomic(file, `${JSON.stringify(member)}\n`);
  }

  /**
   * Removes a hub: from now on its key is void in the account's claim, and no invitation of its name is valid. Returns
   * its member; the servers still have to be informed. @throws Problem `not_found`
   */
  async remove(hub: string, nowMs: number): Promise<Member> {
    const member = isEstateName(hub) ? parsed<Member>(this.#memberFile(hub)) : null;
    for (const file of filesOf(this.#invitations)) if (parsed<Invitation>(file)?.hub === hub) await withdraw(file);
    if (member === null) throw new Problem("not_found", `There is no hub ${hub} in the estate.`);
    const removed = { ...member, removedAt: member.removedAt ?? nowMs };
    this.#authority.revoke([member.publicKey]);
    await this.put(removed);
    return removed;
  }

  get #invitations(): string {
    return join(this.#folder, "invitations");
  }

  /** The file holds only the secret's hash: reading it does not let anyone join. */
  #invitationFile(secret: string): string {
    return join(this.#invitations, `${createHash("sha256").update(secret).digest("hex")}.json`);
  }

  #memberFile(hub: string): string {
    return join(this.#folder, "members", `${hub}.json`);
  }
}

/** @throws Problem `invalid_body` for an impossible hub of an estate */
export function checkMembership({ hub, name, part }: Membership): void {
  for (const [code, value] of [
    ["refusal.estate.hub", hub],
    ["refusal.estate.part", part],
  ] as const)
    if (!isEstateName(value)) throw new Problem("invalid_body", { code, value: JSON.stringify(value) });
  if (name.trim() === "" || name.length > 80) throw new Problem("invalid_body", { code: "refusal.estate.hubName" });
}

function credentialOf(authority: EstateAuthority, publicKey: string, who: Pick<Membership, "hub" | "role">): string {
  try {
    return authority.credentialFor(publicKey, who);
  } catch {
    throw refused();
  }
}

/** Whether the key owns the file, or does now: two that come at once cannot both. */
async function claim(file: string, publicKey: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx", 0o600);
    await handle.writeFile(publicKey);
    await handle.close();
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return smallFileText(file) === publicKey;
  }
}

async function withdraw(file: string): Promise<void> {
  for (const path of [file, `${file}.key`]) await rm(path, { force: true });
}

function refused(): Problem {
  return new Problem("forbidden", { code: "forbidden.invitationEnded" });
}

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => (name.endsWith(".json") ? [join(folder, name)] : []));
}

/** One of the hub's own small files, written whole or not at all; null if it does not exist. */
function parsed<Shape>(file: string): Shape | null {
  return readSmallFile(file).kind === "missing" ? null : (JSON.parse(expectSmallFile(file).toString("utf8")) as Shape);
}
