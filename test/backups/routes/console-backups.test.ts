import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readHealth } from "../../../src/core/health/health.ts";
import { GOOD_PASSWORD } from "../../support/access.ts";
import { gatehouse } from "../../support/cli.ts";
import { startConsoleHub } from "../../support/console-hub.ts";
import { eventually, Person, startHubProcess } from "../../support/hub-process.ts";

interface ListedBackup {
  readonly id: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly file: string;
}

/** Sends a file in pieces to an open upload. */
async function sendPieces(port: number, id: string, bytes: Buffer, pieceBytes: number): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += pieceBytes) {
    const response = await fetch(`http://127.0.0.1:${port}/api/uploads/${id}?offset=${offset}`, {
      method: "PUT",
      headers: { "content-type": "application/octet-stream" },
      body: new Uint8Array(bytes.subarray(offset, offset + pieceBytes)),
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  }
}

t.test("made, listed, downloaded whole, rehearsed, deleted", async (t) => {
  const { call, port, hub } = await startConsoleHub(t);
  t.equal((await call("PUT", "/api/backups/passphrase", { passphrase: "short" })).status, 400);
  t.equal((await call("PUT", "/api/backups/passphrase", { passphrase: "long enough to keep" })).status, 200);
  const made = await call("POST", "/api/backups", {});
  t.equal(made.status, 201);
  const [backup] = (made.body as { backups: ListedBackup[] }).backups; // checked against the OpenAPI file
  t.hasStrict(backup, { destination: "local", reason: "person", encrypted: true, problem: null });
  t.hasStrict((await call("GET", "/api/backups")).body, {
    hasPassphrase: true,
    running: false,
    destinations: [{ name: "local", ready: true }],
  });
  const cookie = await signedIn(port);
  const download = await fetch(`http://127.0.0.1:${port}/api/backups/${backup?.id}/file`, { headers: { cookie } });
  const bytes = Buffer.from(await download.arrayBuffer());
  t.equal(createHash("sha256").update(bytes).digest("hex"), backup?.sha256);
  t.match(download.headers.get("content-disposition"), /gatehouse-.*\.db\.gz\.age/);
  t.match((await call("POST", "/api/backups/rehearse", {})).body, { rehearsal: { ok: true } });
  t.match(readHealth(hub.backups.checks).status, "ok");
  t.equal((await call("DELETE", `/api/backups/${backup?.id}`)).status, 200);
  t.notOk(existsSync(backup?.file ?? ""));
  t.equal((await call("GET", `/api/backups/${backup?.id}/file`)).status, 404);
  t.equal((await call("POST", "/api/backups/rehearse", {})).status, 409);
});

t.test("an error is reported as a code with values; one stored by an earlier version keeps its sentence", async (t) => {
  const { call, hub } = await startConsoleHub(t, { env: { GATEHOUSE_BACKUPS_DESTINATIONS: "usb:STICK" } });
  const words = { code: "place.noStick", label: "STICK" };
  t.match((await call("POST", "/api/backups", {})).body, { backups: [{ problem: /^No stick named STICK/, words }] });
  t.match((await call("GET", "/api/backups")).body, {
    destinations: [{ ready: false, words }],
    backups: [{ words }],
  });
  const health = () => readHealth(hub.backups.checks).checks.find(({ code }) => code === "backup-missing");
  t.match(health(), { text: /failed: No stick named STICK/, words: { why: words } });
  const { database } = hub.base;
  await database.write(() => database.raw.prepare("UPDATE backup SET words = NULL, problem = 'As it was.'").run());
  const { backups } = (await call("GET", "/api/backups")).body as { backups: object[] }; // checked against OpenAPI
  t.match(backups, [{ problem: "As it was." }]);
  t.notMatch(backups, [{ words: {} }]);
  t.match(health(), { text: /failed: As it was/ });
});

async function signedIn(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "owner@example.org", password: GOOD_PASSWORD }),
  });
  await response.arrayBuffer();
  return response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

