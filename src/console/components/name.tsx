import { shortName } from "./short-names.ts";

/**
 * A name that somebody gave to a device, a room, a person or a scene, where there is little room: it wraps, and one that
 * is longer than any place loses its middle, never its end. `most`: letters that the place has room for.
 */
export function Name({ text, most }: { text: string; most?: number }) {
  const short = shortName(text, most);
  if (short === text) return <>{text}</>;
  return (
    <span title={text}>
      <span aria-hidden="true">{short}</span>
      <span class="sr-only">{text}</span>
    </span>
  );
}
