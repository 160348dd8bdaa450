import t from "tap";
import { base32, matchTotp, totpCode, totpStep } from "../../src/features/access/totp.ts";

const SECRET = Buffer.from("12345678901234567890");

t.test("codes match RFC 6238, appendix B, in six digits", async (t) => {
  const vectors: [number, string][] = [
    [59, "287082"],
    [1111111109, "081804"],
    [1111111111, "050471"],
    [1234567890, "005924"],
    [2000000000, "279037"],
    [20000000000, "353130"],
  ];
  for (const [seconds, code] of vectors) t.equal(totpCode(SECRET, totpStep(seconds * 1000)), code);
});

t.test("base32 matches RFC 4648, without padding", async (t) => {
  for (const [text, coded] of [
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ] as const)
    t.equal(base32(Buffer.from(text)), coded);
});

t.test("codes of the previous and next step are accepted, others are not", async (t) => {
  const now = 1_700_000_010_000;
  const step = totpStep(now);
  for (const distance of [-1, 0, 1])
    t.equal(matchTotp(SECRET, totpCode(SECRET, step + distance), now), step + distance);
  for (const distance of [-2, 2]) t.equal(matchTotp(SECRET, totpCode(SECRET, step + distance), now), null);
  t.equal(matchTotp(SECRET, ` ${totpCode(SECRET, step).slice(0, 3)} ${totpCode(SECRET, step).slice(3)}`, now), step);
  t.equal(matchTotp(SECRET, totpCode(SECRET, 0), 0), 0, "the very first step");
  t.equal(matchTotp(SECRET, totpCode(SECRET, 1), 0), 1);
  t.equal(matchTotp(SECRET, totpCode(SECRET, 2), 0), null, "there is none before the first");
  for (const nonsense of ["", "12345", "1234567", "abcdef"]) t.equal(matchTotp(SECRET, nonsense, now), null);
});
