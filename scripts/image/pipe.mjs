// @ts-check
/**
 * node pipe.mjs PORT: standard input and output are a connection to that port of the loopback address; for the
 * emulator's network.
 */
import { createConnection } from "node:net";

const there = createConnection(Number(process.argv[2]), "127.0.0.1");
process.stdin.pipe(there);
there.pipe(process.stdout);
for (const end of [there, process.stdin]) {
  end.on("error", () => process.exit(1));
  end.on("close", () => process.exit(0));
}
