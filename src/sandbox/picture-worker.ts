/** Entry of the thread that draws one picture of the simulated camera. */
import { answerOrder } from "../kernel/thread.js";
import { type CarOrder, drawCar } from "./plate-picture.js";

await answerOrder(({ plate, isNight }: CarOrder) => drawCar(plate, isNight));
