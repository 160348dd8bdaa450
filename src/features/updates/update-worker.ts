/** Entry of the thread that looks for updates on sticks and shares, and takes one from there. */
import { answerOrder } from "../../core/kernel/thread.ts";
import { doUpdateWork, type UpdateOrder } from "./work.ts";

await answerOrder((order: UpdateOrder) => doUpdateWork(order));
