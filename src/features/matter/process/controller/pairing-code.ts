import { ManualPairingCodeCodec, QrPairingCodeCodec } from "@matter/main/types";

/** How a device is found and joined. */
export type JoinBy = { readonly passcode: number } & (
  | { readonly longDiscriminator: number }
  | { readonly shortDiscriminator: number }
);

/**
 * Reads a manual code (11 or 21 digits, with or without hyphens and spaces) or the text of a QR code; null for anything
 * else.
 */
export function readCode(text: string): JoinBy | null {
  const code = text.trim();
  try {
    if (/^MT:/i.test(code)) {
      const [first] = QrPairingCodeCodec.decode(code.toUpperCase());
      return first === undefined ? null : { passcode: first.passcode, longDiscriminator: first.discriminator };
    }
    const digits = code.replaceAll(/[\s-]/g, "");
    if (!/^(\d{11}|\d{21})$/.test(digits)) return null;
    const { passcode, shortDiscriminator } = ManualPairingCodeCodec.decode(digits);
    return shortDiscriminator === undefined ? null : { passcode, shortDiscriminator };
  } catch {
    return null;
  }
}
