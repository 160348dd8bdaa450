import type { ActionContext, Endpoint } from "@matter/main";
import { hasRemoteActor } from "@matter/main/protocol";
import { Status, StatusResponseError } from "@matter/main/types";
import { Problem } from "../../../../core/kernel/problem.ts";
import type { EndpointAction } from "../../bridge/calls.ts";
import type { PartContext } from "../part.ts";

/** An app gives up after about this long. */
const TIMEOUT_MS = 10_000;

/** What to do when an order has ended. */
export interface OrderOutcome {
  done(number: number, action: EndpointAction): void;
  /** Takes back what an app wrote. */
  refused(number: number): void;
}

/** Hands orders from apps to the hub; it is in the bridge's environment, where every endpoint's behaviours find it. */
export class HubOrders {
  readonly #link: PartContext["link"];
  readonly #outcome: OrderOutcome;

  constructor(link: PartContext["link"], outcome: OrderOutcome) {
    this.#link = link;
    this.#outcome = outcome;
  }

  /**
   * Has the hub carry out an order. Values set by the hub itself are not orders. @throws StatusResponseError if it is
   * not done
   */
  async act(endpoint: Endpoint, context: ActionContext, action: EndpointAction): Promise<void> {
    if (!hasRemoteActor(context)) return;
    try {
      await this.#link.call(
        "bridge.act",
        { number: endpoint.number, fabricIndex: context.fabric ?? 0, action },
        TIMEOUT_MS,
      );
      this.#outcome.done(endpoint.number, action);
    } catch (error) {
      throw new StatusResponseError(error instanceof Error ? error.message : String(error), statusOf(error));
    }
  }

  /** Like {@link act}, for a value that an app has already written: reverted if it is not done. */
  actAfterwards(endpoint: Endpoint, context: ActionContext | undefined, action: EndpointAction): void {
    if (context === undefined || !hasRemoteActor(context)) return;
    this.act(endpoint, context, action).catch(() => this.#outcome.refused(endpoint.number));
  }
}

function statusOf(error: unknown): Status {
  const code = error instanceof Problem ? error.code : "";
  if (code === "forbidden") return Status.Failure; // the status of a lock for a wrong PIN
  if (code === "rate_limited" || code === "matter_unavailable") return Status.Busy;
  if (code === "unsupported_command") return Status.InvalidCommand;
  return Status.Failure;
}
