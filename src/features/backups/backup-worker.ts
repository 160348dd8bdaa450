/** Entry of the thread that makes, packs, places, checks and unpacks backups: one order, one answer, end. */
import { answerOrder } from "../../core/kernel/thread.js";
import { doWork, type WorkOrder } from "./work.js";

await answerOrder((order: WorkOrder) => doWork(order));
