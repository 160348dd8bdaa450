import type { Test } from "tap";
import { HubKey } from "../../src/core/platform/hub-key.ts";
import type { OpenedSession } from "../../src/features/access/sign-in.ts";
import { GOOD_PASSWORD, openAccess } from "../support/access.ts";
import { Recorded } from "../support/recorded.ts";

const BY = { accountId: null, actor: "cli" };

/** Two households with an owner each, and all the answers about them. */
export async function households(t: Test) {
  const told: Record<string, unknown[]> = { heard: [], feed: [], audited: [] };
  const parts = await openAccess(t, { hubKey: new HubKey(Buffer.alloc(32, 1)) });
  const { access, database, clock } = parts;
  access.accounts.onCreated((made) => void told.heard?.push({ created: made }));
  access.accounts.onSiteEdited((siteId) => void told.heard?.push({ siteEdited: siteId }));
  await access.watch.start();
  access.watch.onChange(() => void told.heard?.push("rights"));
  let last = 0;
  const settle = async () => {
    await database.writeIfPossible(() => {});
    const lines = database.raw
      .prepare<[number], { id: number }>("SELECT * FROM audit WHERE id > ? ORDER BY id")
      .all(last);
    last = lines.at(-1)?.id ?? last;
    told.audited?.push(...lines.map(({ id, ...line }) => line));
    told.feed?.push(...parts.feed.splice(0));
  };
  // keys are shown in part, and the part differs on every run
  const shown = (text: string) => text.replace(/(gth_(?:live|test)_)\w{4}(?:…\w{4})?/g, "$1…");
  const r = new Recorded(told, clock.now(), settle, shown);
  const passwordHash = await access.passwords.hash(GOOD_PASSWORD);
  const own = (email: string, name: string) =>
    database.write(() => access.accounts.create({ email, name, passwordHash }, BY));
  const [home, other] = [await own("olga@example.org", "Olga"), await own("ravi@example.org", "Ravi")];
  await settle();
  return { ...parts, r, home: home.id, other: other.id, passwordHash };
}

export type Households = Awaited<ReturnType<typeof households>>;

/** A session without the parts that differ on every run. */
export const shownSession = ({ account, sessionId, token }: OpenedSession) => ({
  accountId: account.id,
  name: account.name,
  role: account.role,
  sessionId,
  isSecure: token.startsWith("tls."),
});

/** The bytes of base32. */
export function bytesOf(text: string): Buffer {
  const bits = [...text].map((letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  );
  return Buffer.from((bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
