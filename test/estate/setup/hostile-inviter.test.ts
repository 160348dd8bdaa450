/** The maker of an invitation may answer it with anything: the joining hub reports it, and never waits forever. */
import { X509Certificate } from "node:crypto";
import { createServer, type TLSSocket } from "node:tls";
import t from "tap";
import { Problem } from "../../../src/core/kernel/problem.ts";
import { detailEnglish } from "../../../src/core/text/english.ts";
import { pinOf } from "../../../src/features/estate/setup/invitation-code.ts";
import { askToJoin } from "../../../src/features/estate/setup/joining.ts";
import { soundCertificates } from "../../support/certificates.ts";
import { testFolder } from "../../support/test-folder.ts";

const body = (text: string, status = "200 OK"): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const ADMISSION = {
  estate: "palm-court",
  hub: "north",
  name: "North gate",
  part: "main",
  role: "gate",
  servers: ["tls://127.0.0.1:4222"],
  ca: "",
  credential: "",
  plateKey: "",
};
const sends =
  (text: string, isEnd = true) =>
  (socket: TLSSocket): unknown =>
    isEnd ? socket.end(text) : socket.write(text);

const ANSWERS: Record<string, (socket: TLSSocket) => unknown> = {
  "another protocol": sends("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", false),
  "not HTTP": sends("gatehouse\r\n\r\n"),
  nothing: (socket) => socket.end(),
  "cut off": sends(body(JSON.stringify(ADMISSION)).slice(0, -20)),
  "no JSON": sends(body("{")),
  "a list": sends(body("[]")),
  "too long": sends(body(JSON.stringify({ ...ADMISSION, ca: "x".repeat(100_000) }))),
  deep: sends(body("[".repeat(60_000))),
  "a name that is a path": sends(body(JSON.stringify({ ...ADMISSION, hub: "../../x" }))),
  "a hub that is a number": sends(body(JSON.stringify({ ...ADMISSION, hub: 7 }))),
  "another role": sends(body(JSON.stringify({ ...ADMISSION, role: "owner" }))),
  "an estate that is a path": sends(body(JSON.stringify({ ...ADMISSION, estate: "a.>" }))),
  "an invalid error": sends(body(JSON.stringify({ error: 5 }), "403 Forbidden")),
  "an error of other types": sends(
    body(JSON.stringify({ error: { code: 5, message: { a: 1 }, words: { code: "nonsense" } } }), "403 Forbidden"),
  ),
  "an error in an unknown language": sends(
    body(
      JSON.stringify({ error: { code: "forbidden", message: "no", words: { code: "__proto__" } } }),
      "403 Forbidden",
    ),
  ),
};

t.test("an inviting hub that answers with anything", async (t) => {
  const { server, authority } = await soundCertificates({
    folder: testFolder(t),
    names: ["localhost"],
    addresses: ["127.0.0.1"],
    nowMs: Date.now(),
  });
  t.ok(authority);
  for (const [name, answer] of Object.entries(ANSWERS)) {
    const inviter = createServer({ cert: server.cert, key: server.key }, (socket) => {
      socket.on("error", () => {});
      socket.once("data", () => answer(socket));
    });
    await new Promise<void>((done) => inviter.listen(0, "127.0.0.1", done));
    const { port } = inviter.address() as { port: number };
    const code = {
      addresses: [`127.0.0.1:${port}`],
      pin: pinOf(new X509Certificate(server.cert).fingerprint256),
      secret: "x".repeat(24),
    };
    const error = await askToJoin(code, "U").then(
      () => null,
      (error: unknown) => error,
    );
    inviter.close();
    t.ok(error instanceof Problem, `${name}: ${String(error)}`);
    if (!(error instanceof Problem)) continue;
    t.type(error.code, "string", name);
    t.type(error.message, "string", name);
    if (error.words !== null) t.type(detailEnglish(error.words), "string", name);
  }
});
