/**
 * The page `/ca`: instructions for a phone or computer to trust this hub. One self-contained document, since plain http
 * serves it while it serves no console. Its script polls over https whether the browser trusts the hub, and switches
 * over when it does: nobody sees a browser's warning.
 */
import { createHash } from "node:crypto";
import { escapeHtml } from "../../../core/http/html.ts";
import { PLATFORMS, TRUST_TEXTS, type TrustLanguage, type TrustTexts } from "./trust-texts.ts";

/** What the page shows. */
export interface TrustFacts {
  readonly language: TrustLanguage;
  /** Scheme and host under which it was asked for, such as `http://192.168.1.7:8080`. */
  readonly baseUrl: string;
  readonly httpsPort: number;
  readonly fingerprint: string;
  /**
   * The name that the certificate holds in any case, with scheme and port of plain http; null where the hub announces
   * none.
   */
  readonly namedUrl: string | null;
  /** Whether the page may offer to continue in clear: the hub has no owner yet, and plain http is open. */
  readonly offersClear: boolean;
  /** The console's own type for both languages, as WOFF2; null where the console is not built. */
  readonly fonts: { readonly latin: Buffer; readonly devanagari: Buffer } | null;
}

const STYLE = `
:root{color-scheme:light dark;--ground:#f5f4f0;--surface:#fff;--line:#dcd9d0;--ink:#17201e;--soft:#56605c;--accent:#0d5f57;--accent-ink:#fff;--warm:#8a5a00;--warm-soft:#fbeccb;--allow:#17683a;--allow-soft:#dcf1e3}
@media (prefers-color-scheme:dark){:root{--ground:#101514;--surface:#1a211f;--line:#2d3633;--ink:#eaefec;--soft:#a9b5b0;--accent:#63d3c3;--accent-ink:#06211d;--warm:#f3c567;--warm-soft:#392d12;--allow:#7fdca2;--allow-soft:#16341f}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.6 "Inter","Noto Sans Devanagari",system-ui,sans-serif}
main{max-width:40rem;margin:0 auto;padding:1.5rem 1rem 4rem}h1{font-size:1.75rem;line-height:1.2;margin:.5rem 0}h2{font-size:1.125rem;margin:0 0 .5rem}
p{margin:.5rem 0}.soft{color:var(--soft)}a{color:var(--accent)}a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.top{display:flex;justify-content:space-between;align-items:center}.brand{display:flex;gap:.6rem;align-items:center;font-size:1.125rem}.card{background:var(--surface);border:1px solid var(--line);border-radius:16px;padding:1.125rem;margin:1rem 0}
.state{border-radius:10px;padding:.75rem 1rem;background:var(--warm-soft);color:var(--warm);font-weight:600}.state.closed{background:var(--allow-soft);color:var(--allow)}
.button{display:inline-block;min-height:44px;padding:.6rem 1.1rem;border-radius:999px;background:var(--accent);color:var(--accent-ink);font-weight:600;text-decoration:none}
details{border-top:1px solid var(--line);padding:.6rem 0}h2+details,.card>details:first-child{border-top:0}summary{cursor:pointer;min-height:28px;font-weight:600}ol{margin:.4rem 0;padding-left:1.4rem}
code{font:.875em/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}img{background:#fff;border-radius:10px;max-width:100%}[hidden]{display:none}`;

/** The mark of the console. */
const MARK = `<svg viewBox="0 0 64 64" width="32" height="32" aria-hidden="true"><rect width="64" height="64" rx="15" fill="#0d5f57"/><path d="M14 47V27.5L32 15l18 12.5V47" fill="none" stroke="#fff" stroke-width="4.5" stroke-linejoin="round" stroke-linecap="round"/><path d="M22 47V34m6.7 13V34m6.6 13V34M42 47V34M19 38.5h26" stroke="#ffd479" stroke-width="3.2" stroke-linecap="round"/></svg>`;

const SCRIPT = `
const page = document.documentElement.dataset, state = document.getElementById("state");
const agent = navigator.userAgent;
const mine = /Firefox/.test(agent) && !/Android/.test(agent) ? "firefox" : /iPhone|iPad/.test(agent) || (/Macintosh/.test(agent) && navigator.maxTouchPoints > 1) ? "iphone"
  : /Android/.test(agent) ? "android" : /Windows/.test(agent) ? "windows" : /Macintosh/.test(agent) ? "mac" : "linux";
document.getElementById(mine).open = true;
const https = "https://" + location.hostname + (page.port === "443" ? "" : ":" + page.port);
async function look() {
  try {
    await fetch(https + "/healthz", { cache: "no-store", credentials: "omit" });
  } catch {
    setTimeout(look, 2000);
    return;
  }
  state.textContent = page.trusted;
  state.classList.add("closed");
  setTimeout(() => location.replace(https + "/"), 1200);
}
if (location.protocol === "http:") look();`;

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
/**
 * `https:` and not the hub's own address: a policy cannot name an IPv6 address. The page holds nothing that could be
 * sent away.
 */
