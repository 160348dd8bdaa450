import { existsSync } from "node:fs";

const SHELL = "/bin/sh";

/**
 * Ends the process now, whatever its threads do. `process.exit` waits until a thread returns from native code (seconds,
 * while a board loads the models), and then onnxruntime and the picture decoder abort the process, because their thread
 * has ended (`Napi::Error`): the exit code is lost, and with it a restart that somebody asked for. So where a thread is
 * left, a shell that only exits takes the process's place, and the threads are gone. No `exit` listener runs then.
 */
export function endProcess(
  node: Pick<NodeJS.Process, "execve" | "exit" | "platform">,
  code: number,
  isThreadLeft: boolean,
): never {
  // a failing execve aborts
  if (isThreadLeft && node.platform !== "win32" && existsSync(SHELL))
    node.execve?.(SHELL, ["sh", "-c", `exit ${code}`]);
  return node.exit(code);
}
