import t from "tap";
import { isExactOrigin } from "../../src/features/access/origins.ts";
import { isPrivateAddress } from "../../src/features/access/private-address.ts";

t.test("an origin is accepted only in the form that browsers send", async (t) => {
  for (const origin of [
    "https://app.example.org",
    "http://192.168.1.5:3000",
    "http://localhost",
    "http://[::1]:8080",
    "capacitor://localhost",
    "https://xn--bcher-kva.example",
  ])
    t.ok(isExactOrigin(origin), origin);
  for (const origin of [
    "",
    "null",
    "*",
    "https://*.example.org",
    "https://app.example.org/",
    "https://app.example.org/path",
    "https://app.example.org:443",
    "http://app.example.org:80",
    "HTTPS://app.example.org",
    "https://App.example.org",
    "https://bücher.example",
    "https://user@app.example.org",
    "app.example.org",
    "https://",
    "https://a b",
  ])
    t.notOk(isExactOrigin(origin), origin);
});

t.test("distinguishes private addresses from public ones", async (t) => {
  for (const address of [
    "127.0.0.1",
    "::1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.0.1",
    "::ffff:192.168.0.1",
    "169.254.1.1",
    "fe80::1%eth0",
    "fd12::1",
    "100.64.0.1",
  ])
    t.ok(isPrivateAddress(address), address);
  for (const address of [
    "8.8.8.8",
    "172.32.0.1",
    "192.169.0.1",
    "::ffff:8.8.8.8",
    "2001:db8::1",
    "",
    "local",
    "100.128.0.1",
  ])
    t.notOk(isPrivateAddress(address), address);
});
