/** Entry of the thread that probes one folder of a stick or a share. */
import { answerOrder } from "../../core/kernel/thread.js";
import { probeFolder } from "./folder-probe.js";

await answerOrder(probeFolder);
