import { useEffect, useState } from "preact/hooks";
import { refusedOpening } from "../../features/gate/console/opening.tsx";
import type { GateQuestion } from "../../features/gate/resources/gate-question.ts";
import { post } from "../api.ts";
import { t } from "../i18n/translate.ts";
import { devices, questions, refreshQuestions } from "../store.ts";
import { Button } from "./button.tsx";
import { oddText } from "./odd.ts";
import { say, sayError } from "./toast.tsx";

/** Ignores taps this soon after the buttons appear: they were meant for something else. */
const SETTLE_MS = 350;
const SECOND_MS = 1_000;

/** Vehicles waiting at a gate, on every page: the picture, the identity, and two buttons. */
export function GateQuestions() {
  const waiting = questions.value;
  if (waiting.length === 0) return null;
  return (
    <div class="questions">
      {waiting.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
    </div>
  );
}

function QuestionCard({ question }: { question: GateQuestion }) {
  const [isReady, setReady] = useState(false);
  const [left, setLeft] = useState(secondsLeft(question));
  useEffect(() => {
    const settle = setTimeout(() => setReady(true), SETTLE_MS);
    const tick = setInterval(() => {
      const seconds = secondsLeft(question);
      setLeft(seconds);
      if (seconds === 0) void refreshQuestions().catch(() => {});
    }, SECOND_MS);
    return () => {
      clearTimeout(settle);
      clearInterval(tick);
    };
  }, [question.id]);
  const answer = async (open: boolean): Promise<void> => {
    setReady(false);
    try {
      await post("/v1/gate-questions/{id}/answer", { params: { id: question.id }, body: { open } });
      say(open ? t("question.opened") : t("question.shut"));
    } catch (error) {
      sayError(error);
      setReady(true);
    }
    await refreshQuestions().catch(() => {});
  };
  const camera = devices.value.get(question.deviceId)?.name ?? question.deviceId;
  const isAway = devices.value.get(question.gateId)?.online === false;
  const refusal = refusedOpening(question.gateId);
  const title = t("question.title", { plate: question.formatted });
  return (
    <section class="card question" role="alert" aria-label={title}>
      <img
        class="read-image"
        src={`/v1/gate-questions/${question.id}/image`}
        alt={t("question.image", { camera })}
        width="640"
        height="360"
      />
      <div>
        <h2>{title}</h2>
        <p>{[question.label, camera].filter((part) => part !== "").join(" · ")}</p>
        <p class="soft small">
          <span aria-hidden="true">{t("question.left", { n: left })}</span>
          {question.askedFor !== "earns" && ` · ${doubtText(question)}`}
          {question.kind === "confirm" && ` · ${t("question.byDevice")}`}
        </p>
        {refusal !== null && <p class="small">{refusal}</p>}
        {isAway && <p class="warn small">{t("question.gateAway")}</p>}
      </div>
      <div class="pair">
        <Button
          look="primary"
          icon="check"
          text={t("question.open")}
          disabled={!isReady || isAway || refusal !== null}
          onClick={() => answer(true)}
        />
        <Button
          icon="lock"
          text={t("question.keepShut")}
          disabled={!isReady || refusal !== null}
          onClick={() => answer(false)}
        />
      </div>
    </section>
  );
}

/** Reasons against opening. */
function doubtText({ askedFor, meant, odd }: GateQuestion): string {
  if (askedFor === "presented") return oddText(odd);
  if (askedFor === "near_miss") return t("doubt.near_miss", { meant: meant ?? "" });
  return askedFor === "earns" ? "" : t(`doubt.${askedFor}`);
}

function secondsLeft({ expiresAt }: GateQuestion): number {
  return Math.max(0, Math.ceil((Date.parse(expiresAt) - Date.now()) / SECOND_MS));
}