t.test("uploads: pieces in order, no more than announced, deleted by no one else", async (t) => {
  const { call, port } = await startConsoleHub(t);
  const opened = await call("POST", "/api/uploads", { kind: "backup", bytes: 10 });
  const { upload } = opened.body as { upload: { id: string; pieceBytes: number } }; // checked against the OpenAPI file
  t.equal((await call("POST", "/api/restore", { uploadId: upload.id })).status, 409, "nothing has arrived");
  await sendPieces(port, upload.id, Buffer.from("0123456"), 4);
  t.match((await call("GET", `/api/uploads/${upload.id}`)).body, { upload: { received: 7, bytes: 10 } });
  await t.rejects(sendPieces(port, upload.id, Buffer.from("again"), 4), /409/);
  t.equal((await call("GET", `/api/uploads/${"x".repeat(32)}`)).status, 404);
  const second = await call("POST", "/api/uploads", { kind: "backup", bytes: 4 });
  const other = (second.body as { upload: { id: string } }).upload; // checked against the OpenAPI file
  await sendPieces(port, other.id, Buffer.from("junk"), 4);
  t.match(await call("POST", "/api/restore", { uploadId: other.id }), {
    status: 409,
    body: { error: { code: /^wrong_file$/, message: /not a backup/ } },
  });
});

t.test("a new hub accepts a backup instead of a claim, by its code only, and then becomes the old one", async (t) => {
  const old = await startConsoleHub(t);
  await old.call("PUT", "/api/backups/passphrase", { passphrase: "long enough to keep" });
  // checked against the OpenAPI file
  const [backup] = ((await old.call("POST", "/api/backups", {})).body as { backups: ListedBackup[] }).backups;
  const bytes = readFileSync(backup?.file ?? "");

  const dataFolder = join(t.testdirName, "fresh");
  let fresh = await startHubProcess(dataFolder, { GATEHOUSE_RECOGNITION: "false" });
  t.teardown(() => fresh.kill());
  const person = new Person(fresh.url);
  const port = Number(new URL(fresh.url).port);
  t.equal((await person.call("POST", "/api/claim/uploads", { code: "AAAAA-AAAAA", bytes: bytes.length })).status, 400);
  const opened = await person.call<{ upload: { id: string; pieceBytes: number } }>("POST", "/api/claim/uploads", {
    code: fresh.claimCode,
    bytes: bytes.length,
  });
  t.equal(opened.status, 201);
  await sendPieces(port, opened.body.upload.id, bytes, 16_384);
  const input = { code: fresh.claimCode, uploadId: opened.body.upload.id };
  t.hasStrict(await person.call("POST", "/api/claim/restore", input), {
    status: 400,
    body: { error: { code: "wrong_passphrase" } },
  });
  const wrong = await person.call("POST", "/api/claim/restore", { ...input, passphrase: "not the right one" });
  t.hasStrict(wrong, { status: 400, body: { error: { code: "wrong_passphrase" } } });
  const restored = await person.call("POST", "/api/claim/restore", { ...input, passphrase: "long enough to keep" });
  t.match(restored, { status: 202, body: { restore: { restarts: false } } });
  t.match((await person.call("GET", "/api/claim")).body, { claimed: false }, "nothing changes before the restart");
  await fresh.stop();

  fresh = await startHubProcess(dataFolder, { GATEHOUSE_RECOGNITION: "false" });
  t.match(fresh.output(), /switched to a restored backup/);
  t.equal(fresh.claimCode, null, "it has its owner again");
  const cookie = await signedIn(Number(new URL(fresh.url).port));
  t.match(cookie, /gatehouse_session=/);
  await eventually(async () => (existsSync(join(dataFolder, "restore-ready")) ? undefined : true));
  await fresh.stop();
  t.match(await gatehouse(dataFolder, ["doctor"]), { out: /ok +database/ });
});
