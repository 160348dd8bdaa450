/**
 * The settings of the channels when edits share a commit: each is checked against what the previous one has just
 * written.
 */
import t, { type Test } from "tap";
import { HubKey } from "../../src/core/platform/hub-key.ts";
import { Channels } from "../../src/features/notifications/channels.ts";
import type { EmailSettings } from "../../src/features/notifications/email.ts";
import { openDatabase } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const HOUSEHOLD = 1;
const TARGETS = { allowLoopback: true, ownPorts: () => [], ownAddresses: () => [] };
const MAIL: EmailSettings = {
  host: "192.168.1.5",
  port: 587,
  security: "starttls",
  user: "hub",
  from: "hub@home.test",
  pictures: false,
};

async function openChannels(t: Test) {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  await database.write(() =>
    database.raw
      .prepare(
        "INSERT INTO account (id, email, name, password_hash, created_at, updated_at) VALUES (?, 'a@b.test', 'Home', '', 0, 0)",
      )
      .run(HOUSEHOLD),
  );
  const channels = new Channels({ database, secrets: new HubKey(Buffer.alloc(32, 7)), targets: TARGETS });
  channels.start();
  return channels;
}

const ntfy = (server: string, secret?: string | null) => ({
  enabled: true,
  settings: { server, pictures: false },
  secret,
});

t.test("an edit that keeps the token keeps the one set by the previous edit in the commit", async (t) => {
  const channels = await openChannels(t);
  await channels.putNtfy(HOUSEHOLD, ntfy("http://192.168.1.4", "tk_old"));
  await Promise.all([
    channels.putNtfy(HOUSEHOLD, ntfy("http://192.168.1.4", "tk_new")),
    channels.putNtfy(HOUSEHOLD, { ...ntfy("http://192.168.1.4"), enabled: false }),
  ]);
  t.equal(channels.secret(HOUSEHOLD, "ntfy"), "tk_new");
  t.equal(channels.isOpen(HOUSEHOLD, "ntfy"), false);
});

t.test("a token is not sent to the server that another edit of the commit has just abandoned", async (t) => {
  const channels = await openChannels(t);
  await channels.putNtfy(HOUSEHOLD, ntfy("http://192.168.1.4", "tk_of_4"));
  const [moved, stale] = await Promise.allSettled([
    channels.putNtfy(HOUSEHOLD, ntfy("http://192.168.1.5", "tk_of_5")),
    channels.putNtfy(HOUSEHOLD, ntfy("http://192.168.1.4")),
  ]);
  t.equal(moved.status, "fulfilled");
  t.hasStrict(stale, { status: "rejected", reason: { code: "invalid_body", details: [{ field: "/token" }] } });
  t.equal(channels.find(HOUSEHOLD, "ntfy")?.settings.server, "http://192.168.1.5");
  t.equal(channels.secret(HOUSEHOLD, "ntfy"), "tk_of_5");
});

t.test("a password that was just removed does not count as set", async (t) => {
  const channels = await openChannels(t);
  await channels.putEmail(HOUSEHOLD, { enabled: true, settings: MAIL, secret: "word" });
  const [removed, kept] = await Promise.allSettled([
    channels.putEmail(HOUSEHOLD, { enabled: true, settings: { ...MAIL, user: null }, secret: null }),
    channels.putEmail(HOUSEHOLD, { enabled: true, settings: MAIL }),
  ]);
  t.equal(removed.status, "fulfilled");
  t.hasStrict(kept, { status: "rejected", reason: { code: "invalid_body", details: [{ field: "/password" }] } });
  t.equal(channels.find(HOUSEHOLD, "email")?.hasSecret, false);
});

t.test("two edits that set Web Push up agree on one pair of keys", async (t) => {
  const channels = await openChannels(t);
  const push = { enabled: true, settings: { contact: "mailto:a@b.test", hosts: [], pictures: false } };
  await Promise.all([channels.putPush(HOUSEHOLD, push), channels.putPush(HOUSEHOLD, push)]);
  const [publicKey, privateKey] = [
    channels.find(HOUSEHOLD, "push")?.settings.publicKey,
    channels.secret(HOUSEHOLD, "push"),
  ];
  await channels.putPush(HOUSEHOLD, push);
  t.equal(channels.find(HOUSEHOLD, "push")?.settings.publicKey, publicKey);
  t.equal(channels.secret(HOUSEHOLD, "push"), privateKey);
});
