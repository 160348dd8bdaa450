/** The console's use of the browser's passkeys. The library for it is loaded on first use. */
import { ApiError, post } from "./api.ts";
import { t } from "./i18n/translate.ts";

/** Whether this browser can use passkeys on this page. */
export const browserHasPasskeys = "PublicKeyCredential" in globalThis && globalThis.isSecureContext;

/** The person closed the browser's own window, or it was open for too long. */
export class NoPasskey extends Error {}

/** Has the browser create a passkey and registers it at the hub under `name`. @throws ApiError, {@link NoPasskey} */
export async function makePasskey(name: string): Promise<void> {
  const { options } = await post("/api/me/passkeys/options");
  const { startRegistration } = await import("@simplewebauthn/browser");
  const response = await startRegistration({ optionsJSON: options }).catch(noPasskey);
  await post("/api/me/passkeys", { body: { name, response } });
}

/** Signs in with a passkey. @throws ApiError, {@link NoPasskey} */
export function signInByPasskey(): Promise<void> {
  return answer("/api/session/passkey");
}

/** Proves the signed-in person's identity by passkey. @throws ApiError, {@link NoPasskey} */
export function proveByPasskey(): Promise<void> {
  return answer("/api/session/proof/passkey");
}

async function answer(path: "/api/session/passkey" | "/api/session/proof/passkey"): Promise<void> {
  const { options } = await post(`${path}/options`);
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const response = await startAuthentication({ optionsJSON: options }).catch(noPasskey);
  await post(path, { body: { response } });
}

function noPasskey(error: unknown): never {
  const isKnown = error instanceof Error && error.name === "InvalidStateError"; // this device has one already
  throw isKnown
    ? new ApiError(409, { code: "conflict", message: t("passkey.known") })
    : new NoPasskey(t("passkey.none"), { cause: error });
}
