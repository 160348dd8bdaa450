/** Settings of Matter. */
import { Type } from "typebox";
import { flag, text, whole } from "./builders.ts";

/** Group `matter`. */
export const matter = Type.Object(
  {
    enabled: flag({
      default: false,
      env: "GATEHOUSE_MATTER",
      restart: false,
      description:
        "Speak Matter with phones, speakers and devices on the LAN. It runs in a process of its own, which takes 130 to 180 MB of memory.",
    }),
    port: whole({
      default: 5540,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_MATTER_PORT",
      description: "UDP port of the Matter bridge; 0 takes any free one.",
    }),
    networkInterface: text({
      default: "",
      env: "GATEHOUSE_MATTER_INTERFACE",
      pattern: "^[A-Za-z0-9._:-]{0,15}$",
      description: "Network interface that Matter keeps to, such as eth0; empty: all.",
    }),
  },
  { description: "Matter: phones, speakers and devices that speak it." },
);
