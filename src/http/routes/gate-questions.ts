import type { GateQuestion } from "../../contract/resources/gate-question.js";
import { answerGateQuestion, getGateQuestionImage, listGateQuestions } from "../../contract/routes/gate-questions.js";
import type { Questions, QuestionView } from "../../gate/questions.js";
import { isoTime } from "../../kernel/clock.js";
import { type BoundRoute, bind } from "../exchange.js";

/** What the routes of questions ask of the hub. */
export type QuestionService = Pick<Questions, "list" | "image" | "answer">;

/** Whom the gate asks about, and the answers. */
export function gateQuestionRoutes(service: QuestionService): BoundRoute[] {
  return [
    bind(listGateQuestions, ({ caller, baseUrl }) => ({
      status: 200,
      body: { questions: service.list(caller.siteId).map((question) => shown(question, baseUrl)) },
    })),
    bind(getGateQuestionImage, async ({ caller, params }) => ({
      status: 200,
      bytes: await service.image(caller.siteId, params.id),
      contentType: "image/jpeg",
      headers: { "Cache-Control": "no-store" },
    })),
    bind(answerGateQuestion, async ({ caller, params, body, baseUrl }) => ({
      status: 200,
      body: { question: shown(await service.answer(caller.siteId, params.id, body.open, caller.actor), baseUrl) },
    })),
  ];
}

function shown({ askedAt, expiresAt, ...question }: QuestionView, baseUrl: string): GateQuestion {
  return {
    ...question,
    askedAt: isoTime(askedAt),
    expiresAt: isoTime(expiresAt),
    imageUrl: question.state === "asked" ? `${baseUrl}/v1/gate-questions/${question.id}/image` : null,
  };
}
