/** Access rules that are tables: each input with its outcome. */

import { Problem } from "../../src/core/kernel/problem.ts";
import { LoginThrottle } from "../../src/features/access/login-throttle.ts";
import { isExactOrigin } from "../../src/features/access/origins.ts";
import { Passwords } from "../../src/features/access/password.ts";
import { checkPassword, checkPasswordLength, isGuessable } from "../../src/features/access/password-policy.ts";
import { isPrivateAddress } from "../../src/features/access/private-address.ts";
import { scopesOf } from "../../src/features/access/roles.ts";
import { FakeClock } from "../support/fake-clock.ts";

const said = (what: () => unknown): unknown => {
  try {
    return what() ?? "taken";
  } catch (error) {
    return error instanceof Problem
      ? [error.code, error.message, error.details, error.fields, error.headers]
      : String(error);
  }
};

/** Passwords at the edge of being guessable, for a user called Olga Petrova, olga@example.org. */
const PASSWORDS = [
  "password",
  "passwordpassword",
  "password dragon",
  "password dragon monkey",
  "p4ssw0rd dr4g0n",
  "P@$$W0RD!7",
  "olga petrova 123",
  "olga petrova 1234",
  "olga petrova 1999",
  "olga petrova 2099",
  "olga petrova 2199",
  "olga petrova 19990",
  "ol ga 12",
  "example.org example",
  "aaaaaaaaaaaaaaa",
  "aaaaaaaabbbbbbbb",
  "aaaaabbbbbccccc",
  "abcabcabcabcabc",
  "xk7xk7xk7xk7xk7",
  "qwertyuiopasdfghjkl",
  "qwertyuiop asdfghjkl zxcvbnm",
  "lkjhgfdsa987654321",
  "abcdefghijklmno",
  "1qaz2wsx3edc4rfv",
  "123456789012345",
  "12 34 56 78 90 12",
  "violin-gravel-47-otter",
  "violin password",
  "passwörd dragön",
  "ｐａｓｓｗｏｒｄｄｒａｇｏｎ",
  "zz",
  "",
] as const;

const ORIGINS = [
  "https://app.example.org",
  "https://app.example.org:8443",
  "https://app.example.org:443",
  "http://192.168.1.5:3000",
  "http://[::1]:80",
  "http://[::1]:81",
  "capacitor://localhost",
  "https://App.example.org",
  "https://app.example.org/",
  "https://app.example.org?",
  "https://u@app.example.org",
  "https://*.example.org",
  "https://",
  "null",
  "app.example.org",
  "1ttp://a",
  `https://${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(51)}.org`,
  `https://${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(52)}.org`,
];

/** The wait, in seconds, before each try: each is made as soon as it is allowed. */
function waits(): unknown {
  const clock = new FakeClock();
  const throttle = new LoginThrottle(clock);
  const found: unknown[] = [];
  const begin = (address: string, account: string, device: string | null = null) =>
    throttle.begin({ address, device }, account);
  const waitOf = (address: string, account: string, device: string | null = null): unknown => {
    try {
      begin(address, account, device).withdrawn();
      return 0;
    } catch (error) {
      return error instanceof Problem ? error.fields.retryAfterSeconds : error;
    }
  };
  const fails = (address: string, account: string, device: string | null = null): void => {
    clock.advance(1_000 * Number(waitOf(address, account, device)));
    begin(address, account, device).failed();
  };
  for (let n = 0; n < 13; n++) {
    begin("a", "olga").failed();
    const seconds = Number(waitOf("a", "olga"));
    found.push([seconds, waitOf("a", "ravi"), waitOf("b", "olga"), waitOf("b", "ravi"), waitOf("a", "olga", "phone")]);
    if (seconds > 0) clock.advance(seconds * 1_000 - 1);
    if (seconds > 0) found.push(waitOf("a", "olga"));
    clock.advance(1);
  }
  clock.advance(15 * 60_000 - 60_002);
  found.push(["a moment before all is forgotten", waitOf("a", "olga")]);
  fails("a", "olga");
  found.push(waitOf("a", "olga"));
  clock.advance(15 * 60_000);
  for (let n = 0; n < 4; n++) fails("a", "olga");
  found.push(["forgotten: four are free", waitOf("a", "olga")]);
  begin("a", "olga").succeeded();
  for (let n = 0; n < 4; n++) fails("a", "olga");
  found.push(["a success takes back", waitOf("a", "olga")]);
  for (let n = 0; n < 6; n++) fails(`c${n}`, "olga");
  found.push(["trusted where it was right", waitOf("a", "olga"), waitOf("d", "olga")]);
  for (let n = 0; n < 5; n++) fails("d", "asha", "phone");
  found.push([
    "a device is held up by itself",
    waitOf("d", "asha", "phone"),
    waitOf("d", "asha"),
    waitOf("d", "asha", "pad"),
  ]);
  clock.advance(1_000);
  begin("d", "asha", "phone").succeeded();
  found.push(["and let go by itself", waitOf("d", "asha", "phone")]);
  const slow = ["e", "e", "e", "e", "e"].map((address) => begin(address, "kim"));
  clock.advance(5_000);
  found.push(["judged late", waitOf("e", "kim")]);
  slow.at(-1)?.failed();
  found.push(waitOf("e", "kim"));
  return found;
}

