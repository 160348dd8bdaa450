import type { LookupAddress } from "node:dns";
import t from "tap";
import { Poster } from "../../src/core/kernel/post.ts";
import { type Resolve, refusedAddress, refusedUrl, type TargetPolicy } from "../../src/core/kernel/target.ts";
import { detailEnglish } from "../../src/core/text/english.ts";
import { Receiver } from "../webhooks/setup.ts";

const strict = {
  allowLoopback: false,
  ownPorts: () => [8080, 1883],
  ownAddresses: () => ["192.168.1.2", "2001:db8::2"],
};

t.test("which addresses may be called", async (t) => {
  const allowed = [
    "192.168.1.5",
    "10.0.0.1",
    "172.16.3.4",
    "100.64.0.1",
    "93.184.216.34",
    "fd00::5",
    "2001:db8::1",
    "::ffff:192.168.1.5",
    "64:ff9b::c0a8:105",
  ];
  for (const address of allowed) t.equal(refusedAddress(address, 80, strict), null, address);
  const refused: [string, RegExp][] = [
    ["127.0.0.1", /loopback/],
    ["127.255.0.3", /loopback/],
    ["::1", /loopback/],
    ["0:0:0:0:0:0:0:1", /loopback/],
    ["::ffff:127.0.0.1", /loopback/],
    ["::ffff:7f00:1", /loopback/],
    ["::127.0.0.1", /loopback/],
    ["64:ff9b::7f00:1", /loopback/],
    ["2002:7f00:1::", /loopback/],
    ["0.0.0.0", /unspecified/],
    ["::", /unspecified/],
    ["169.254.169.254", /link-local/],
    ["::ffff:169.254.169.254", /link-local/],
    ["fe80::1", /link-local/],
    ["fe80::1%eth0", /link-local/],
    ["febf::1", /link-local/],
    ["224.0.0.1", /multicast/],
    ["239.255.255.250", /multicast/],
    ["255.255.255.255", /multicast/],
    ["ff02::1", /multicast/],
  ];
  for (const [address, reason] of refused) t.match(why(address, 80, strict), reason, address);
  t.match(why("192.168.1.2", 8080, strict), /itself/, "the hub's own port");
  t.match(why("::ffff:192.168.1.2", 1883, strict), /itself/);
  t.match(why("2001:db8:0::2", 8080, strict), /itself/);
  t.equal(refusedAddress("192.168.1.2", 8123, strict), null, "another service on this machine");
  const loose = { ...strict, allowLoopback: true };
  t.equal(refusedAddress("127.0.0.1", 8123, loose), null);
  t.match(why("127.0.0.1", 8080, loose), /itself/, "never the hub, even if loopback is allowed");
  t.match(why("169.254.169.254", 80, loose), /link-local/);
});

t.test("which web addresses may be registered", async (t) => {
  for (const url of [
    "http://192.168.1.5/x",
    "https://example.org",
    "http://homeassistant.local:8123/api/webhook/1",
    "http://[fd00::5]:8080/",
  ])
    t.equal(refusedUrl(url, strict), null, url);
  for (const url of [
    "",
    "192.168.1.5",
    "ftp://192.168.1.5/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http://",
    "http://localhost/",
    "http://LOCALHOST:9000/",
    "http://a.localhost/",
    "http://localhost./",
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://0/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[fe80::1]/",
    "http://169.254.169.254/latest/meta-data",
    "http://user:secret@192.168.1.5/",
    "http://user@192.168.1.5/",
    `http://192.168.1.5/${"x".repeat(2_000)}`,
  ]) {
    t.not(refusedUrl(url, strict), null, url.slice(0, 60));
  }
});

t.test("a name is judged by its address at the moment of the connection", async (t) => {
  const receiver = new Receiver();
  await receiver.start();
  const answers: Record<string, LookupAddress[]> = {
    "inside.example": [{ address: "127.0.0.1", family: 4 }],
    "mapped.example": [{ address: "::ffff:127.0.0.1", family: 6 }],
    "metadata.example": [{ address: "169.254.169.254", family: 4 }],
    "none.example": [],
  };
  let asked = 0;
  const resolve: Resolve = (hostname, _options, done) => {
    asked += 1;
    // Rebinding: harmless at the first lookup, the hub itself ever after.
    if (hostname === "rebinding.example")
      done(null, [{ address: asked === 1 ? "127.0.0.1" : "169.254.169.254", family: 4 }]);
    else done(null, answers[hostname] ?? []);
  };
  const call = async (host: string, allowLoopback: boolean) => {
    const poster = new Poster({ targets: { ...strict, allowLoopback, ownPorts: () => [] }, timeoutMs: 2_000, resolve });
    const answer = await poster.post(`http://${host}:${receiver.port}/`, {}, "{}", new AbortController().signal);
    poster.close();
    return answer;
  };
  for (const host of ["inside.example", "mapped.example", "metadata.example", "none.example"]) {
    t.match(await call(host, false), { ok: false, status: null, error: /^refused: / }, host);
  }
  t.equal(receiver.received.length, 0);
  asked = 0;
  t.match(await call("rebinding.example", true), { ok: true }, "connected to the address that was checked");
  t.equal(asked, 1, "and not looked up a second time");
  t.match(await call("rebinding.example", true), { ok: false, error: /link-local/ });
  await receiver.stop();
});

function why(address: string, port: number, policy: TargetPolicy): string | null {
  const refused = refusedAddress(address, port, policy);
  return refused === null ? null : detailEnglish(refused);
}
