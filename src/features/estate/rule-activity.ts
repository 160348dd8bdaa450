import type { FeedText } from "../../core/text/keys.ts";
import { PlateReadTable } from "../gate/tables/plate-read.ts";
import type { PlateRuleRow } from "../gate/tables/plate-rule.ts";
import { type Edit, isSameRule, ruleOf } from "./edits.ts";
import type { EstateBase } from "./ports.ts";

/** A ban received within this time came as fast as the network allows. */
const LATE_MS = 2_000;
/** Most reads in between that Activity lists. */
const MOST_TOLD = 5;
/** A pass that began before the ban may have continued after it. */
const LONGEST_PASS_MS = 3_600_000;

type RuleEvent = FeedText & { readonly code: "estate.late_ban" | "estate.rule_dropped" | "estate.rule_settled" };

/** The feed items about rules for all gates. Everything is called inside a job. */
export class RuleActivity {
  readonly #base: EstateBase;
  readonly #reads: PlateReadTable;
  readonly #deviceName: (deviceId: string) => string;

  constructor(base: EstateBase, deviceName: (deviceId: string) => string) {
    this.#base = base;
    this.#reads = new PlateReadTable(base.database);
    this.#deviceName = deviceName;
  }

  /** Reports vehicles admitted here between the ban at another gate and now. */
  lateBan(
    siteId: number,
    { plate, formatted }: { readonly plate: string; readonly formatted: string },
    bannedAt: number,
  ): void {
    const now = this.#base.clock.now();
    if (now - bannedAt < LATE_MS) return;
    const reads = this.#reads.list(siteId, { plate, decision: "allow", since: bannedAt - LONGEST_PASS_MS }, MOST_TOLD);
    for (const read of reads.filter(({ lastAt }) => lastAt >= bannedAt)) {
      const minutes = Math.max(1, Math.round((now - bannedAt) / 60_000));
      const camera = this.#deviceName(read.deviceId);
      this.#tell(siteId, plate, { code: "estate.late_ban", plate: formatted, minutes, camera }, read.deviceId);
    }
  }

  /** Reports that a rule of this hub alone met another gate's, which stands. */
  dropped({ siteId, plate, formatted, label }: PlateRuleRow): void {
    const labelled = label === "" ? "no" : "yes";
    this.#tell(siteId, plate, { code: "estate.rule_dropped", plate: formatted, labelled, label });
  }

  /** Reports that one of two independent edits stands: the other one is undone. */
  settled(siteId: number, undone: Edit, holding: Edit): void {
    const [was, is] = [undone, holding].map(({ text, isGone }) => (isGone ? null : ruleOf(text)));
    const rule = was ?? is ?? null;
    if (rule === null || (was && is && isSameRule(undone.text, holding.text))) return;
    const kind = is?.enabled === true ? is.kind : "none";
    this.#tell(siteId, rule.plate, { code: "estate.rule_settled", plate: rule.formatted, kind });
  }

  #tell(siteId: number, plate: string, text: RuleEvent, deviceId: string | null = null): void {
    this.#base.recordFeed({
      siteId,
      kind: text.code,
      deviceId,
      text,
      plates: [plate],
      aboutVehicles: true,
      at: this.#base.clock.now(),
    });
  }
}
