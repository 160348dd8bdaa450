import type { Socket } from "node:net";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import { ServerFrames } from "./server-frames.ts";

/** What a server may send at once, bytes: every plate rule and read of a large estate. */
const BURST_BYTES = 16 * 1_048_576;
/** What it may send in the long run, bytes in a millisecond: about two thousand short messages a second. */
const BYTES_PER_MS = 2_097;
/** What a message costs besides its bytes: it is parsed, and waits for the part that it is for. */
const MESSAGE_BYTES = 1_024;

/**
 * Connects to a server of the estate. What the server sends is bounded before the client library sees it, from its
 * greeting on, which anyone at the server's address can send: a server that does not keep to the protocol is
 * disconnected, one that sends without end is read no faster than a hub can work.
 * @throws Error when there is no connection within `timeout`
 */
export async function connectToServers(options: NodeConnectionOptions): Promise<NatsConnection> {
  const { NatsConnectionImpl, setTransportFactory } = await import("@nats-io/transport-node/lib/nats-base-client.js");
  const { NodeTransport, nodeResolveHost } = await import("@nats-io/transport-node/lib/node_transport.js");
  class BoundedTransport extends NodeTransport {
    override async dial(to: { hostname: string; port: number }): Promise<Socket> {
      return bounded(await super.dial(to));
    }

    override async startTLS() {
      return bounded(await super.startTLS());
    }
  }
  setTransportFactory({ factory: () => new BoundedTransport(), dnsResolveFn: nodeResolveHost });
  return NatsConnectionImpl.connect(options);
}

/** `push` is how a socket's bytes reach its readers: the library removes other listeners. */
function bounded<Stream extends Socket>(socket: Stream): Stream {
  const frames = new ServerFrames();
  const push = socket.push.bind(socket);
  /** Monotonic time at which all that has come would have been paid for. */
  let paidUntil = 0;
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (!Buffer.isBuffer(chunk)) return push(chunk, encoding);
    const lines = frames.lines;
    const wrong = frames.take(chunk);
    if (wrong !== null) {
      socket.destroy(new Error(`the server sent ${wrong}`));
      return false;
    }
    const cost = chunk.length + (frames.lines - lines) * MESSAGE_BYTES;
    const now = performance.now();
    paidUntil = Math.max(paidUntil, now - BURST_BYTES / BYTES_PER_MS) + cost / BYTES_PER_MS;
    const goesOn = push(chunk, encoding);
    if (paidUntil > now) {
      socket.pause(); // real time: it is the sender's
      setTimeout(() => socket.resume(), paidUntil - now).unref();
    }
    return goesOn;
  };
  return socket;
}
