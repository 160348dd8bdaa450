/**
 * Recognises a browser from which the account has signed in before, so that unauthenticated guessing cannot lock the
 * owner out (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies). The cookie opens
 * nothing: it only gives its bearer an allowance of wrong tries of its own.
 */
import { createHmac } from "node:crypto";
import { equalsInConstantTime, randomBase62 } from "../../core/kernel/ids.ts";
import type { HubKey } from "../../core/platform/hub-key.ts";
import type { AccountRow } from "./tables/account.ts";

const PLAIN_COOKIE = "gatehouse_device";
const SECURE_COOKIE = "__Host-gatehouse_device";
const MAX_AGE_S = 400 * 86_400; // browsers keep none longer
const ID_LENGTH = 22;

/** A cookie is bound to a person and the password that they had. */
export type KnownAccount = Pick<AccountRow, "id" | "uid" | "generation">;

/** Makes and reads the cookies. */
export class DeviceCookies {
  readonly #hubKey: Pick<HubKey, "derive">;
  #secret: Buffer | null = null;

  constructor(hubKey: Pick<HubKey, "derive">) {
    this.#hubKey = hubKey;
  }

  /** A token for a browser from which an account has signed in. */
  issue(account: KnownAccount): string {
    const id = randomBase62(ID_LENGTH);
    return `${account.id}.${id}.${this.#mac(account, id)}`;
  }

  /**
   * The device's id when the Cookie header carries a token for this very person, issued since their password was set;
   * else null.
   */
  match(cookieHeader: string | null, account: KnownAccount | null): string | null {
    if (account === null) return null;
    for (const pair of (cookieHeader ?? "").split(";")) {
      const [name = "", value = ""] = pair.split("=", 2).map((part) => part.trim());
      if (name !== PLAIN_COOKIE && name !== SECURE_COOKIE) continue;
      const [named = "", id = "", mac = ""] = value.split(".");
      if (named === String(account.id) && equalsInConstantTime(mac, this.#mac(account, id))) return id;
    }
    return null;
  }

  #mac({ uid, generation }: KnownAccount, id: string): string {
    this.#secret ??= this.#hubKey.derive("device cookie");
    return createHmac("sha256", this.#secret).update(`${uid}.${generation}.${id}`).digest("base64url");
  }
}

/** The Set-Cookie value that hands a token to a browser. */
export function deviceCookie(token: string, secure: boolean): string {
  return `${secure ? SECURE_COOKIE : PLAIN_COOKIE}=${token}; Path=/; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
}
