/**
 * Data folders of a hub with an owner and a furnished test household: made once by a real hub and copied by every test
 * that begins there. Claiming and furnishing takes half a second of processor time (a password hash, 48 hours of
 * history, pictures), and has tests of its own.
 */
import { randomUUID } from "node:crypto";
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "./database.ts";

const SHELF = join(PROJECT_ROOT, ".cache", "test-homes");
/** One run of the suite; a file started by hand is a run of its own. */
const RUN = process.env.GATEHOUSE_TEST_RUN ?? `by-hand-${process.pid}`;
/** A home that was left long ago would be a different start: sessions end, and the time since is simulated. */
const FRESH_MS = 600_000;

/** What is stored beside a home. */
interface Made {
  /** The owner's session as a Cookie header. */
  readonly cookie: string;
}

/**
 * Makes `folder` a copy of the home of this `kind`, which `make` sets up in an empty folder and leaves with its hub
 * stopped; resolves with the result of `make`. The first process that needs it makes it.
 */
export async function moveIn(folder: string, kind: string, make: (folder: string) => Promise<Made>): Promise<Made> {
  const name = `${kind}-${RUN}-`;
  const home = newest(name) ?? (await makeHome(name, make));
  cpSync(join(home, "data"), folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
  return JSON.parse(readFileSync(join(home, "made.json"), "utf8")) as Made; // written below
}

/** The newest home whose name begins like this; null when there is none, or only old ones. */
function newest(name: string): string | null {
  if (!existsSync(SHELF)) return null;
  const times = readdirSync(SHELF)
    .filter((entry) => entry.startsWith(name))
    .map((entry) => Number(entry.slice(name.length)))
    .filter((madeAt) => Date.now() - madeAt < FRESH_MS); // unfinished ones have no number
  return times.length === 0 ? null : join(SHELF, `${name}${Math.max(...times)}`);
}

async function makeHome(name: string, make: (folder: string) => Promise<Made>): Promise<string> {
  mkdirSync(SHELF, { recursive: true });
  for (const entry of readdirSync(SHELF)) {
    const madeAt = Number(/-(\d+)$/.exec(entry)?.[1]);
    // nobody copies it any more
    if (Date.now() - madeAt > 6 * FRESH_MS) rmSync(join(SHELF, entry), { recursive: true, force: true });
  }
  const draft = join(SHELF, `draft-${randomUUID()}-${Date.now()}`);
  mkdirSync(join(draft, "data"), { recursive: true });
  const made = await make(join(draft, "data"));
  writeFileSync(join(draft, "made.json"), JSON.stringify(made));
  const home = join(SHELF, `${name}${Date.now()}`);
  renameSync(draft, home);
  return home;
}