const policyOf = (type: string): string =>
  `default-src 'none'; img-src data:; font-src data:; style-src ${hash(STYLE)} ${hash(type)}; script-src ${hash(SCRIPT)}; connect-src https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The first page looks as the next one does; plain http serves no file of the console, so the type comes with it. */
function typeOf({ latin, devanagari }: NonNullable<TrustFacts["fonts"]>): string {
  const face = (family: string, font: Buffer): string =>
    `@font-face{font-family:"${family}";font-weight:100 900;src:url(data:font/woff2;base64,${font.toString("base64")}) format("woff2")}`;
  return face("Inter", latin) + face("Noto Sans Devanagari", devanagari); // each language names the other
}

/** The page with the policy that lets a browser show it. */
export async function trustPage(facts: TrustFacts): Promise<{ html: Buffer; contentSecurityPolicy: string }> {
  const { language, baseUrl, httpsPort, fingerprint, fonts } = facts;
  const type = fonts === null ? "" : typeOf(fonts);
  const words = TRUST_TEXTS[language];
  const text = (key: Exclude<keyof TrustTexts, "platforms">): string => escapeHtml(words[key]);
  const other = language === "en" ? "hi" : "en";
  const isEncrypted = baseUrl.startsWith("https:");
  const { toString: qrCode } = await import("qrcode");
  const here = `${baseUrl}/ca`;
  const picture = `data:image/svg+xml;base64,${Buffer.from(await qrCode(here, { type: "svg", margin: 1 })).toString("base64")}`;
  const html = `<!doctype html>
<html lang="${language}" data-port="${httpsPort}" data-trusted="${text("trusted")}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${text("title")}</title><style>${STYLE}</style>${type === "" ? "" : `<style>${type}</style>`}</head>
<body><main>
<div class="top"><strong class="brand">${MARK}Gatehouse</strong><a href="/ca?lang=${other}" hreflang="${other}" lang="${other}">${TRUST_TEXTS[other].language}</a></div>
<h1>${text("title")}</h1>
<p class="soft">${text("lead")}</p>
<p class="state${isEncrypted ? " closed" : ""}" id="state" role="status">${isEncrypted ? text("encrypted") : text("waiting")}</p>
${isEncrypted ? `<p><a class="button" href="/">${text("console")}</a></p>` : ""}
<section class="card"><h2>1. ${text("download")}</h2>
<p><a class="button" href="/ca.crt" download="gatehouse-ca.crt">${text("download")}</a></p>
<p class="soft">${text("downloadText")}</p></section>
<section class="card"><h2>2. ${text("compare")}</h2><p>${text("compareText")}</p><p><code>${fingerprint}</code></p><p class="soft">${text("bounds")}</p></section>
<section class="card"><h2>3. ${text("install")}</h2>${PLATFORMS.map((platform) => steps(platform, words)).join("")}</section>
<section class="card"><details><summary>${text("stuck")}</summary><p>${text("stuckText")}${facts.namedUrl === null ? "" : ` <a href="${escapeHtml(facts.namedUrl)}/ca">${escapeHtml(facts.namedUrl)}</a>`}</p></details>
<details><summary>${text("other")}</summary><p>${text("otherText")}</p><img src="${picture}" width="220" height="220" alt="${escapeHtml(here)}">
<p class="soft">${text("devices")} <a href="/ca-devices.crt" download="gatehouse-ca-devices.crt">ca-devices.crt</a></p></details>
${facts.offersClear ? `<details><summary>${text("without")}</summary><p>${text("withoutText")}</p><p><a href="/?clear">${text("withoutGo")}</a></p></details>` : ""}</section>
</main><script>${SCRIPT}</script></body></html>
`;
  return { html: Buffer.from(html), contentSecurityPolicy: policyOf(type) };
}

function steps(platform: (typeof PLATFORMS)[number], { platforms }: TrustTexts): string {
  const [name, ...lines] = platforms[platform];
  return `<details id="${platform}"><summary>${escapeHtml(name)}</summary><ol>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join("")}</ol></details>`;
}
