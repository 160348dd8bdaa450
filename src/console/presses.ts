/**
 * A press on a button counts although the page moves under the pointer: leaving a field may take what was typed there,
 * which moves what stands below it, and the browser then clicks neither the button nor what came in its place.
 */

/** Beyond this the pointer has been moved away. */
const STILL_PX = 10;

interface Press {
  readonly control: HTMLElement;
  readonly x: number;
  readonly y: number;
}

/** Watches the presses of the page. A finger is looked after by the browser: a tap is one event. */
export function followPresses(): void {
  let pressed: Press | null = null;
  addEventListener(
    "pointerdown",
    ({ target, pointerType, button, clientX: x, clientY: y }) => {
      const control = target instanceof Element ? target.closest<HTMLElement>("button, a[href]") : null;
      pressed = control === null || pointerType === "touch" || button !== 0 ? null : { control, x, y };
    },
    { capture: true },
  );
  addEventListener(
    "pointerup",
    ({ clientX, clientY }) => {
      if (pressed === null) return;
      const { control, x, y } = pressed;
      pressed = null;
      if (Math.hypot(clientX - x, clientY - y) > STILL_PX) return;
      const { left, right, top, bottom } = control.getBoundingClientRect();
      const isUnder = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
      if (!isUnder && control.isConnected) control.click();
    },
    { capture: true },
  );
}
