/** What in the house needs somebody now, as far as the console knows. */
import { computed } from "@preact/signals";
import { deviceList } from "../../../console/store.ts";
import { allNotClosed } from "../../gate/console/not-closed.ts";
import { dangersOf } from "../rules/dangers.ts";

/** The most urgent first. */
export const dangers = computed(() => dangersOf(deviceList.value, Date.now(), allNotClosed()));
