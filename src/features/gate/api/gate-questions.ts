import { Type } from "typebox";
import { closed } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { GateQuestion } from "../resources/gate-question.ts";

const access = { kind: "scope", scope: "gate:confirm" } as const;
const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64, description: "Question id." }) });

const WAITING: GateQuestion = {
  id: "q3kTzN0c5m1Wb8Xy",
  deviceId: "camera-gate",
  gateId: "gate",
  readId: 1,
  plate: "MH12AB1234",
  formatted: "MH 12 AB 1234",
  label: "Visitor",
  kind: "confirm",
  askedFor: "earns",
  odd: [],
  meant: null,
  state: "asked",
  askedAt: "2026-03-01T12:00:00.000Z",
  expiresAt: "2026-03-01T12:01:00.000Z",
  imageUrl: "http://gatehouse.local:8080/v1/gate-questions/q3kTzN0c5m1Wb8Xy/image",
};

/** `GET /v1/gate-questions`. */
export const listGateQuestions = defineRoute({
  method: "GET",
  path: "/v1/gate-questions",
  operationId: "listGateQuestions",
  tag: "Plates",
  summary: "List the vehicles that wait for an answer",
  description:
    "An addition beyond the contract. The oldest first. A plate that earns `confirm` or `ask` waits here for at most a minute; `gate.question` on the stream says when one comes or is answered.",
  access,
  addition: true,
  responses: {
    200: {
      description: "Those that wait.",
      schema: Type.Object({ questions: Type.Array(GateQuestion) }, { title: "GateQuestionList" }),
    },
  },
  examples: [{ name: "visitor", status: 200, answer: { questions: [WAITING] } }],
});

/** `GET /v1/gate-questions/{id}/image`. */
export const getGateQuestionImage = defineRoute({
  method: "GET",
  path: "/v1/gate-questions/{id}/image",
  operationId: "getGateQuestionImage",
  tag: "Plates",
  summary: "Read the picture of a vehicle that waits",
  description: "An addition beyond the contract. It is there before the read is stored, and gone with the question.",
  access,
  addition: true,
  rate: "image",
  params,
  responses: { 200: { description: "The picture.", contentType: "image/jpeg" } },
  problems: ["not_found", "image_not_found"],
  examples: [{ name: "visitor", params: { id: WAITING.id }, status: 200 }],
});

/** `POST /v1/gate-questions/{id}/answer`. */
export const answerGateQuestion = defineRoute({
  method: "POST",
  path: "/v1/gate-questions/{id}/answer",
  operationId: "answerGateQuestion",
  tag: "Plates",
  summary: "Let a vehicle in, or not",
  description:
    "An addition beyond the contract. The first answer counts: a second one, or one that comes too late, after the next vehicle, or after the rule was changed, is 409 and opens nothing. A gate that did not take the command may be tried again.",
  access,
  addition: true,
  params,
  body: Type.Object(
    { open: Type.Boolean({ description: "True: the gate is told to open. False: it stays shut." }) },
    { ...closed, title: "GateAnswer" },
  ),
  responses: {
    200: {
      description: "The question with its answer.",
      schema: Type.Object({ question: GateQuestion }, { title: "GateQuestionAnswer" }),
    },
  },
  problems: ["forbidden", "not_found", "conflict", "device_not_found", "unsupported_command", "broker_unavailable"],
  examples: [
    {
      name: "visitor",
      params: { id: WAITING.id },
      body: { open: true },
      status: 200,
      answer: { question: { ...WAITING, state: "opened", imageUrl: null } },
    },
  ],
});