const CHEAP = { ln: 4, r: 1, p: 1 };

/** The order in which simultaneous callers are served and refused. */
async function turns(callers: readonly (readonly [name: string, known?: boolean])[]): Promise<string> {
  const passwords = new Passwords(CHEAP);
  const order: string[] = [];
  await Promise.all(
    callers.map(([name, known = false]) =>
      passwords.verify("x", null, { name, known }).then(
        () => order.push(name),
        (error: Problem) => order.push(`${name}: ${error.code} ${error.headers["Retry-After"]}`),
      ),
    ),
  );
  return order.join(", ");
}

/** The outcome for stored hashes: of another cost, truncated, of an unknown account. */
async function hashes(): Promise<Record<string, unknown>> {
  const passwords = new Passwords(CHEAP);
  const hash = await passwords.hash("pass\u00e9");
  const found: Record<string, unknown> = {};
  const verify = async (name: string, phc: string | null, password = "passe\u0301") => {
    found[name] = await passwords.verify(password, phc);
  };
  await verify("the same", hash);
  await verify("another", hash, "pass");
  await verify("nobody's", null);
  for (const [name, cost] of Object.entries({ ln: { ln: 5 }, r: { r: 2 }, p: { p: 2 } }))
    await verify(`of another ${name}`, await new Passwords({ ...CHEAP, ...cost }).hash("pass\u00e9"));
  await verify("of another kind", hash.replace("scrypt", "argon2"));
  await verify("cut off", hash.slice(0, -1));
  await verify("without salt", hash.replace(/\$[^$]+\$([^$]+)$/, "$$$$$1"));
  found.lengths = hash.split("$").map((part) => part.length);
  return found;
}

/** The tables, by subject. */
export async function policyTables(): Promise<Record<string, Record<string, unknown>>> {
  const known = ["Olga Petrova", "olga@example.org"];
  const length = (count: number, letter = "x") => letter.repeat(count);
  const lengths: [string, string, boolean][] = [
    ["14", length(14), false],
    ["15", length(15), false],
    ["7 beside a code", length(7), true],
    ["8 beside a code", length(8), true],
    ["256", length(256), false],
    ["257", length(257), false],
    ["1024 marks", length(15) + length(1_009, "\u0301"), false],
    ["1025 units", length(1_025), false],
    ["256 letters of several units", length(256, "e\u0301"), false],
    ["257 letters of several units", length(257, "e\u0301"), false],
  ];
  return {
    "passwords that are easily guessed": Object.fromEntries(
      PASSWORDS.map((text) => [text, [isGuessable(text), isGuessable(text, known)]]),
    ),
    "lengths of passwords": Object.fromEntries(
      lengths.map(([name, text, hasTotp]) => [name, said(() => checkPasswordLength(text, hasTotp))]),
    ),
    "what is said of them": Object.fromEntries(
      ["olga petrova 123", "short", "violin-gravel-47-otter"].map((text) => [
        text,
        [false, true].map((hasTotp) => said(() => checkPassword(text, { hasTotp, known }))),
      ]),
    ),
    origins: Object.fromEntries(ORIGINS.map((origin) => [origin, isExactOrigin(origin)])),
    "addresses of the home": Object.fromEntries(
      ["10.255.0.1", "11.0.0.1", "172.31.0.1", "100.64.0.1", "febf::1", "fec0::1", "::ffff:8.8.8.8", "fc00::1", ""].map(
        (address) => [address, isPrivateAddress(address)],
      ),
    ),
    roles: { owner: scopesOf("owner"), gatekeeper: scopesOf("gatekeeper"), member: scopesOf("member") },
    "waits between sign-ins": { waits: waits() },
    hashes: await hashes(),
    turns: {
      "two at once": await turns([["a"], ["b", true], ["a"], ["c"]]),
      "nine of one": await turns(Array.from({ length: 9 }, () => ["a"] as const)),
      "a crowd": await turns([
        ...Array.from({ length: 20 }, (_, n) => [`s${n % 3}`] as const),
        ["late"],
        ["late"],
        ["owner", true],
      ]),
      "seventeen and one": await turns([...Array.from({ length: 17 }, (_, n) => [`s${n}`] as const), ["late"]]),
      "a crowd that is known": await turns(Array.from({ length: 18 }, (_, n) => [`s${n % 2}`, true] as const)),
    },
  };
}
