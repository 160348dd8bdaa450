import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type ProofQuestion, proofQuestion } from "../api.ts";

/**
 * Where the question for a fresh proof appears, over whatever needs it; once per page. Its code is loaded with the
 * first question.
 */
export function ProofAsk() {
  const [View, setView] = useState<FunctionComponent<{ question: ProofQuestion }> | null>(null);
  const question = proofQuestion.value;
  useEffect(() => {
    if (question === null || View !== null) return;
    void import("./proof-dialog.tsx")
      .then(({ ProofDialog }) => setView(() => ProofDialog))
      .catch(() => question.answer(false));
  }, [question]);
  return question === null || View === null ? null : <View question={question} />;
}
