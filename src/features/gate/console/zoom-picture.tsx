import { useEffect, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { t } from "../../../console/i18n/translate.ts";

/** How far a picture is enlarged, and the offset of its middle from that of its frame, in pixels. */
interface View {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

const WHOLE: View = { scale: 1, x: 0, y: 0 };
const LARGEST = 8;
const STEP = 1.5;
/** A finger that moves this far sideways turns to the next picture. */
const SWIPE_PX = 60;

/**
 * A picture that can be enlarged: with two fingers, the wheel, buttons or keys. At its full size a swipe turns to the
 * next one.
 */
export function ZoomPicture({ src, alt, onTurn }: { src: string; alt: string; onTurn: (way: 1 | -1) => void }) {
  const frame = useRef<HTMLDivElement>(null);
  const fingers = useRef(new Map<number, { x: number; y: number }>());
  const swipe = useRef<{ x: number; y: number } | null>(null);
  const [view, setView] = useState<View>(WHOLE);
  useEffect(() => setView(WHOLE), [src]);

  /** Enlarges around a point of the frame, measured from its middle; the picture never leaves the frame. */
  const zoom = (factor: number, around = { x: 0, y: 0 }): void =>
    setView((old) => {
      const scale = Math.min(LARGEST, Math.max(1, old.scale * factor));
      const share = scale / old.scale;
      return kept({ scale, x: around.x - (around.x - old.x) * share, y: around.y - (around.y - old.y) * share });
    });
  const kept = ({ scale, x, y }: View): View => {
    const { clientWidth = 0, clientHeight = 0 } = frame.current ?? {};
    const [farX, farY] = [((scale - 1) * clientWidth) / 2, ((scale - 1) * clientHeight) / 2];
    return { scale, x: Math.max(-farX, Math.min(farX, x)), y: Math.max(-farY, Math.min(farY, y)) };
  };
  const fromMiddle = (at: { readonly clientX: number; readonly clientY: number }): { x: number; y: number } => {
    const box = frame.current?.getBoundingClientRect();
    return box === undefined
      ? { x: 0, y: 0 }
      : { x: at.clientX - box.left - box.width / 2, y: at.clientY - box.top - box.height / 2 };
  };

  useEffect(() => {
    const element = frame.current;
    // Added by hand: only a listener that says so may keep the page from scrolling.
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, fromMiddle(event));
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, []);

  const onDown = (event: PointerEvent): void => {
    frame.current?.setPointerCapture(event.pointerId);
    fingers.current.set(event.pointerId, fromMiddle(event));
    swipe.current = fingers.current.size === 1 && view.scale === 1 ? fromMiddle(event) : null;
  };
  const onMove = (event: PointerEvent): void => {
    const before = fingers.current.get(event.pointerId);
    if (before === undefined) return;
    const now = fromMiddle(event);
    const other = [...fingers.current].find(([id]) => id !== event.pointerId)?.[1];
    fingers.current.set(event.pointerId, now);
    if (other !== undefined) {
      const apart = (a: { x: number; y: number }): number => Math.hypot(a.x - other.x, a.y - other.y);
      zoom(apart(now) / Math.max(1, apart(before)), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    } else if (view.scale > 1)
      setView((old) => kept({ ...old, x: old.x + now.x - before.x, y: old.y + now.y - before.y }));
  };
  const onUp = (event: PointerEvent): void => {
    fingers.current.delete(event.pointerId);
    const from = swipe.current;
    swipe.current = null;
    if (from === null) return;
    const to = fromMiddle(event);
    const sideways = to.x - from.x;
    if (Math.abs(sideways) >= SWIPE_PX && Math.abs(sideways) > 2 * Math.abs(to.y - from.y))
      onTurn(sideways < 0 ? 1 : -1);
  };
  const onCancel = (event: PointerEvent): void => {
    fingers.current.delete(event.pointerId);
    swipe.current = null;
  };
  const buttons = [
    [t("zoom.in"), "plus", () => zoom(STEP), view.scale >= LARGEST],
    [t("zoom.out"), "minus", () => zoom(1 / STEP), view.scale === 1],
  ] as const;
  return (
    <div class="zoom">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons below and the page's keys do the same */}
      <div
        class={view.scale > 1 ? "zoom-frame enlarged" : "zoom-frame"}
        ref={frame}
        data-scale={view.scale.toFixed(2)}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerCancel={onCancel}
        onDblClick={(event) => (view.scale > 1 ? setView(WHOLE) : zoom(3, fromMiddle(event)))}
      >
        <img
          key={src}
          src={src}
          alt={alt}
          draggable={false}
          style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
        />
      </div>
      <div class="zoom-buttons">
        {view.scale > 1 && <Button text={t("zoom.whole")} onClick={() => setView(WHOLE)} />}
        {buttons.map(([label, icon, act, disabled]) => (
          <IconButton icon={icon} label={label} key={icon} disabled={disabled} onClick={act} />
        ))}
      </div>
    </div>
  );
}
