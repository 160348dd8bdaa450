/** What cameras records, reports and refuses. */
import type { Texts } from "../../core/text/render.ts";

export const texts = {
  "detail.camera.answerTooLarge": { en: "the camera's answer is too large", hi: "कैमरे का जवाब बहुत बड़ा है" },
  "detail.camera.badAddress": { en: "this is not the address of a camera", hi: "यह किसी कैमरे का पता नहीं है" },
  "detail.camera.eventsUnreadable": { en: "the camera's events cannot be read", hi: "कैमरे की घटनाएँ पढ़ी नहीं जा सकतीं" },
  "detail.camera.fault": { en: "the camera refuses: {said}", hi: "कैमरा मना करता है: {said}" },
  "detail.camera.noEvents": { en: "the camera has no events", hi: "कैमरा हलचल की सूचना नहीं देता" },
  "detail.camera.noSubscription": { en: "the camera's subscription has no address", hi: "कैमरे की सदस्यता में पता नहीं है" },
  "detail.camera.notAPicture": { en: "what is there is not a picture", hi: "वहाँ जो है वह तस्वीर नहीं है" },
  "detail.camera.notOnvif": { en: "the camera's answer is not ONVIF", hi: "कैमरे का जवाब ONVIF नहीं है" },
  "detail.camera.pictureTooLarge": { en: "the camera's picture is too large", hi: "कैमरे की तस्वीर बहुत बड़ी है" },
  "detail.camera.refused": {
    en: "the camera refuses the user name or the password",
    hi: "कैमरा उपयोगकर्ता नाम या पासवर्ड नहीं मानता",
  },
  "detail.camera.status": { en: "the camera answered {status}", hi: "कैमरे का जवाब: {status}" },
  "detail.camera.streamEnded": { en: "the stream ended", hi: "वीडियो बंद हो गया" },
  "detail.camera.streamSilent": { en: "the stream sends no pictures", hi: "वीडियो से तस्वीरें नहीं आतीं" },
  "detail.camera.timeout": { en: "the camera did not answer in time", hi: "कैमरे ने समय पर जवाब नहीं दिया" },
  "detail.camera.unreachable": { en: "the camera cannot be reached", hi: "कैमरे तक नहीं पहुँच सकते" },
  "detail.camera.unsupportedSignIn": {
    en: "the camera asks for a kind of sign-in that is not supported",
    hi: "कैमरे का साइन इन का तरीक़ा यहाँ नहीं चलता",
  },
  "detail.camera.unusable": { en: "the picture cannot be used: {why}", hi: "तस्वीर काम की नहीं: {why}" },
  "detail.conflict.cameraSends": {
    en: "The hub does not take this camera's pictures itself; the camera sends them.",
    hi: "इस कैमरे की तस्वीरें हब ख़ुद नहीं लेता; कैमरा उन्हें भेजता है।",
  },
  "detail.refusal.camera.corner": { en: "a corner is [x, y]", hi: "हर कोना [x, y] के रूप में दें" },
  "detail.refusal.camera.corners": { en: "a polygon has 3 to {limit} corners", hi: "एक बहुभुज में 3 से {limit} कोने होते हैं" },
  "detail.refusal.camera.events": {
    en: "must be an address that begins with http:// or https://, without a sign-in",
    hi: "यह http:// या https:// से शुरू होने वाला पता होना चाहिए, बिना साइन इन के",
  },
  "detail.refusal.camera.http": {
    en: "must be an address that begins with http:// or https://",
    hi: "यह http:// या https:// से शुरू होने वाला पता होना चाहिए",
  },
  "detail.refusal.camera.kind": {
    en: "must be native, snapshot or rtsp",
    hi: "यह native, snapshot या rtsp होना चाहिए",
  },
  "detail.refusal.camera.name": { en: "must be a name of 1 to 64 characters", hi: "यह 1 से 64 अक्षरों का नाम होना चाहिए" },
  "detail.refusal.camera.password": {
    en: "must be a text of at most 200 characters",
    hi: "यह अधिक से अधिक 200 अक्षरों का होना चाहिए",
  },
  "detail.refusal.camera.polygons": {
    en: "must be a list of at most {limit} polygons",
    hi: "अधिक से अधिक {limit} बहुभुज दिए जा सकते हैं",
  },
  "detail.refusal.camera.rtsp": {
    en: "must be an address that begins with rtsp:// or rtsps://",
    hi: "यह rtsp:// या rtsps:// से शुरू होने वाला पता होना चाहिए",
  },
  "detail.refusal.camera.share": { en: "x and y lie between 0 and 1", hi: "x और y 0 और 1 के बीच होने चाहिए" },
  "detail.refusal.camera.tryKind": { en: "must be snapshot or rtsp", hi: "यह snapshot या rtsp होना चाहिए" },
  "detail.refusal.camera.watch": {
    en: "must be motion, periodic, loop, onvif or manual",
    hi: "यह motion, periodic, loop, onvif या manual होना चाहिए",
  },
  "detail.refusal.camera.whole": {
    en: "must be a whole number from {least} to {most}",
    hi: "यह {least} से {most} तक की पूरी संख्या होनी चाहिए",
  },
  "detail.refusal.capture.cutOff": { en: "The multipart body is cut off.", hi: "भेजी गई तस्वीरें बीच में कट गईं।" },
  "detail.refusal.capture.empty": { en: "The body is empty.", hi: "कोई तस्वीर नहीं भेजी गई।" },
  "detail.refusal.capture.noFile": { en: "The body has no file part.", hi: "भेजे गए में कोई फ़ाइल नहीं है।" },
  "detail.refusal.capture.noHeaders": {
    en: "A part of the multipart body has no headers.",
    hi: "भेजी गई तस्वीरों के एक हिस्से में हेडर नहीं हैं।",
  },
  "detail.refusal.most.frames": {
    en: "A capture has at most {limit} frames.",
    hi: "एक बार में अधिक से अधिक {limit} तस्वीरें ली जाती हैं।",
  },
  "detail.unavailable.captures": {
    en: "Too many captures wait to be read.",
    hi: "पढ़े जाने के लिए बहुत सी तस्वीरें पहले से रुकी हैं।",
  },
  "detail.unavailable.stopping": { en: "The hub is stopping.", hi: "हब बंद हो रहा है।" },
} as const satisfies Texts;
