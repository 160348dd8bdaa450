import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Base } from "../../core/base.ts";
import type { MetricSource } from "../../core/feature.ts";
import type { RequestFigure } from "../../core/http/middleware/answers.ts";
import type { GateTiming } from "../gate/gate.ts";

/** Prometheus figures of the hub: requests are counted as they are answered, everything else is read on request. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<"operation" | "method" | "status">;
  readonly #gate: Histogram<"stage">;
  readonly #enabled: () => boolean;

  constructor(base: Pick<Base, "settings">, sources: readonly MetricSource[]) {
    this.#enabled = () => base.settings().metrics.enabled;
    this.#requests = new Histogram({
      name: "gatehouse_http_request_seconds",
      help: "Time to answer a request.",
      labelNames: ["operation", "method", "status"],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
      registers: [this.#registry],
    });
    this.#gate = new Histogram({
      name: "gatehouse_gate_latency_seconds",
      help: "Where the time of a burst with a plate goes. read: last frame to end of inference; decide: from there to the decision; publish: from the end of inference until the broker holds the gate's command; total: last frame until then.",
      labelNames: ["stage"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      registers: [this.#registry],
    });
    for (const source of sources) this.#add(source);
  }

  #add(source: MetricSource): void {
    const shared = { name: `gatehouse_${source.name}`, help: source.help, registers: [this.#registry] };
    if ("readAll" in source) {
      const { label, readAll } = source;
      new Gauge({
        ...shared,
        labelNames: [label],
        collect() {
          this.reset();
          for (const [value, figure] of Object.entries(readAll())) this.set({ [label]: value }, figure);
        },
      });
    } else if (source.kind === "counter") {
      new Counter({
        ...shared,
        collect() {
          this.reset();
          this.inc(source.read() ?? 0);
        },
      });
    } else {
      new Gauge({
        ...shared,
        collect() {
          this.set(source.read() ?? Number.NaN);
        },
      });
    }
  }

  /** Notes one answered request; nothing while metrics are off. */
  request(figure: RequestFigure): void {
    if (!this.#enabled()) return;
    this.#requests.observe(
      { operation: figure.operationId ?? "none", method: figure.method, status: String(figure.status) },
      figure.tookMs / 1000,
    );
  }

  /** Notes the times of one burst with a plate; nothing while metrics are off. */
  gate({ readMs, decideMs, publishMs, totalMs }: GateTiming): void {
    if (!this.#enabled()) return;
    const stages = { read: readMs, decide: decideMs, publish: publishMs, total: totalMs };
    for (const [stage, ms] of Object.entries(stages))
      if (ms !== null) this.#gate.observe({ stage }, Math.max(0, ms) / 1000);
  }

  /** The text for Prometheus; null while metrics are off. */
  async text(): Promise<string | null> {
    return this.#enabled() ? this.#registry.metrics() : null;
  }
}
