import { get } from "../../../console/api.ts";
import { ago, t } from "../../../console/i18n/translate.ts";
import type { Section } from "../../../console/pages/section.ts";
import { account } from "../../../console/session.ts";

/** What the pages about people say in one line, and the words by which they are found. */
export const section: Section = {
  standings: {
    "/system/persons": async () => {
      const { persons } = await get("/api/persons");
      return { text: t("persons.count", { n: persons.length }) };
    },
    "/system/account": async () => (account.value === null ? null : { text: account.value.name }),
    "/system/audit": async () => {
      const [newest] = (await get("/api/audit", { query: { limit: 1 } })).audit;
      if (newest === undefined) return null;
      return { text: [newest.person, ago(newest.at)].filter((part) => part !== null).join(" · ") };
    },
  },
  places: [
    {
      title: "account.title",
      to: "/system/account",
      words: {
        en: "password passkey fingerprint second factor 2fa totp authenticator sign out log logout sessions devices signed recovery codes profile e-mail name apps connected",
        hi: "पासवर्ड पासकी फ़िंगरप्रिंट दूसरा कारक साइन आउट लॉगआउट सत्र रिकवरी कोड प्रोफ़ाइल ईमेल नाम ऐप",
      },
    },
    {
      title: "account.totpOn",
      on: "account.title",
      to: "/system/account",
      words: {
        en: "second factor 2fa two-factor totp authenticator code security mfa otp",
        hi: "दूसरा कारक दो-चरण कोड सुरक्षा ओटीपी प्रमाणक",
      },
    },
    {
      title: "persons.title",
      to: "/system/persons",
      words: {
        en: "invite person family member owner role rights user guest remove household until end expiry temporary tenant times hours weekly schedule cleaner au pair gates limit",
        hi: "बुलाएँ निमंत्रण परिवार सदस्य मालिक भूमिका अधिकार उपयोगकर्ता मेहमान हटाएँ कब तक समाप्ति अस्थायी किराएदार समय घंटे हफ़्ते सफ़ाई गेट सीमा",
      },
    },
    {
      title: "system.audit",
      to: "/system/audit",
      words: { en: "audit history changes who did accountability trail record", hi: "किसने बदलाव इतिहास लेखा जवाबदेही" },
    },
  ],
};
