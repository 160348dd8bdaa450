import { post, request } from "../api.js";

interface Upload {
  readonly id: string;
  readonly received: number;
  readonly pieceBytes: number;
}

/**
 * Sends a file piece by piece; resolves with the upload's id. `open` begins it (for an owner, or with the claim code of a hub that
 * nobody owns); `onProgress` gets the share that is there, 0–1. @throws ApiError.
 */
export async function sendFile(file: File, open: { readonly url: string; readonly body: object }, onProgress: (share: number) => void): Promise<string> {
  const { upload } = await post<{ upload: Upload }>(open.url, { ...open.body, bytes: file.size });
  let at = upload.received;
  while (at < file.size) {
    const piece = file.slice(at, at + upload.pieceBytes, "application/octet-stream");
    const answer = await request<{ upload: Upload }>("PUT", `/api/uploads/${upload.id}?offset=${at}`, piece);
    at = answer.upload.received;
    onProgress(at / file.size);
  }
  return upload.id;
}
