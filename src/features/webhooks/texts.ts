/** What webhooks records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "check.webhook-secrets": { en: "Secrets of webhooks", hi: "वेबहुक के रहस्य" },
  "check.webhooks": { en: "Webhooks", hi: "वेबहुक" },
  "detail.conflict.receiverRefused": {
    en: "The receiver did not accept a test: {why}.",
    hi: "रिसीवर ने जाँच का संदेश स्वीकार नहीं किया: {why}।",
  },
  "detail.refusal.most.webhooks": {
    en: "A household has at most {limit} webhooks.",
    hi: "एक घर में अधिक से अधिक {limit} वेबहुक हो सकते हैं।",
  },
  "detail.refusal.noEvent": { en: "There is no event ‘{name}’.", hi: "‘{name}’ नाम की कोई घटना नहीं है।" },
  "detail.unavailable.webhooks": { en: "Webhooks are not running.", hi: "वेबहुक अभी नहीं चल रहे हैं।" },
  "feed.body.webhook.disabled_failures": {
    en: "{name}: 20 attempts in a row failed",
    hi: "{name}: लगातार 20 प्रयास विफल रहे",
  },
  "feed.body.webhook.disabled_gone": {
    en: "{name}: the receiver says that it is gone",
    hi: "{name}: रिसीवर ने कहा कि वह अब नहीं है",
  },
  "feed.body.webhook.disabled_owner": { en: "{name}: switched off", hi: "{name}: मालिक ने बंद किया" },
  "feed.body.webhook.enabled": { en: "{name}", hi: "{name}" },
  "feed.title.webhook.disabled_failures": { en: "Webhook disabled", hi: "वेबहुक बंद हुआ" },
  "feed.title.webhook.disabled_gone": { en: "Webhook disabled", hi: "वेबहुक बंद हुआ" },
  "feed.title.webhook.disabled_owner": { en: "Webhook disabled", hi: "वेबहुक बंद हुआ" },
  "feed.title.webhook.enabled": { en: "Webhook enabled", hi: "वेबहुक चालू हुआ" },
  "health.webhookSecrets.ok": { en: "All can be signed.", hi: "हर एक पर हस्ताक्षर हो सकता है।" },
  "health.webhookSecrets.unsigned": {
    en: "{n, plural, one {# webhook is} other {# webhooks are}} not called: the file hub.key is not the one with which {n, plural, one {its secret was} other {their secrets were}} sealed. Bring it back from a backup, or give {n, plural, one {it a new secret} other {them new secrets}}.",
    hi: "{n, plural, one {# वेबहुक को} other {# वेबहुक को}} नहीं बुलाया जा रहा: hub.key फ़ाइल वह नहीं है जिससे {n, plural, =1 {उसका रहस्य} other {उनके रहस्य}} सील {n, plural, =1 {हुआ था} other {हुए थे}}। उसे बैकअप से वापस लाएँ, या {n, plural, =1 {उसे नया रहस्य} other {उन्हें नए रहस्य}} दें।",
  },
  "health.webhooks.ok": { en: "Nothing has been waiting for long.", hi: "कुछ भी देर से नहीं रुका है।" },
  "health.webhooks.pending": {
    en: "{name}: {n, plural, one {# delivery is} other {# deliveries are}} pending since {at}{more, plural, =0 {} one {, and # more webhook waits} other {, and # more webhooks wait}}. Check that the receiver runs and answers with 2xx; what is pending is sent then.",
    hi: "{name}: {n, plural, one {# सूचना} other {# सूचनाएँ}} {at} से रुकी {n, plural, one {है} other {हैं}}{more, plural, =0 {} one {, और # वेबहुक भी रुका है} other {, और # वेबहुक भी रुके हैं}}। देखें कि रिसीवर चल रहा है और 2xx से जवाब देता है; तब रुकी हुई सूचनाएँ भेज दी जाएँगी।",
  },
} as const satisfies Texts;
