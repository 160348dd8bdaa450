import { plainAddress, shareOf } from "../../kernel/admission.ts";
import type { Connections } from "../connections.ts";
import type { HubMiddleware } from "../exchange.ts";
import type { FairScheduler } from "../fair-scheduler.ts";

/**
 * Handles the requests of a connection one at a time, and those of connections that have shown no credential in turns
 * by address. A connection that has ended is not answered.
 */
export function inTurn(connections: Connections, scheduler: FairScheduler): HubMiddleware {
  return async (context, next) => {
    const { req, res } = context;
    context.respond = false; // the answer is written by an AnswerWriter
    const before = connections.arrived(req.socket, res);
    if (before !== null) await new Promise((resolve) => before.once("close", resolve));
    let from = connections.begun(req.socket);
    const turn = from === "unauthenticated" ? scheduler.wait(shareOf(plainAddress(req.socket.remoteAddress))) : null;
    if (turn !== null) {
      await turn;
      from = connections.begun(req.socket);
    }
    if (from !== "ended") await next();
  };
}
