/** A neighbour without a credential begins handshakes with the Matter node without end, each under another name. */
import {
  type Bytes,
  ChannelType,
  Environment,
  Logger,
  LogLevel,
  NodeId,
  Observable,
  ServerNode,
  type UdpNetworkChannel,
} from "@matter/main";
import { SessionManager } from "@matter/main/protocol";
import t from "tap";
import { limitHandshakes } from "../../src/features/matter/process/bridge/limits.ts";
import { testFolder } from "../support/test-folder.ts";

type Handshake = Parameters<SessionManager["createUnsecuredSession"]>[0];

/** A datagram's way back; nothing is sent on it. */
function channelTo(ip: string, port: number): Handshake["channel"] {
  const channel: UdpNetworkChannel<Bytes> = {
    type: ChannelType.UDP,
    name: `udp://[${ip}]:${port}`,
    isReliable: false,
    supportsLargeMessages: false,
    maxPayloadSize: 1_232,
    networkAddress: { type: "udp", ip, port },
    networkAddressChanged: Observable(),
    send: async () => undefined,
    close: async () => undefined,
  };
  return channel;
}

Logger.level = LogLevel.FATAL; // it reports each session that ends

t.test("handshakes of one address are few, and another's stays", async (t) => {
  const environment = new Environment("attacks", Environment.default);
  environment.vars.set("storage.path", testFolder(t));
  const node = await ServerNode.create({ id: "bridge", environment, network: { ble: false } });
  t.teardown(() => node.close());
  const sessions = node.env.get(SessionManager);
  limitHandshakes(sessions);
  const begin = (ip: string, nth: number) =>
    sessions.createUnsecuredSession({ channel: channelTo(ip, 1_024 + nth), initiatorNodeId: NodeId(BigInt(nth + 1)) });
  const own = begin("fe80::1", 0);
  const others = Array.from({ length: 2_000 }, (_, nth) => begin("fe80::2", nth + 1));
  await new Promise((resolve) => setImmediate(resolve));
  t.ok(sessions.unsecuredSessions.size <= 64, `${sessions.unsecuredSessions.size} are kept`);
  t.notOk(own.isClosed, "a home that is joining goes on");
  t.ok(others[0]?.isClosed);
  t.notOk(others.at(-1)?.isClosed, "the newest is served");
});
