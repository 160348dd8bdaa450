/// <reference types="vite/client" />

/** Texts in one language (vite-texts.ts). */
declare module "virtual:texts/*" {
  export const texts: Readonly<
    Partial<Record<import("./i18n/translate.ts").TextKey, import("icu-minify/format").CompiledMessage>>
  >;
}
