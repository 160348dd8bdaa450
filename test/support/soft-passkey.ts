/** An authenticator in software, for tests: makes and uses passkeys as a phone does, and can be made to lie. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

/** False data that a test may have the authenticator send. */
export interface Lies {
  /** The page that it claims to be asked by. */
  readonly origin?: string;
  /** The host name that it signs for. */
  readonly rpId?: string;
  /** Whether it verified its user (finger, face, PIN). */
  readonly userVerified?: boolean;
  readonly counter?: number;
  readonly challenge?: string;
}

/** Options as the hub gives them, as far as they are used here. */
interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
  readonly user?: { readonly id: string };
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

/** One passkey on one device. */
export class SoftPasskey {
  readonly id = randomBytes(32);
  readonly #origin: string;
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  /** Signatures so far; an authenticator that does not count stays at 0. */
  counter = 0;
  counts = true;
  #userHandle = "";

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The answer to creation options. */
  create(options: Options, lies: Lies = {}): object {
    this.#userHandle = options.user?.id ?? "";
    const authData = Buffer.concat([
      this.#authData(options.rp?.id ?? "", ATTESTED, lies),
      Buffer.alloc(16), // AAGUID: none
      Buffer.from([0, this.id.length]),
      this.id,
      coseKey(this.#keys.publicKey),
    ]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      cborText("fmt"),
      cborText("none"),
      cborText("attStmt"),
      Buffer.from([0xa0]),
      cborText("authData"),
      Buffer.from([0x59, authData.length >> 8, authData.length & 0xff]),
      authData,
    ]);
    const clientDataJSON = this.#clientData("webauthn.create", options, lies);
    return this.#credential({
      clientDataJSON: b64(clientDataJSON),
      attestationObject: b64(attestationObject),
      transports: ["internal"],
    });
  }

  /** The answer to request options. */
  get(options: Options, lies: Lies = {}): object {
    if (this.counts) this.counter += 1;
    const authenticatorData = this.#authData(options.rpId ?? "", 0, lies);
    const clientDataJSON = this.#clientData("webauthn.get", options, lies);
    const signed = Buffer.concat([authenticatorData, createHash("sha256").update(clientDataJSON).digest()]);
    const signature = createSign("sha256").update(signed).sign(this.#keys.privateKey);
    return this.#credential({
      clientDataJSON: b64(clientDataJSON),
      authenticatorData: b64(authenticatorData),
      signature: b64(signature),
      ...(this.#userHandle === "" ? {} : { userHandle: this.#userHandle }),
    });
  }

  #authData(rpId: string, flags: number, { rpId: claimed, userVerified = true, counter }: Lies): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? this.counter);
    const all = flags | PRESENT | (userVerified ? VERIFIED : 0);
    return Buffer.concat([
      createHash("sha256")
        .update(claimed ?? rpId)
        .digest(),
      Buffer.from([all]),
      count,
    ]);
  }

  #clientData(type: string, { challenge }: Options, { origin, challenge: other }: Lies): Buffer {
    return Buffer.from(
      JSON.stringify({ type, challenge: other ?? challenge, origin: origin ?? this.#origin, crossOrigin: false }),
    );
  }

  #credential(response: object): object {
    return { id: b64(this.id), rawId: b64(this.id), type: "public-key", clientExtensionResults: {}, response };
  }
}

function b64(bytes: Buffer): string {
  return bytes.toString("base64url");
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

/** ES256 on P-256 as a COSE key (RFC 9053). */
function coseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  const bytes = (text: string): Buffer => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text, "base64url")]);
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    bytes(x),
    Buffer.from([0x22]),
    bytes(y),
  ]);
}
