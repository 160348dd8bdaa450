import { type ChildProcess, spawn } from "node:child_process";
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { eventually } from "./hub-process.ts";

/**
 * A small RTSP server (RFC 2326, interleaved over TCP) for one clip: Debian's ffmpeg makes the RTP packets, this passes
 * them to the players.
 */
export class RtspServer {
  readonly #ffmpeg: string;
  readonly #clip: string;
  readonly #folder: string;
  readonly #server: Server = createServer((socket) => this.#serve(socket));
  readonly #rtp: UdpSocket = createSocket("udp4");
  readonly #playing = new Set<Socket>();
  readonly #sockets = new Set<Socket>();
  #process: ChildProcess | null = null;
  #sdp = "";

  constructor(ffmpeg: string, clip: string, folder: string) {
    this.#ffmpeg = ffmpeg;
    this.#clip = clip;
    this.#folder = folder;
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => this.#rtp.bind(0, "127.0.0.1", resolve));
    this.#rtp.on("message", (packet) => {
      const head = Buffer.from([0x24, 0, packet.length >> 8, packet.length & 0xff]);
      for (const socket of this.#playing) socket.write(Buffer.concat([head, packet]));
    });
    const sdpFile = join(this.#folder, "clip.sdp");
    const source = [
      "-loglevel",
      "error",
      "-re",
      "-stream_loop",
      "-1",
      "-i",
      this.#clip,
      "-an",
      "-c:v",
      "mpeg4",
      "-q:v",
      "3",
      "-g",
      "8",
    ];
    const target = `rtp://127.0.0.1:${this.#rtp.address().port}?pkt_size=1300`;
    this.#process = spawn(this.#ffmpeg, [...source, "-f", "rtp", "-sdp_file", sdpFile, target], { stdio: "ignore" });
    const text = await eventually(async () => (await readFile(sdpFile, "utf8").catch(() => "")) || undefined, 20_000);
    this.#sdp = text.replace(/^SDP:\s*/, "").replace(/m=video \d+/, "m=video 0");
  }

  get url(): string {
    return `rtsp://127.0.0.1:${(this.#server.address() as AddressInfo).port}/clip`; // it listens on TCP
  }

  /** Ends every connection, like a camera that loses power. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#process?.kill("SIGKILL");
    await new Promise((resolve) => this.#server.close(resolve));
    await new Promise<void>((resolve) => this.#rtp.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#playing.delete(socket);
    });
    let pending = "";
    socket.on("data", (chunk) => {
      pending += chunk.toString("latin1");
      for (let end = pending.indexOf("\r\n\r\n"); end >= 0; end = pending.indexOf("\r\n\r\n")) {
        const request = pending.slice(0, end);
        pending = pending.slice(end + 4);
        if (/^[A-Z]+ /.test(request)) this.#answer(socket, request); // the rest is RTCP of the player
      }
    });
  }

  #answer(socket: Socket, request: string): void {
    const method = request.slice(0, request.indexOf(" "));
    const sequence = /CSeq: *(\d+)/i.exec(request)?.[1] ?? "0";
    const heads: Readonly<Record<string, string>> = {
      OPTIONS: "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n",
      DESCRIBE: `Content-Base: ${this.url}/\r\nContent-Type: application/sdp\r\nContent-Length: ${Buffer.byteLength(this.#sdp)}\r\n`,
      SETUP: "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1\r\n",
      PLAY: "Session: 1\r\nRange: npt=0-\r\n",
    };
    socket.write(
      `RTSP/1.0 200 OK\r\nCSeq: ${sequence}\r\n${heads[method] ?? ""}\r\n${method === "DESCRIBE" ? this.#sdp : ""}`,
    );
    if (method === "PLAY") this.#playing.add(socket);
  }
}
