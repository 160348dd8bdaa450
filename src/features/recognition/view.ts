import type { InferenceSession, Tensor } from "onnxruntime-node";
import type { Grey, Quad } from "./rectify.ts";

/** The part of onnxruntime-node that is used. */
export interface OrtLibrary {
  readonly InferenceSession: typeof InferenceSession;
  readonly Tensor: typeof Tensor;
}

/** A quadrilateral of a part of the picture that is read as one plate; corners in pixels of the part. */
export interface View {
  readonly part: Grey;
  readonly quad: Quad;
}
