/** Whether the screen is worked by fingers: they tap, nothing is pointed at. */
export function isTouched(): boolean {
  return matchMedia("(hover: none)").matches;
}
