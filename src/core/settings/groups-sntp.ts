/** Settings of the time server for the LAN. */
import { Type } from "typebox";
import { flag, whole } from "./builders.ts";

/** Group `sntp`. */
export const sntp = Type.Object(
  {
    enabled: flag({
      default: true,
      env: "GATEHOUSE_SNTP",
      description:
        "Serve the time to devices on the LAN, for those without internet. Where the port cannot be had it is not served.",
    }),
    port: whole({
      default: 123,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_SNTP_PORT",
      description: "UDP port of the time server; 0 takes any free one.",
    }),
  },
  { description: "The time for devices without internet (SNTP)." },
);
