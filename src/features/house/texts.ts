/** What house records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "detail.refusal.house.saysNothing": {
    en: "This device does not say whether somebody is there.",
    hi: "यह डिवाइस नहीं बताता कि कोई वहाँ है या नहीं।",
  },
  "feed.title.house.mode": {
    en: "The house is set to {mode, select, home {Home} away {Away} night {Night} other {Holiday}}",
    hi: "घर “{mode, select, home {घर पर} away {बाहर} night {रात} other {छुट्टी}}” पर रखा गया",
  },
  "feed.title.house.modeBy": {
    en: "{who} set the house to {mode, select, home {Home} away {Away} night {Night} other {Holiday}}",
    hi: "{who} ने घर को “{mode, select, home {घर पर} away {बाहर} night {रात} other {छुट्टी}}” पर रखा",
  },
} as const satisfies Texts;
