import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually, Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const FFMPEG = "/usr/bin/ffmpeg";
const SECRET = "Zk9-geheim-4711";
const PICTURE = readFileSync(join(PROJECT_ROOT, "test/fixtures/plates/dashcam.jpg"));

async function listening<S extends Server>(server: S): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port; // it listens on TCP
}

/** A camera that requires sign-in, or a server that wants to collect credentials. */
async function snapshotCamera() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.authorization ?? "-"}`);
    if (request.headers.authorization === undefined)
      response.writeHead(401, { "www-authenticate": 'Basic realm="camera"' }).end();
    else response.writeHead(200, { "content-type": "image/jpeg" }).end(PICTURE);
  });
  return { port: await listening(server), requests, close: () => server.close() };
}

/** Other processes with a text among their arguments. */
function argumentsWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const words = readFileSync(`/proc/${name}/cmdline`, "latin1");
        return words.includes(text) ? [words.replaceAll("\0", " ")] : [];
      } catch {
        return []; // it has ended
      }
    });
}

t.test(
  "a camera's password is stored and never revealed: not by the API, not by the database, not to another host",
  async (t) => {
    const dataFolder = testFolder(t);
    const [camera, thief] = [await snapshotCamera(), await snapshotCamera()];
    // a stream that never answers
    const stream = createTcpServer((socket) => socket.on("error", () => undefined).resume());
    const streamPort = await listening(stream);
    t.teardown(() => {
      camera.close();
      thief.close();
      stream.close();
    });
    const owned = await startOwnedHub(dataFolder);
    let { hub } = owned;
    t.teardown(() => hub.kill());
    let person = owned.owner;
    await person.call("POST", "/api/devices", { id: "cam-1", name: "Camera", type: "camera" });
    const path = "/api/cameras/cam-1";
    const url = `http://admin@127.0.0.1:${camera.port}/snap.jpg?channel=1`;
    const watch = { kind: "manual" };

    const set = await person.call("PATCH", path, { source: { kind: "snapshot", url, password: SECRET, watch } });
    t.match(set, { status: 200, body: { camera: { hasPassword: true, source: { url } } } });
    const everything = JSON.stringify([
      set.body,
      (await person.call("GET", "/api/cameras")).body,
      (await person.call("GET", "/api/devices")).body,
    ]);
    t.notMatch(everything, SECRET);
    t.equal((await person.call("POST", `${path}/capture`)).status, 202);
    await eventually(() =>
      camera.requests.find((line) => line.includes(Buffer.from(`admin:${SECRET}`).toString("base64"))),
    );

    // The console's request body when something else is changed.
    const kept = await person.call("PATCH", path, {
      source: { kind: "snapshot", url: url.replace("channel=1", "channel=2"), password: "", watch },
    });
    t.match(kept, { status: 200, body: { camera: { hasPassword: true } } });
    camera.requests.length = 0;
    await person.call("POST", `${path}/capture`);
    await eventually(() => camera.requests.find((line) => line.startsWith("/snap.jpg?channel=2 Basic")));

    const elsewhere: Record<string, object> = {
      "another port": { kind: "snapshot", url: `http://admin@127.0.0.1:${thief.port}/snap.jpg`, watch },
      "another host": { kind: "snapshot", url: `http://admin@localhost:${camera.port}/snap.jpg`, watch },
      "another scheme": { kind: "rtsp", url: `rtsp://admin@127.0.0.1:${camera.port}/snap.jpg`, watch },
      "another user": { kind: "snapshot", url: `http://other@127.0.0.1:${camera.port}/snap.jpg`, watch },
      "motion events of another host": {
        kind: "snapshot",
        url,
        watch: { kind: "onvif", address: `http://localhost:${thief.port}/onvif/device_service` },
      },
    };
    for (const [name, source] of Object.entries(elsewhere)) {
      const answer = await person.call("PATCH", path, { source });
      t.hasStrict(
        answer,
        { status: 400, body: { error: { details: [{ field: "/source/password", code: "password_needed" }] } } },
        name,
      );
    }
    t.match(
      await person.call("PATCH", path, {
        source: { kind: "snapshot", url: `http://127.0.0.1:${thief.port}/snap.jpg`, watch },
      }),
      {
        status: 200,
        body: { camera: { hasPassword: false } },
      },
    );
    await person.call("POST", `${path}/capture`);
    await eventually(() => thief.requests.length > 0 || undefined);
    t.notOk(
      thief.requests.some((line) => !line.endsWith(" -")),
      "no other server received the credentials",
    );

    // Makers that put the password into the address.
    const odd = `http://127.0.0.1:${camera.port}/cgi-bin/api.cgi?cmd=Snap&user=admin&password=${SECRET}`;
    t.match(await person.call("PATCH", path, { source: { kind: "snapshot", url: odd, watch } }), {
      body: { camera: { hasPassword: true, source: { url: odd.replace(SECRET, "***") } } },
    });
    t.match(
      await person.call("PATCH", path, {
        source: { kind: "snapshot", url: odd.replace(SECRET, "***").replace("Snap", "Snap2"), watch },
      }),
      { status: 200 },
    );
    camera.requests.length = 0;
    await person.call("POST", `${path}/capture`);
    await eventually(() => camera.requests.find((line) => line.includes(`cmd=Snap2&user=admin&password=${SECRET}`)));

    if (existsSync(FFMPEG)) {
      const streamUrl = `rtsp://admin@127.0.0.1:${streamPort}/live`;
      const connected = new Promise((resolve) => stream.once("connection", resolve));
      t.equal(
        (await person.call("PATCH", path, { source: { kind: "rtsp", url: streamUrl, password: SECRET, watch } }))
          .status,
        200,
      );
      await connected; // ffmpeg has the address and uses it
      t.same(argumentsWith(SECRET), [], "no process has the password among its arguments");
      t.ok(argumentsWith("ffconcat").length > 0 || argumentsWith("pipe:0").length > 0, "although one reads the stream");
    }
    await hub.stop();
    t.notOk(readFileSync(join(dataFolder, "gatehouse.db")).includes(SECRET), "nothing of it is in the database");

    // A row as earlier versions wrote it.
    const raw = new SqliteDatabase(join(dataFolder, "gatehouse.db"));
    raw
      .prepare("UPDATE camera SET source = ? WHERE device_id = 'cam-1'")
      .run(JSON.stringify({ kind: "snapshot", url: url.replace("admin@", `admin:${SECRET}@`), watch }));
    raw.close();
    hub = await startHubProcess(dataFolder);
    person = new Person(hub.url);
    await person.call("POST", "/api/session", { email: "asha@example.org", password: "correct horse battery staple" });
    t.match(await person.call("GET", "/api/cameras"), { body: { cameras: [{ hasPassword: true, source: { url } }] } });
    camera.requests.length = 0;
    await person.call("POST", `${path}/capture`);
    await eventually(() =>
      camera.requests.find((line) => line.includes(Buffer.from(`admin:${SECRET}`).toString("base64"))),
    );
    await hub.stop();
    t.notOk(readFileSync(join(dataFolder, "gatehouse.db")).includes(SECRET), "the old content is overwritten");
  },
);
