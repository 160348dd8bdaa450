import { useRef, useState } from "preact/hooks";
import { Icon } from "../../../console/components/icon.tsx";

/** How far it has to be slid, as a share of its way. */
const FAR_ENOUGH = 0.85;
/** A pointer that moves less has tapped. */
const TAP_PX = 8;

/**
 * Opens when it is slid to its end, which nothing does by accident in a pocket. A tap, Enter and a screen reader's
 * click call `onAsk`, which has to ask first.
 */
export function SlideToOpen({
  text,
  about,
  disabled,
  onSlid,
  onAsk,
}: {
  text: string;
  /** What it opens, for those who do not see where it stands. */
  about: string;
  disabled: boolean;
  onSlid: () => void;
  onAsk: () => void;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const began = useRef<number | null>(null);
  /** How far the last touch went. */
  const reached = useRef(0);
  const [moved, setMoved] = useState(0);
  const wayLength = (): number => Math.max(1, (button.current?.clientWidth ?? 0) - (button.current?.clientHeight ?? 0));
  const end = (event: PointerEvent): void => {
    const from = began.current;
    began.current = null;
    setMoved(0);
    if (from !== null && (event.clientX - from) / wayLength() >= FAR_ENOUGH) onSlid();
  };
  return (
    <button
      type="button"
      class="slide"
      ref={button}
      disabled={disabled}
      data-sliding={moved > 0}
      style={{ "--moved": `${moved}px`, "--share": String(Math.min(1, moved / wayLength())) }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        began.current = event.clientX;
        reached.current = 0;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (began.current === null) return;
        reached.current = Math.max(reached.current, Math.abs(event.clientX - began.current));
        setMoved(Math.max(0, Math.min(wayLength(), event.clientX - began.current)));
      }}
      onPointerUp={end}
      onPointerCancel={() => {
        began.current = null;
        setMoved(0);
      }}
      onClick={(event) => {
        // a slide ends with a click too; a key's has no position
        if (event.detail === 0 || reached.current < TAP_PX) onAsk();
      }}
    >
      <span class="slide-thumb">
        <Icon name="chevronsRight" />
      </span>
      <span class="slide-text">{text}</span>
      <span class="sr-only">{about}</span>
    </button>
  );
}
