import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime } from "../../../core/kernel/clock.ts";
import { answerGateQuestion, getGateQuestionImage, listGateQuestions } from "../api/gate-questions.ts";
import type { Questions, QuestionView } from "../questions.ts";
import type { GateQuestion } from "../resources/gate-question.ts";

/** Whom the gate asks about, and the answers. */
export function gateQuestionRoutes(questions: Questions): BoundRoute[] {
  return [
    bind(listGateQuestions, ({ caller, baseUrl }) => ({
      status: 200,
      body: { questions: questions.list(caller.siteId).map((question) => shown(question, baseUrl)) },
    })),
    bind(getGateQuestionImage, async ({ caller, params }) => ({
      status: 200,
      bytes: await questions.image(caller.siteId, params.id),
      contentType: "image/jpeg",
      headers: { "Cache-Control": "no-store" },
    })),
    bind(answerGateQuestion, async ({ caller, params, body, baseUrl }) => ({
      status: 200,
      body: { question: shown(await questions.answer(caller.siteId, params.id, body.open, caller.actor), baseUrl) },
    })),
  ];
}

function shown({ askedAt, expiresAt, ...question }: QuestionView, baseUrl: string): GateQuestion {
  return {
    ...question,
    odd: [...question.odd],
    askedAt: isoTime(askedAt),
    expiresAt: isoTime(expiresAt),
    imageUrl: question.state === "asked" ? `${baseUrl}/v1/gate-questions/${question.id}/image` : null,
  };
}
