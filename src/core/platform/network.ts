import { networkInterfaces } from "node:os";

/** This machine's own addresses on real interfaces, IPv4 first; loopback and link-local left out. */
export function localAddresses(): string[] {
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(
      (address) => !address.internal && !address.address.startsWith("fe80") && !address.address.startsWith("169.254."),
    );
  return [...found.filter((a) => a.family === "IPv4"), ...found.filter((a) => a.family === "IPv6")].map(
    (a) => a.address,
  );
}

/**
 * IPv6 addresses of real interfaces, including link-local ones: those at which Matter is reached. Only of the interface
 * `only`, if given.
 */
export function ipv6Addresses(only = ""): string[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
    (addresses ?? []).flatMap(({ family, internal, address }) =>
      family === "IPv6" && !internal && (only === "" || name === only) ? [address] : [],
    ),
  );
}
