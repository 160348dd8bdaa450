import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { HubKey } from "../../src/core/platform/hub-key.ts";
import { Claim, givenClaimCode } from "../../src/features/access/claim.ts";
import { openAccess } from "../support/access.ts";
import { testFolder } from "../support/test-folder.ts";

for (const [text, code, why] of [
  ["ABCDE-FGHJK\n", "ABCDEFGHJK", "as printed on a card"],
  ["abcde fghjk", "ABCDEFGHJK", "as typed by hand"],
  ["OILQ-0000-ZZZZ", "011Q0000ZZZZ", "letters that look like digits are read as digits"],
  ["ABC", null, "a code that can be guessed in an afternoon is refused"],
  ["UUUUU-UUUUU", null, "letters outside the code's alphabet"],
  ["", null, "an empty file"],
] as const) {
  t.test(`a given claim code: ${why}`, async (t) => {
    const folder = testFolder(t);
    t.equal(givenClaimCode(folder), null, "without the file there is none");
    writeFileSync(join(folder, "claim-code"), text);
    t.equal(givenClaimCode(folder), code);
  });
}

t.test("a hub that was given a code shows it, in groups of five", async (t) => {
  const { access, database, clock } = await openAccess(t);
  const claim = (givenCode: string | null) =>
    new Claim({
      ...{ database, clock, accounts: access.accounts, passwords: access.passwords, signIn: access.signIn },
      proofs: access.proofs,
      ...{ hubKey: new HubKey(Buffer.alloc(32, 7)), hadOwner: () => false, fromAnywhere: false, givenCode },
    });
  t.equal(claim("ABCDEFGHJKMN").code(), "ABCDE-FGHJK-MN");
  t.match(claim(null).code(), /^[0-9A-Z]{5}-[0-9A-Z]{5}$/, "without one it shows the derived code");
});
