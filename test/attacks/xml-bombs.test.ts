import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { discoverOnvif } from "../../src/features/cameras/onvif/discovery.ts";
import { callSoap } from "../../src/features/cameras/onvif/soap.ts";
import { ANSWER_LIMITS, BadXml, DATAGRAM_LIMITS, parseXml } from "../../src/features/cameras/onvif/xml.ts";

/**
 * Maximum CPU time for the most expensive of these documents: far above the measured 10 ms, far below the 5 s of the
 * attack.
 */
const MOST_CPU_MS = 500;
const many = (piece: string, characters: number): string => piece.repeat(Math.floor(characters / piece.length));

/** Documents of about `size` characters that cost parsers most. */
function nasty(size: number): Record<string, string> {
  return {
    "empty elements": `<a>${many("<b/>", size)}</a>`,
    "elements with text": `<a>${many("<b>x</b>", size)}</a>`,
    "text in pieces": `<a>${many("x<!---->", size)}</a>`,
    "carriage returns": `<a>${many("\r", size)}</a>`,
    "line ends": `<a>${many("\r\n", size)}</a>`,
    references: `<a>${many("&amp;", size)}</a>`,
    "unknown references": `<a>${many("&nobody;", size)}</a>`,
    "one endless reference": `<a>&#${many("1", size)}`,
    "open elements": many("<a>", size),
    "deep elements": many("<a>", size / 2) + many("</a>", size / 2),
    "closing tags": many("</a>", size),
    "CDATA in pieces": `<a>${many("<![CDATA[x]]>y", size)}</a>`,
    "CDATA without an end": `<a>${many("<![CDATA[", size)}`,
    "comments without an end": many("<!--", size),
    instructions: `<a>${many("<?x ?>", size)}</a>`,
    attributes: `<a ${Array.from({ length: Math.floor(size / 14) }, (_, index) => `a${index}="x"`).join(" ")}/>`,
    "an attribute without an end": `<a b="${many("x", size)}`,
    "a long name": `<${many("a", size)}/>`,
    spaces: `<a ${many(" ", size)}/>`,
    brackets: `<a>${many("]]", size)}</a>`,
    slashes: many("/>", size),
    "declared entities": `<!DOCTYPE a [${many("<!ENTITY b 'x'>", size)}]><a/>`,
  };
}

function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

t.test("no document costs more than a valid one of the largest size", async (t) => {
  for (const [limits, size] of [
    [DATAGRAM_LIMITS, 58_000],
    [DATAGRAM_LIMITS, DATAGRAM_LIMITS.characters - 40],
    [ANSWER_LIMITS, 976_000],
    [ANSWER_LIMITS, ANSWER_LIMITS.characters - 40],
    [ANSWER_LIMITS, 24_000],
  ] as const) {
    for (const [name, xml] of Object.entries(nasty(size))) {
      const took = cpuOf(() => {
        try {
          parseXml(xml, limits);
        } catch (error) {
          if (!(error instanceof BadXml)) throw error;
        }
      });
      if (took > MOST_CPU_MS) t.fail(`${name}, ${size} characters: ${took} ms`);
    }
  }
  t.pass();
});

t.test("entity expansion in a small document is refused", async (t) => {
  const laughs = `<!DOCTYPE l [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, index) => `<!ENTITY a${index} "${"&a;".repeat(10)}">`).join("")}]><l>&a8;</l>`;
  const outside = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><x>&f;</x>';
  for (const xml of [laughs, outside, "<!DOCTYPE a SYSTEM 'http://127.0.0.1/x.dtd'><a/>"])
    t.throws(() => parseXml(xml), BadXml);
  t.equal(parseXml("<a>&f;</a>").text, "&f;", "an unknown reference is left unchanged");
  t.throws(() => parseXml(many("<a>", 300) + many("</a>", 400)), BadXml, "no more than 64 levels");
});

t.test("a search is not delayed by datagrams from other hosts", async (t) => {
  const camera = createSocket("udp4");
  await new Promise<void>((resolve) => camera.bind(0, "127.0.0.1", resolve));
  t.teardown(() => camera.close());
  const bombs = Object.values(nasty(58_000)).map((xml) => Buffer.from(xml).subarray(0, 60_000));
  camera.on("message", (_, from) => {
    for (let round = 0; round < 20; round++)
      for (const bomb of bombs) camera.send(bomb, from.port, from.address, () => undefined);
  });
  const before = process.cpuUsage();
  const found = await discoverOnvif({
    interfaces: ["127.0.0.1"],
    waitMs: 700,
    target: { address: "127.0.0.1", port: camera.address().port },
  });
  const { user } = process.cpuUsage(before);
  t.same(found, []);
  t.ok(user / 1000 < 2 * MOST_CPU_MS, `${user / 1000} ms for some hundred datagrams`);
});

t.test("an endless answer of a camera is abandoned", async (t) => {
  let sent = 0;
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/soap+xml" });
    const more = (): void => {
      if (response.destroyed || sent > 50_000_000) return;
      sent += 65_536;
      if (response.write("<a>".repeat(21_845))) setImmediate(more);
      else response.once("drain", more);
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server
  const peer = { url: `http://127.0.0.1:${port}/onvif`, user: "", password: "", clockShiftMs: 0 };
  await t.rejects(callSoap(peer, { action: "x", body: "", timeoutMs: 10_000 }), /too large/);
  t.ok(sent < 10_000_000, `${sent} bytes were accepted`);
});
