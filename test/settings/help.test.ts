import t from "tap";
import { asksForHelp, startHelp } from "../../src/core/settings/help.ts";
import { settingFields } from "../../src/core/settings/schema.ts";

t.test("--help on the command line of the hub is no setting: it names them all", async (t) => {
  t.ok(asksForHelp(["--demo", "--help"]));
  t.ok(asksForHelp(["-h"]));
  t.notOk(asksForHelp(["--http.port", "80"]));
  const help = startHelp();
  for (const { key } of settingFields()) t.ok(help.includes(`--${key} `), key);
});
