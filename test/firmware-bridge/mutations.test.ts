import t from "tap";
import { mutate } from "./mutations.ts";

t.test(
  "damaged messages crash nothing, make no device with an invalid id, and are reported (scripts/fuzz-bridge.mjs has the long form)",
  async (t) => {
    const report = await mutate(500, 20_260_301);
    t.same(report.thrown, []);
    t.same(report.invalidIds, []);
    t.ok(report.devices > 20, `${report.devices} devices were made from undamaged parts`);
    t.ok(report.problems > 20, `${report.problems} problems are reported`);
  },
);
