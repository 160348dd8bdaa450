/** Entry of the thread that draws pictures of the simulated camera. */
import { answerOrder } from "../../core/kernel/thread.ts";
import { type Car, drawCar } from "./plate-picture.ts";

await answerOrder(async (cars: readonly Car[]) => {
  const drawn: Buffer[] = [];
  for (const { plate, isNight } of cars) drawn.push(await drawCar(plate, isNight));
  return drawn;
});
