import { useEffect, useState } from "preact/hooks";

/** Width of the light border around the code in modules (ISO/IEC 18004). */
const QUIET = 4;

/**
 * A QR code of `text`, made in the browser: nothing leaves the page. Black on white in both themes, so that every
 * reader takes it.
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<{ path: string; size: number } | null>(null);
  useEffect(() => {
    let isGone = false;
    void import("qrcode/lib/core/qrcode.js").then(({ default: core }) => {
      if (!isGone) setDrawn(trace(core.create(text, { errorCorrectionLevel: "M" }).modules));
    });
    return () => {
      isGone = true;
    };
  }, [text]);
  if (drawn === null) return null;
  return (
    <svg
      class="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${drawn.size} ${drawn.size}`}
      shape-rendering="crispEdges"
    >
      <rect width={drawn.size} height={drawn.size} fill="#ffffff" />
      <path d={drawn.path} fill="#000000" />
    </svg>
  );
}

function trace({ size, data }: { readonly size: number; readonly data: ArrayLike<number> }): {
  path: string;
  size: number;
} {
  let path = "";
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++)
      if (data[row * size + column]) path += `M${column + QUIET} ${row + QUIET}h1v1h-1z`;
  }
  return { path, size: size + 2 * QUIET };
}
