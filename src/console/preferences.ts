/** This browser's preferences: theme and language. Nothing else is kept in the browser. */
import { signal } from "@preact/signals";
import type { Language } from "../core/text/render.ts";

/** `auto` follows the device. */
export type Theme = "auto" | "light" | "dark";

export const theme = signal<Theme>(stored("theme", ["auto", "light", "dark"]) ?? "auto");
export const language = signal<Language>(
  stored("language", ["en", "hi"]) ?? (navigator.language.startsWith("hi") ? "hi" : "en"),
);

/** Applies the chosen theme and language to the page. */
export function applyTheme(): void {
  if (theme.value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
  document.documentElement.lang = language.value;
}

/** Chooses a theme and keeps it. */
export function setTheme(next: Theme): void {
  theme.value = next;
  keep("theme", next);
  applyTheme();
}

/** Chooses a language and keeps it. */
export function setLanguage(next: Language): void {
  language.value = next;
  keep("language", next);
  applyTheme();
}

function stored<Word extends string>(key: string, words: readonly Word[]): Word | null {
  try {
    const text = localStorage.getItem(`gatehouse.${key}`);
    return words.find((word) => word === text) ?? null;
  } catch {
    return null; // storage may be blocked; the defaults will do
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(`gatehouse.${key}`, value);
  } catch {
    // The choice then lasts until the page is closed.
  }
}
