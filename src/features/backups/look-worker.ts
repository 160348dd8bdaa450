/** Entry of the thread that probes one folder of a stick or a share. */
import { answerOrder } from "../../core/kernel/thread.ts";
import { probeFolder } from "./folder-probe.ts";

await answerOrder(probeFolder);
