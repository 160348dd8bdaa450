/** Entry of the thread that makes, packs, places, checks and unpacks backups: one order, one answer, end. */
import { answerOrder } from "../../core/kernel/thread.ts";
import { doWork, type WorkOrder } from "./work.ts";

await answerOrder((order: WorkOrder) => doWork(order));
