import { flag, group, whole } from "../../core/settings/builders.ts";

export const access = group(
  { name: { en: "Access", hi: "प्रवेश" }, part: "safety", at: 2 },
  {
    sessionIdleDays: whole({
      default: 14,
      minimum: 1,
      maximum: 365,
      env: "GATEHOUSE_SESSION_IDLE_DAYS",
      common: true,
      name: { en: "Sign out after days without use", hi: "इतने दिन बिना इस्तेमाल पर साइन आउट" },
      words: { en: "session login logout stay signed in timeout automatically", hi: "लॉगिन लॉगआउट सत्र अपने आप" },
      help: {
        en: "Days without use after which a console session ends.",
        hi: "इतने दिन इस्तेमाल न होने पर कंसोल का सत्र समाप्त होता है।",
      },
    }),
    sessionMaxDays: whole({
      default: 90,
      minimum: 1,
      maximum: 365,
      env: "GATEHOUSE_SESSION_MAX_DAYS",
      common: true,
      name: { en: "Sign out in any case after (days)", hi: "हर हाल में साइन आउट (दिन बाद)" },
      words: { en: "session login logout stay signed in timeout", hi: "लॉगिन लॉगआउट सत्र" },
      help: {
        en: "Days after which a console session ends in any case.",
        hi: "इतने दिन बाद कंसोल का सत्र हर हाल में समाप्त होता है।",
      },
    }),
    claimFromAnywhere: flag({
      default: false,
      env: "GATEHOUSE_CLAIM_FROM_ANYWHERE",
      name: { en: "Claim from the internet", hi: "इंटरनेट से दावा" },
      help: { en: "Accept the claim code from public addresses too.", hi: "दावा कोड सार्वजनिक पतों से भी स्वीकार करें।" },
    }),
    auditDays: whole({
      default: 730,
      minimum: 30,
      maximum: 3_650,
      env: "GATEHOUSE_AUDIT_DAYS",
      common: true,
      name: { en: "Keep “Who did what” (days)", hi: "“किसने क्या किया” रखें (दिन)" },
      words: { en: "audit history retention log", hi: "लेखा इतिहास अवधि" },
      help: { en: "Days that the audit list is kept.", hi: "किसने क्या किया, इस सूची को रखने के दिन।" },
      restart: false,
    }),
  },
);
