import { get } from "../api.ts";

/**
 * Starts a download from the hub that needs a fresh proof of identity, for which a link alone could not ask. @throws
 * ApiError
 */
export async function downloadProved(url: string): Promise<void> {
  await get("/api/session/proof");
  const link = document.createElement("a");
  link.href = url;
  link.download = "";
  link.click();
}

/** Offers a text to the person as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
