import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../kernel/clock.ts";
import type { Logger } from "../../kernel/logger.ts";
import type { AnswerWriter } from "../answer-writer.ts";
import { answerOf, type Exchange, type HubMiddleware, type RouteResponse } from "../exchange.ts";
import { errorAnswer } from "./errors.ts";

/** One answered request, for metrics. */
export interface RequestFigure {
  /** Null when the request led to no route. */
  readonly operationId: string | null;
  readonly method: string;
  readonly status: number;
  readonly tookMs: number;
}

/** Counts requests. */
export interface RequestFigures {
  request(figure: RequestFigure): void;
}

/** Opens each request's exchange, and writes what the middleware after it answers or refuses. */
export class Answers {
  readonly #open: (request: IncomingMessage, response: ServerResponse) => Exchange;
  readonly #writer: AnswerWriter;
  readonly #figures: RequestFigures | null;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #running = 0;

  constructor(parts: {
    readonly open: (request: IncomingMessage, response: ServerResponse) => Exchange;
    readonly writer: AnswerWriter;
    readonly figures: RequestFigures | null;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#open = parts.open;
    this.#writer = parts.writer;
    this.#figures = parts.figures;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
  }

  /** Requests being answered now. */
  get running(): number {
    return this.#running;
  }

  readonly middleware: HubMiddleware = async (context, next) => {
    const begunMono = this.#figures ? this.#clock.mono() : 0;
    const exchange = this.#open(context.req, context.res);
    context.state = exchange;
    this.#running += 1;
    let answer: RouteResponse;
    try {
      await next();
      answer = answerOf(exchange);
    } catch (error) {
      answer = errorAnswer(error, exchange, this.#logger);
    }
    this.#running -= 1;
    const status = this.#writer.send(exchange, answer);
    this.#figures?.request({
      operationId: exchange.operationId,
      method: exchange.facts.method,
      status,
      tookMs: this.#clock.mono() - begunMono,
    });
  };
}
