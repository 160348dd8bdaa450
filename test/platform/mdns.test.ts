import makeMulticastDns, { type ResponsePacket } from "multicast-dns";
import t, { type Test } from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { silentLogger } from "../../src/kernel/logger.js";
import { MdnsResponder } from "../../src/platform/mdns.js";
import { type AnnouncedService, answersTo, type DnsRecord, type InterfaceAddress, inNetwork, recordsOf, ttlOf } from "../../src/platform/mdns-records.js";
import { eventually } from "../support/hub-process.js";

const LOOPBACK: InterfaceAddress = { name: "lo", address: "127.0.0.1", netmask: "255.0.0.0", family: "IPv4" };
const WIRE: InterfaceAddress = { name: "eth0", address: "192.168.7.20", netmask: "255.255.255.0", family: "IPv4" };
const HTTP: AnnouncedService = { type: "_http._tcp", port: 80, txt: { path: "/" } };

t.test("records: names, ports, texts; taken back with no time to live", async (t) => {
  const announcement = {
    host: "gatehouse",
    instance: "My gate",
    services: [HTTP, { type: "_gatehouse._tcp", port: 80, txt: { v: "1.0.0", id: "abc", api: "/v1" } }],
  };
  const records = recordsOf(announcement, [WIRE, { ...WIRE, family: "IPv6", address: "fd00::5" }]);
  const of = (type: string, name: string): DnsRecord[] => records.filter((record) => record.type === type && record.name === name);
  t.match(of("A", "gatehouse.local"), [{ data: "192.168.7.20", flush: true, ttl: 120 }]);
  t.match(of("AAAA", "gatehouse.local"), [{ data: "fd00::5" }]);
  t.match(of("PTR", "_http._tcp.local"), [{ data: "My gate._http._tcp.local" }]);
  t.same(of("PTR", "_services._dns-sd._udp.local").length, 2);
  t.match(of("SRV", "My gate._gatehouse._tcp.local"), [{ data: { port: 80, target: "gatehouse.local" } }]);
  t.match(of("TXT", "My gate._gatehouse._tcp.local"), [{ data: ["v=1.0.0", "id=abc", "api=/v1"] }]);
  t.ok(recordsOf(announcement, [WIRE], 0).every((record) => ttlOf(record) === 0));

  const { answers, additionals } = answersTo({ name: "_HTTP._tcp.local", type: "PTR" }, records);
  t.match(answers, [{ type: "PTR" }]);
  t.same(additionals.map(({ type }) => type).sort(), ["A", "AAAA", "SRV", "TXT"], "what the asker wants next");
  t.same(answersTo({ name: "other.local", type: "A" }, records), { answers: [], additionals: [] });
  t.ok(inNetwork("192.168.7.99", WIRE));
  t.notOk(inNetwork("192.168.8.99", WIRE));
});

/** A responder on the loopback interface with a port of this test, and everything that it says. */
async function loopback(t: Test, port: number, changes: { id?: string; addresses?: () => InterfaceAddress[] } = {}) {
  const names: string[] = [];
  const responder = new MdnsResponder({
    host: "gatehouse",
    title: "Gatehouse",
    services: () => [{ ...HTTP, txt: { ...HTTP.txt, id: changes.id ?? "one" } }],
    id: changes.id ?? "one",
    addresses: changes.addresses ?? (() => [LOOPBACK]),
    changed: (name) => names.push(name),
    port,
    clock: systemClock,
    logger: silentLogger,
  });
  await responder.start();
  t.teardown(() => responder.stop());
  return { responder, names };
}

const multicastWorks = await new Promise<boolean>((resolve) => {
  const probe = makeMulticastDns({ interface: "127.0.0.1", bind: "0.0.0.0", port: 45_353 });
  const end = (works: boolean): void => {
    clearTimeout(timer);
    probe.destroy(() => resolve(works));
  };
  const timer = setTimeout(() => end(false), 1_500);
  probe.on("query", () => end(true));
  probe.on("error", () => end(false));
  probe.on("ready", () => probe.query([{ name: "there.local", type: "A" }]));
});
const skip = !multicastWorks && "the loopback interface carries no multicast here";

t.test("found by name and by service, gives way to another hub, says goodbye", { skip }, async (t) => {
  const port = 45_354;
  const heard: ResponsePacket[] = [];
  const listener = makeMulticastDns({ interface: "127.0.0.1", bind: "0.0.0.0", port });
  t.teardown(() => new Promise<void>((done) => listener.destroy(() => done())));
  listener.on("response", (packet) => heard.push(packet));
  const { responder } = await loopback(t, port);
  await eventually(() => responder.announced || undefined);
  const ask = async (name: string, type: "A" | "PTR"): Promise<DnsRecord[]> => {
    heard.length = 0;
    listener.query([{ name, type }]);
    const packet = await eventually(() => heard.find(({ answers }) => answers?.some((answer) => answer.name === name)));
    return [...(packet.answers ?? []), ...(packet.additionals ?? [])];
  };
  t.match(await ask("gatehouse.local", "A"), [{ type: "A", data: "127.0.0.1" }]);
  t.ok((await ask("_http._tcp.local", "PTR")).some((record) => record.type === "SRV" && record.data.target === "gatehouse.local"));

  const second = await loopback(t, port, { id: "two" });
  await eventually(() => (second.responder.announced && second.responder.hostName === "gatehouse-2.local") || undefined);
  t.same(second.names, ["gatehouse-2.local"]);
  t.equal(responder.hostName, "gatehouse.local", "the first keeps its name");

  heard.length = 0;
  await responder.stop();
  const goodbye = await eventually(() => heard.find(({ answers }) => answers?.some((record) => ttlOf(record) === 0)));
  t.ok(goodbye.answers?.every((record) => ttlOf(record) === 0));
});

t.test("a new address is told to the network without a restart", { skip }, async (t) => {
  let addresses: InterfaceAddress[] = [];
  const { responder, names } = await loopback(t, 45_355, { addresses: () => addresses });
  await eventually(() => responder.announced || undefined);
  addresses = [LOOPBACK];
  await eventually(() => names.length > 0 || undefined, 15_000);
  await eventually(() => responder.announced || undefined);
  t.same(names, ["gatehouse.local"]);
});
