/** Files written by the hub and by the console have the same form. */
export { csv } from "../../domain/csv.js";
