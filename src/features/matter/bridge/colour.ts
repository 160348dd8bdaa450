/** Hue (degrees) and saturation (percent) of `#rrggbb`; nulls for anything else. Brightness is separate. */
export function hueOf(colour: unknown): { readonly hue: number | null; readonly saturation: number | null } {
  const [, r, g, b] =
    (typeof colour === "string" ? /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(colour) : null) ?? [];
  if (r === undefined || g === undefined || b === undefined) return { hue: null, saturation: null };
  // three parts, matched above
  const [red, green, blue] = [r, g, b].map((part) => Number.parseInt(part, 16) / 255) as [number, number, number];
  const most = Math.max(red, green, blue);
  const span = most - Math.min(red, green, blue);
  if (span === 0) return { hue: 0, saturation: 0 };
  const sixth =
    most === red
      ? ((green - blue) / span + 6) % 6
      : most === green
        ? (blue - red) / span + 2
        : (red - green) / span + 4;
  return { hue: sixth * 60, saturation: (span / most) * 100 };
}

/** `#rrggbb` of a hue (degrees) and a saturation (percent), at full brightness. */
export function rgbOf(hue: number, saturation: number): string {
  const part = (offset: number): string => {
    const at = (offset + hue / 60) % 6;
    const value = 1 - (saturation / 100) * Math.max(0, Math.min(at, 4 - at, 1));
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${part(5)}${part(3)}${part(1)}`;
}
