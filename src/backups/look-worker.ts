/** Entry of the thread that looks at one folder of a stick or a share. */
import { answerOrder } from "../kernel/thread.js";
import { lookIn } from "./look.js";

await answerOrder(lookIn);
