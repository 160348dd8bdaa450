import { Problem } from "../kernel/problem.ts";
import { SettingsError } from "../settings/load.ts";
import type { Settings } from "../settings/schema.ts";
import { FolderTaken, FolderUnlockable } from "../storage/folder-lock.ts";

/** EX_CONFIG of sysexits.h: another start would end the same way, and the unit does not try one. */
export const EXIT_CONFIG = 78;
/** EX_TEMPFAIL of sysexits.h: the supervisor starts the hub again. */
export const EXIT_RESTART = 75;
/** The start may succeed later: `Restart=always` in systemd/gatehouse.service tries again. */
export const EXIT_FAILED = 1;

/** Why a start ended, for a reader of standard error, and whether another is worth trying. */
export interface StartFailure {
  /** Whole sentences: the problem and its remedy. */
  readonly text: string;
  /** 78: a person has to act first. 75: try again. 1: try again, less and less often. */
  readonly exitCode: number;
}

/** `settings`: those of this start; null if they could not be read. */
export function startFailure(error: unknown, settings: Settings | null): StartFailure {
  if (error instanceof SettingsError) return { text: error.message, exitCode: EXIT_CONFIG };
  if (error instanceof Problem) {
    const text = [error.message, error.hint].filter((part) => part !== null).join("\n");
    return { text: isFinal(error) ? text : `Gatehouse could not start: ${text}`, exitCode: exitCodeOf(error) };
  }
  const { code, message, path } = factsOf(error);
  if (code === "EMFILE" || code === "ENFILE")
    return {
      text: `Gatehouse could not start: this process may not open more files (${code}). Raise its limit: LimitNOFILE in the unit, or ulimit -n.`,
      exitCode: EXIT_FAILED,
    };
  const listening = listenFailure(error, settings);
  if (listening !== null) return listening;
  if (code === "ERR_DLOPEN_FAILED" || /MODULE_NOT_FOUND$/.test(code) || /bindings file/.test(message))
    return {
      text: `Gatehouse could not start: a part of the program is missing or is for another machine (${firstLine(message)}). Install this version again.`,
      exitCode: EXIT_CONFIG,
    };
  if (path !== null)
    return {
      text: `Gatehouse could not start: ${path} cannot be used (${code}). 'gatehouse doctor' names what is wrong with the data folder.`,
      exitCode: code === "EEXIST" || code === "ENOTDIR" || code === "ELOOP" ? EXIT_CONFIG : EXIT_FAILED,
    };
  return {
    text: `Gatehouse could not start: ${firstLine(message)}. 'gatehouse doctor' names what is wrong with the data folder; the log has the details.`,
    exitCode: EXIT_FAILED,
  };
}

function isFinal(problem: Problem): boolean {
  return problem.code === "database_newer" || problem instanceof FolderTaken || problem instanceof FolderUnlockable;
}

function exitCodeOf(problem: Problem): number {
  if (problem instanceof FolderTaken) return problem.holder?.what === "hub" ? EXIT_CONFIG : EXIT_RESTART;
  return isFinal(problem) ? EXIT_CONFIG : EXIT_FAILED;
}

/** A port that cannot be had, with the setting that names it. */
function listenFailure(error: unknown, settings: Settings | null): StartFailure | null {
  if (!(error instanceof Error) || !("syscall" in error) || error.syscall !== "listen") return null;
  const { code } = factsOf(error);
  const port = "port" in error && typeof error.port === "number" ? error.port : null;
  const address = "address" in error && typeof error.address === "string" ? error.address : "";
  const setting = settings === null || port === null ? null : settingOf(port, settings);
  const place = port === null ? address : `${address}:${port}`;
  const named = setting === null ? "" : ` (setting ${setting})`;
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program listens there, perhaps another hub. End it, or choose another port",
    EACCES: "this user may not listen there. Ports below 1024 need CAP_NET_BIND_SERVICE; or choose another port",
    EADDRNOTAVAIL: "this machine has no such address. Change http.host, or wait for the network",
  };
  return {
    text: `Gatehouse could not start: it cannot listen on ${place}${named}: ${why[code] ?? code}.`,
    exitCode: EXIT_FAILED,
  };
}

function settingOf(port: number, { http, mqtt, tls }: Settings): string | null {
  const ports = {
    "http.port": http.port,
    "mqtt.port": mqtt.port,
    "tls.httpsPort": tls.httpsPort,
    "tls.mqttsPort": tls.mqttsPort,
  };
  return Object.entries(ports).find(([, value]) => value === port)?.[0] ?? null;
}

function factsOf(error: unknown): { readonly code: string; readonly message: string; readonly path: string | null } {
  if (!(error instanceof Error)) return { code: "", message: String(error), path: null };
  return {
    code: "code" in error ? String(error.code) : "",
    message: error.message,
    path: "path" in error && typeof error.path === "string" ? error.path : null,
  };
}

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? "").replace(/\.$/, "");
}
