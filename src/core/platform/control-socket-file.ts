import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Longest path of a Unix socket that every system takes (sockaddr_un.sun_path, with its final NUL). */
const LONGEST_SOCKET_PATH = 100;

/**
 * The control socket of a data folder: inside it or, if that path is too long for a socket, under a name of its own in
 * the folder for temporary files.
 */
export function controlSocketFile(dataFolder: string): string {
  const folder = resolve(dataFolder);
  const inside = join(folder, "control.sock");
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH) return inside;
  return join(tmpdir(), `gatehouse-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}.sock`);
}
