import t from "tap";
import { checkPassword, isGuessable } from "../../src/features/access/password-policy.ts";
import { GOOD_PASSWORD } from "../support/access.ts";

t.test("15 characters suffice alone, 8 with a second factor, 256 at most", async (t) => {
  const check = (password: string, hasTotp: boolean) => checkPassword(password, { hasTotp, known: [] });
  const text = "kx7vqw2mzt9hbrp";
  t.throws(() => check(text.slice(0, 14), false), { code: /^weak_password$/ });
  check(text, false);
  t.throws(() => check(text.slice(0, 7), true), { code: /^weak_password$/ });
  check(text.slice(0, 8), true);
  check(`${text}${"kq".repeat(121)}`.slice(0, 256), false);
  t.throws(() => check(`${text}${"kq".repeat(121)}`, false), { code: /^weak_password$/ });
  check("ходит по цепи кругом", false);
});

t.test("the most common passwords are refused", async (t) => {
  for (const password of [
    "passwordpassword",
    "P@ssw0rd12345678",
    "123456789012345",
    "aaaaaaaaaaaaaaaa",
    "qwertyuiopasdfgh",
    "1qaz2wsx3edc4rfv",
    "iloveyouforever2",
    "GatehousePassword1",
    "summer2024",
    "abcabcabcabcabcabc",
    "letmeinletmein123",
  ])
    t.ok(isGuessable(password), password);
});

t.test("the owner's name and address do not make a password", async (t) => {
  t.notOk(isGuessable("krzysztofmalinowski1987"));
  t.ok(isGuessable("krzysztofmalinowski1987", ["Krzysztof Malinowski"]));
});

t.test("ordinary long passwords are accepted", async (t) => {
  for (const password of [
    GOOD_PASSWORD,
    "marble tulip sails north 9",
    "kx7vqw2mzt9hbrp",
    "the dog ate seven old umbrellas",
    "correct horse battery staple",
  ])
    t.notOk(isGuessable(password), password);
});

/** Milliseconds of the fastest of several runs: the cost of the work itself, without interruptions. */
function took(password: string): number {
  const runs = Array.from({ length: 20 }, () => {
    const begun = performance.now();
    isGuessable(password, ["Olga Petrova"]);
    return performance.now() - begun;
  });
  return Math.min(...runs);
}

t.test("the work grows at most linearly with the length, in any script", async (t) => {
  const parts = ["비밀번호가나다라", "ﷺ".repeat(8), "a\u0301\u0323".repeat(3), "pass", "1q2w", "ab"];
  for (const part of parts) {
    const whole = Math.floor(1_024 / part.length);
    const ratio = took(part.repeat(whole)) / took(part.repeat(Math.floor(whole / 4)));
    t.ok(ratio < 8, `${part.slice(0, 4)}…: four times as long takes ${ratio.toFixed(1)} times as long, not 16`);
  }
  t.throws(() => checkPassword("비".repeat(1_025), { hasTotp: false, known: [] }), { code: /^weak_password$/ });
  t.notOk(isGuessable(`kx7vqw2mzt9hbrp${"비밀번호".repeat(60)}`), "a hard start stays hard");
  t.ok(isGuessable(`${"a".repeat(256)}kx7vqw2mzt9hbrp`), "the first 256 bytes decide");
});
