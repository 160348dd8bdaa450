import { useRef, useState } from "preact/hooks";
import { Button } from "../../../console/components/button.tsx";
import { t } from "../../../console/i18n/translate.ts";

type Corner = readonly [number, number];
type Polygon = readonly Corner[];

/** Step of an arrow key, as a fraction of the picture; with Shift five times as far. */
const STEP = 0.02;
const MOVES: Readonly<Record<string, Corner>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** The hub's limits. */
const MOST_POLYGONS = 16;
const MOST_CORNERS = 32;

/**
 * Areas in which movement does not count, drawn on the camera's last picture. A click sets a corner; with the keyboard
 * the arrow keys move a cross and Enter sets the corner there. Corners are fractions of width and height.
 */
export function MaskEditor({
  polygons,
  picture,
  onChange,
}: {
  polygons: readonly Polygon[];
  picture: string | null;
  onChange: (polygons: readonly Polygon[]) => void;
}) {
  const [draft, setDraft] = useState<Polygon>([]);
  const [cross, setCross] = useState<Corner>([0.5, 0.5]);
  const surface = useRef<SVGSVGElement>(null);
  const add = (corner: Corner): void => setDraft(draft.length >= MOST_CORNERS ? draft : [...draft, corner]);
  const onClick = (event: MouseEvent): void => {
    const box = surface.current?.getBoundingClientRect();
    if (box === undefined) return;
    const corner: Corner = [
      share((event.clientX - box.left) / box.width),
      share((event.clientY - box.top) / box.height),
    ];
    setCross(corner);
    add(corner);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = MOVES[event.key];
    if (move !== undefined) {
      const far = event.shiftKey ? STEP * 5 : STEP;
      setCross([share(cross[0] + move[0] * far), share(cross[1] + move[1] * far)]);
    } else if (event.key === "Enter" || event.key === " ") add(cross);
    else if (event.key === "Backspace") setDraft(draft.slice(0, -1));
    else return;
    event.preventDefault();
  };
  const close = (): void => {
    onChange([...polygons, draft]);
    setDraft([]);
  };
  const points = (polygon: Polygon): string => polygon.map(([x, y]) => `${x * 160},${y * 90}`).join(" ");
  return (
    <div class="stack">
      <p class="soft small">{t("mask.hint")}</p>
      <div class="mask">
        {picture !== null && <img src={picture} alt="" />}
        <svg
          ref={surface}
          viewBox="0 0 160 90"
          preserveAspectRatio="none"
          role="application"
          aria-label={t("mask.label", { n: polygons.length, corners: draft.length })}
          tabindex={0}
          onClick={onClick}
          onKeyDown={onKeyDown}
        >
          {polygons.map((polygon) => (
            <polygon key={points(polygon)} class="mask-area" points={points(polygon)} />
          ))}
          {draft.length > 0 && <polygon class="mask-draft" points={points(draft)} />}
          {draft.map(([x, y]) => (
            <circle key={`${x},${y}`} class="mask-corner" cx={x * 160} cy={y * 90} r="1.4" />
          ))}
          <path
            class="mask-cross"
            d={`M${cross[0] * 160 - 4} ${cross[1] * 90}h8M${cross[0] * 160} ${cross[1] * 90 - 4}v8`}
          />
        </svg>
      </div>
      <div class="row">
        <Button
          text={t("mask.close")}
          disabled={draft.length < 3 || polygons.length >= MOST_POLYGONS}
          onClick={close}
        />
        <Button
          look="plain"
          text={t("mask.undo")}
          disabled={draft.length === 0}
          onClick={() => setDraft(draft.slice(0, -1))}
        />
        <Button
          look="plain"
          text={t("mask.removeLast")}
          disabled={polygons.length === 0}
          onClick={() => onChange(polygons.slice(0, -1))}
        />
      </div>
    </div>
  );
}

function share(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000;
}
