/**
 * Tells a browser from which an account signed in before from a stranger's, so that guessing by strangers cannot keep
 * the owner out (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies). The cookie
 * opens nothing: it only gives its bearer an allowance of wrong tries of its own.
 */
import { createHmac } from "node:crypto";
import { equalsInConstantTime, randomBase62 } from "../kernel/ids.js";
import type { HubKey } from "./hub-key.js";

const PLAIN_COOKIE = "gatehouse_device";
const SECURE_COOKIE = "__Host-gatehouse_device";
const MAX_AGE_S = 400 * 86_400; // browsers keep none longer
const ID_LENGTH = 22;

/** Makes and reads the cookies. */
export class DeviceCookies {
  readonly #hubKey: Pick<HubKey, "derive">;
  #secret: Buffer | null = null;

  constructor(hubKey: Pick<HubKey, "derive">) {
    this.#hubKey = hubKey;
  }

  /** A token for a browser from which an account has signed in. */
  issue(accountId: number): string {
    const id = randomBase62(ID_LENGTH);
    return `${accountId}.${id}.${this.#mac(accountId, id)}`;
  }

  /** The device's id when the Cookie header carries a token for this account, else null. */
  match(cookieHeader: string | null, accountId: number | null): string | null {
    if (accountId === null) return null;
    for (const pair of (cookieHeader ?? "").split(";")) {
      const [name = "", value = ""] = pair.split("=", 2).map((part) => part.trim());
      if (name !== PLAIN_COOKIE && name !== SECURE_COOKIE) continue;
      const [account = "", id = "", mac = ""] = value.split(".");
      if (account === String(accountId) && equalsInConstantTime(mac, this.#mac(accountId, id))) return id;
    }
    return null;
  }

  #mac(accountId: number, id: string): string {
    this.#secret ??= this.#hubKey.derive("device cookie");
    return createHmac("sha256", this.#secret).update(`${accountId}.${id}`).digest("base64url");
  }
}

/** The Set-Cookie value that hands a token to a browser. */
export function deviceCookie(token: string, secure: boolean): string {
  return `${secure ? SECURE_COOKIE : PLAIN_COOKIE}=${token}; Path=/; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
}
