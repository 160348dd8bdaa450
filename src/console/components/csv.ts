/** Files that the hub writes and those that the console writes look the same. */
export { csv } from "../../domain/csv.js";
