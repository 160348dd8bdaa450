/// <reference types="vite/client" />

/** Texts in one language (`src/console/vite-declared.ts`). */
declare module "virtual:texts/*" {
  export const texts: Readonly<
    Partial<Record<import("./i18n/translate.ts").TextKey, import("icu-minify/format").CompiledMessage>>
  >;
}

/** What the settings page shows besides the answer of the hub (`src/console/vite-declared.ts`). */
declare module "virtual:settings" {
  export const settings: import("./i18n/settings-shown.ts").SettingsShown;
}
