/** English texts that the first view does not need. The build leaves the others out (vite.config.ts). */
import { en as hub } from "../../core/text/en.ts";
import en from "./en.json";

export const further = { ...hub, ...en };
