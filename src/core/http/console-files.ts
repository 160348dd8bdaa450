import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { Problem } from "../kernel/problem.ts";
import { isRead } from "./answer-writer.ts";
import type { HubMiddleware, RequestFacts } from "./exchange.ts";
import { routeNotFound } from "./middleware/access.ts";
import { CONSOLE_HEADERS } from "./middleware/security-headers.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};
/** Names that the bundler derives from the content: such a file never changes. */
const HASHED = /[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
const COMPRESSIBLE = /^(text\/|application\/(json|manifest)|image\/svg)/;

/** One file of the console, ready to be sent. */
export interface ConsoleFile {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly etag: string;
  readonly cacheControl: string;
  readonly contentEncoding: Packing | null;
  /** The page of the single-page app. */
  readonly isApp: boolean;
}

type Packing = "br" | "gzip";

interface StaticFile {
  readonly path: string;
  plain: ConsoleFile | null;
  readonly packed: Map<Packing, ConsoleFile>;
}

/** Packs a file once, when it is first asked for; `br` makes a seventh less of it, and browsers take it over https only. */
const PACK: Readonly<Record<Packing, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify(gzip) as (bytes: Buffer) => Promise<Buffer>,
};
/** The two above it save two percent more and take ten times as long, which a Raspberry Pi's first visitor would wait for. */
const BROTLI_QUALITY = 9;
/** What a page shows and requests before it has any script. */
interface FirstSight {
  /** Links of its head, which a browser follows at once. */
  readonly links: readonly string[];
  /** The picture that the page opens with, as an `img` has it; it is painted with the page. */
  readonly picture: { readonly src: string; readonly srcset: string; readonly sizes: string } | null;
}
/** Of a page's reader; null: of nobody in particular. */
export type FirstSightOf = (facts: RequestFacts) => FirstSight | null;
/** Where index.html leaves room for the picture. */
const PICTURE_PLACE = "<!-- picture -->";
const IS_API = /^\/(v1|api)(\/|$)/;

/** Answers what no operation did: with a file of the console, or with 404. */
export function consoleFiles(files: ConsoleFiles | null, firstSightOf: FirstSightOf): HubMiddleware {
  return async ({ state }) => {
    const { method, path, headers } = state.facts;
    if (files === null || IS_API.test(path)) throw routeNotFound();
    const file = await files.find(path, headers.accept ?? "", String(headers["accept-encoding"] ?? ""));
    if (file === null) throw routeNotFound();
    if (!isRead(method))
      throw new Problem("method_not_allowed", "The console's files are only read.", {
        headers: { Allow: "GET, HEAD" },
      });
    const { bytes, contentType, etag, cacheControl, contentEncoding } = file;
    const first = file.isApp ? sightFor(state.facts, firstSightOf) : null;
    const picture = first?.picture ?? null;
    // One that is made for its reader is sent unpacked: it is two kilobytes.
    const made = picture === null ? null : withPicture(files.page, picture);
    const encoding = made === null ? contentEncoding : null;
    const sent = {
      ...CONSOLE_HEADERS,
      "Cache-Control": first === null ? cacheControl : `private, ${cacheControl}`,
      Vary: file.isApp ? "Accept-Encoding, Cookie" : "Accept-Encoding",
      ...(encoding === null ? {} : { "Content-Encoding": encoding }),
      ...(first === null ? {} : { Link: first.links.join(", ") }),
    };
    // a page that is kept with its head is not the same for somebody who has signed out
    const mark = first === null ? etag : `${etag.slice(0, -1)}-in"`;
    state.answer = {
      status: 200,
      bytes: made ?? bytes,
      contentType,
      etag: made === null ? mark : etagOf(made),
      headers: sent,
    };
  };
}

/** Null also where it cannot be read: the page is where somebody sees that storage fails. */
function sightFor(facts: RequestFacts, firstSightOf: FirstSightOf): FirstSight | null {
  try {
    return firstSightOf(facts);
  } catch {
    return null;
  }
}

function withPicture(page: Buffer, { src, srcset, sizes }: NonNullable<FirstSight["picture"]>): Buffer {
  const image = `<img src="${src}" srcset="${srcset}" sizes="${sizes}" alt="" fetchpriority="high" />`;
  return Buffer.from(page.toString().replace(PICTURE_PLACE, `<div class="hero-picture">${image}</div>`));
}

/**
 * The console's built files. Only files that were in the folder at the start are served, so no path can lead out of it;
 * a page address of the single-page app gets index.html.
 */
export class ConsoleFiles {
  readonly #folder: string;
  readonly #entries = new Map<string, StaticFile>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Lists the folder; a missing one leaves the console out. */
  start(): void {
    if (!statSync(this.#folder, { throwIfNoEntry: false })?.isDirectory()) return;
    for (const file of readdirSync(this.#folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile() || file.name.startsWith(".") || !(extname(file.name) in TYPES)) continue;
      const path = join(file.parentPath, file.name);
      this.#entries.set(`/${relative(this.#folder, path).split(sep).join("/")}`, {
        path,
        plain: null,
        packed: new Map(),
      });
    }
  }

  /** Whether there is a console to serve. */
  get isThere(): boolean {
    return this.#entries.has("/index.html");
  }

  /** index.html as it was built. @throws Error when there is none */
  get page(): Buffer {
    const entry = this.#entries.get("/index.html");
    if (entry === undefined) throw new Error("the console has no index.html");
    entry.plain ??= load(entry.path);
    return entry.plain.bytes;
  }

  /** The file for a path; pages without a file of their own get the app when the client wants HTML. Null: not found. */
  async find(path: string, accept: string, acceptEncoding: string): Promise<ConsoleFile | null> {
    const wantsPage = accept.includes("text/html") && extname(path) === "";
    const entry =
      this.#entries.get(path === "/" ? "/index.html" : path) ??
      (wantsPage ? this.#entries.get("/index.html") : undefined);
    if (!entry) return null;
    entry.plain ??= load(entry.path);
    const packing = /\bbr\b/.test(acceptEncoding) ? "br" : /\bgzip\b/.test(acceptEncoding) ? "gzip" : null;
    if (packing === null || !COMPRESSIBLE.test(entry.plain.contentType)) return entry.plain;
    const known = entry.packed.get(packing) ?? (await packed(entry.plain, packing));
    entry.packed.set(packing, known);
    return known;
  }
}

function load(path: string): ConsoleFile {
  const bytes = readFileSync(path);
  return {
    bytes,
    contentType: TYPES[extname(path)] ?? "application/octet-stream",
    etag: etagOf(bytes),
    cacheControl: HASHED.test(path) && extname(path) !== ".html" ? "public, max-age=31536000, immutable" : "no-cache",
    contentEncoding: null,
    isApp: path.endsWith(`${sep}index.html`),
  };
}

function etagOf(bytes: Buffer): string {
  return `"${createHash("sha1").update(bytes).digest("base64url")}"`;
}

async function packed(plain: ConsoleFile, packing: Packing): Promise<ConsoleFile> {
  return {
    ...plain,
    bytes: await PACK[packing](plain.bytes),
    etag: `${plain.etag.slice(0, -1)}-${packing === "gzip" ? "gz" : packing}"`,
    contentEncoding: packing,
  };
}
