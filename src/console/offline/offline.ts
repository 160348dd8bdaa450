/**
 * Replaces the console while the hub is unreachable: reports it, keeps trying, and opens the requested page afterwards.
 */
import "./offline.css";

const TEXTS = {
  en: {
    title: "The hub is away",
    text: "This phone or computer cannot reach it. Are you at home, and in its network? As long as the hub runs, the gate and the rules go on without this page.",
    wait: "Asking again every few seconds …",
    again: "Try again",
  },
  hi: {
    title: "हब पहुँच में नहीं",
    text: "यह फ़ोन या कंप्यूटर उस तक नहीं पहुँच पा रहा। क्या आप घर पर और उसके नेटवर्क में हैं? जब तक हब चल रहा है, गेट और नियम इस पेज के बिना भी चलते हैं।",
    wait: "हर कुछ सेकंड में फिर पूछा जा रहा है …",
    again: "फिर कोशिश करें",
  },
} as const;

const ASK_EVERY_MS = 3_000;
const TIMEOUT_MS = 5_000;

const language = (stored("language") ?? navigator.language).startsWith("hi") ? "hi" : "en";
const theme = stored("theme");
document.documentElement.lang = language;
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
for (const [id, text] of Object.entries(TEXTS[language])) {
  const element = document.getElementById(id);
  if (element !== null) element.textContent = text;
}
document.getElementById("again")?.addEventListener("click", () => location.reload());
addEventListener("online", () => void ask());
void ask();

/** Any answer means that the hub is there. */
async function ask(): Promise<void> {
  try {
    await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
    location.reload();
  } catch {
    setTimeout(() => void ask(), ASK_EVERY_MS);
  }
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(`gatehouse.${key}`);
  } catch {
    return null;
  }
}
