import { getAuthorityFile, getAuthorityPage } from "../../contract/routes/authority.js";
import { type BoundRoute, bindOpen } from "../exchange.js";

/** The hub's own authority as its page shows it. */
export interface ShownAuthority {
  /** PEM. */
  readonly cert: string;
  readonly fingerprint: string;
}

const PAGE_POLICY = "default-src 'none'; img-src data:; frame-ancestors 'none'";

/** `/ca` and `/ca.crt`: trusting the hub once, on phones and computers of the household. */
export function authorityRoutes(authority: ShownAuthority): BoundRoute[] {
  return [
    bindOpen(getAuthorityFile, () => ({
      status: 200,
      bytes: Buffer.from(authority.cert),
      contentType: "application/x-x509-ca-cert",
      headers: { "Content-Disposition": 'attachment; filename="gatehouse-ca.crt"' },
    })),
    bindOpen(getAuthorityPage, async ({ baseUrl }) => ({
      status: 200,
      bytes: Buffer.from(await page(baseUrl, authority.fingerprint)),
      contentType: "text/html; charset=utf-8",
      headers: { "Content-Security-Policy": PAGE_POLICY },
    })),
  ];
}

async function page(baseUrl: string, fingerprint: string): Promise<string> {
  const { toString: qrCode } = await import("qrcode");
  const url = `${baseUrl}/ca.crt`;
  const picture = `data:image/svg+xml;base64,${Buffer.from(await qrCode(url, { type: "svg", margin: 1 })).toString("base64")}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Trust this hub</title></head>
<body>
<h1>Trust this hub</h1>
<p>This hub encrypts with certificates of its own authority. Install it once on each phone and computer, and their browsers stop warning.</p>
<p><a href="/ca.crt" download>Download the certificate</a>, or scan:</p>
<p><img src="${picture}" width="220" height="220" alt="QR code of ${url}"></p>
<h2>Compare before you trust</h2>
<p>The fingerprint (SHA-256) must be the one that the box printed when it started:</p>
<p><code>${fingerprint}</code></p>
<h2>Then</h2>
<ul>
<li>Android: Settings, Security, Encryption and credentials, Install a certificate, CA certificate.</li>
<li>iPhone and iPad: open the file, install the profile in Settings, then switch it on under General, About, Certificate Trust Settings.</li>
<li>Windows: open the file, Install Certificate, Local Machine, Trusted Root Certification Authorities.</li>
<li>macOS: open the file in Keychain Access and set it to Always Trust.</li>
<li>Firefox: Settings, Privacy and Security, View Certificates, Authorities, Import.</li>
<li>MQTT clients: give them the file as their CA.</li>
</ul>
</body></html>
`;
}
