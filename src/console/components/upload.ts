import { put } from "../api.ts";
import type { AnswerTo } from "../operations.ts";

type Opened = AnswerTo<"POST", "/api/uploads">;

/**
 * Sends a file piece by piece; resolves with the upload's id. `open` starts it for a number of bytes (for an owner, or
 * with the claim code of an unclaimed hub); `onProgress` gets the fraction sent, 0–1. @throws ApiError
 */
export async function sendFile(
  file: File,
  open: (bytes: number) => Promise<Opened>,
  onProgress: (share: number) => void,
): Promise<string> {
  const { upload } = await open(file.size);
  let at = upload.received;
  while (at < file.size) {
    const piece = file.slice(at, at + upload.pieceBytes, "application/octet-stream");
    const answer = await put("/api/uploads/{id}", { params: { id: upload.id }, query: { offset: at }, body: piece });
    at = answer.upload.received;
    onProgress(at / file.size);
  }
  return upload.id;
}
