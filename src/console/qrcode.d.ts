/** The part of the qrcode package that makes the modules; drawing them is the console's own. */
declare module "qrcode/lib/core/qrcode.js" {
  interface QrCode {
    readonly modules: { readonly size: number; readonly data: ArrayLike<number> };
  }
  const core: { create(text: string, options: { errorCorrectionLevel: "L" | "M" | "Q" | "H" }): QrCode };
  export default core;
}
