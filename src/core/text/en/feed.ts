/** Items of the activity feed: `feed.title.*` and `feed.body.*`. */
export const feed = {
  "feed.title.aged.audit": "Much of the audit list is too old at once",
  "feed.body.aged.audit":
    "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
  "feed.title.aged.feed": "Much of the activity list is too old at once",
  "feed.body.aged.feed":
    "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
  "feed.title.aged.openings": "Many openings of gates are too old at once",
  "feed.body.aged.openings":
    "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
  "feed.title.aged.pictures": "Many pictures are too old at once",
  "feed.body.aged.pictures":
    "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
  "feed.title.aged.reads": "Many plate reads are too old at once",
  "feed.body.aged.reads":
    "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
  "feed.title.aged.samples": "Many measurements are too old at once",
  "feed.body.aged.samples":
    "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
  "feed.title.aged.states": "Many changes of states are too old at once",
  "feed.body.aged.states":
    "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
  "feed.title.aged.sums": "Many hourly sums are too old at once",
  "feed.body.aged.sums":
    "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
  "feed.title.aged.visits": "Many visits are too old at once",
  "feed.body.aged.visits":
    "A share is deleted each day; the rest ({n}) stays until then. If the date is right, an owner may delete it at once under System.",
  "feed.title.automation.failed": "{name} did not do all it should",
  "feed.body.automation.failed": "{what}: {why}",
  "feed.title.automation.fired": "{name}",
  "feed.body.automation.fired":
    "{n, plural, =0 {Nothing was to be sent.} other {Done: {steps}{more, plural, =0 {.} other { and # more.}}}}",
  "feed.title.automation.paused": "{name} was switched off",
  "feed.body.automation.paused":
    "It ran more than {n} times within a minute. Look at its trigger, then switch it on again.",
  "feed.title.clock.back": "The clock was set",
  "feed.body.clock.back":
    "It moved back by about {n, plural, one {# minute} other {# minutes}}. Schedules follow the new time.",
  "feed.title.clock.back_hours": "The clock was set",
  "feed.body.clock.back_hours":
    "It moved back by about {n, plural, one {# hour} other {# hours}}. Schedules follow the new time.",
  "feed.title.clock.forward": "The clock was set",
  "feed.body.clock.forward":
    "It moved forward by about {n, plural, one {# minute} other {# minutes}}. Schedules follow the new time.",
  "feed.title.clock.forward_hours": "The clock was set",
  "feed.body.clock.forward_hours":
    "It moved forward by about {n, plural, one {# hour} other {# hours}}. Schedules follow the new time.",
  "feed.title.clock.known": "The time is known",
  "feed.body.clock.known": "Schedules run from now on.",
  "feed.title.clock.refused": "The clock jumped",
  "feed.body.clock.refused":
    "The box's own clock shows {at}. The hub keeps its own time until somebody confirms the new one.",
  "feed.title.clock.returned": "The clock is right again",
  "feed.body.clock.returned": "The box's own clock shows the hub's time again.",
  "feed.title.command.failed": "{name} did not get a command",
  "feed.body.command.failed": "The device was not there for {n, plural, one {# second} other {# seconds}}.",
  "feed.title.command.unconfirmed": "{name} did not confirm a command",
  "feed.title.device.added": "{name} added",
  "feed.title.device.firmware": "{name} has new firmware",
  "feed.body.device.firmware": "{before} → {after}",
  "feed.title.device.offline": "{name} is offline",
  "feed.title.device.online": "{name} is online",
  "feed.title.device.removed": "{name} removed",
  "feed.title.gate.failed": "The gate did not take its command for {plate}",
  "feed.body.gate.failed": "{why}",
  "feed.title.gate.asked": "May {plate} come in?",
  "feed.body.gate.asked":
    "{near, select, yes {On no list, but it may be {meant}. } other {}}{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}. The gate stays shut unless somebody answers within a minute.",
  "feed.title.gate.followed": "{n, plural, one {A vehicle} other {# vehicles}} followed through {gate}",
  "feed.body.gate.followed":
    "{seen, select, yes {{plate} was there while it was open for another vehicle.} other {The loop behind it counted more vehicles than were let in.}}",
  "feed.title.gate.kept_shut": "The gate stayed shut for {plate}",
  "feed.body.gate.kept_shut":
    "{why, select, unanswered {Nobody answered within a minute.} kept_shut {{who} kept it shut.} key {An app kept it shut.} next_vehicle {The next vehicle came before anybody answered.} already_inside {It is inside already: it came in and was not seen to leave.} elsewhere {It was at another gate just now.} rule_changed {Its rule, or the camera, changed before the answer came.} other {The hub stopped before an answer was recorded.}}",
  "feed.title.key.created": "Key “{name}” created",
  "feed.body.key.created": "{key}, {n, plural, one {# scope} other {# scopes}}",
  "feed.title.key.revoked": "Key “{name}” revoked",
  "feed.body.key.revoked": "{key}",
  "feed.title.occupancy.full": "The site is full",
  "feed.body.occupancy.full": "{inside} of {capacity} places are taken. The gate still opens for allowed vehicles.",
  "feed.title.gate.not_opened": "{gate} {what, select, lock {was not unlocked} other {did not open}}",
  "feed.body.gate.not_opened":
    "{why}{kind, select, device {} hub {} automation { Asked by the automation {who}.} scene { Asked by the scene {who}.} plate { For {who}.} other { Asked by {who}.}}",
  "feed.title.gate.opened":
    "{kind, select, device {{gate} was {what, select, lock {unlocked} other {opened}} by hand or remote control} hub {{gate} {what, select, lock {was unlocked} other {opened}}} automation {The automation {who} {what, select, lock {unlocked} other {opened}} {gate}} scene {The scene {who} {what, select, lock {unlocked} other {opened}} {gate}} plate {{gate} opened for {who}} other {{who} {what, select, lock {unlocked} other {opened}} {gate}}}",
  "feed.body.gate.opened": "{late, select, yes {Later than expected: it did after all.} other {}}",
  "feed.title.estate.late_ban": "{plate} was let in before the ban came",
  "feed.body.estate.late_ban":
    "Another gate denied it {minutes, plural, one {# minute} other {# minutes}} ago, and this hub, cut off, heard of it only now. Since then it was let in at {camera}.",
  "feed.title.estate.rule_dropped": "The rule for {plate} is another gate's",
  "feed.body.estate.rule_dropped":
    "{labelled, select, yes {{label}: the} other {The}} rule made on this hub met one that another gate had made for the same plate. The other gate's rule holds everywhere.",
  "feed.title.estate.rule_settled": "Gates had different rules for {plate}",
  "feed.body.estate.rule_settled":
    "Not every gate had heard of the last edit. {kind, select, deny {Now it is denied at all gates} allow {Now it is allowed at all gates} watch {Now it is watched for at all gates} other {Now there is no rule for it at any gate}}: of two edits that knew nothing of each other the later one holds. Look whether it is what you want.",
  "feed.title.guest.plate":
    "{kind, select, refused {{label} could not use the plate {plate}} other {{label} comes with {plate}}}",
  "feed.body.guest.plate":
    "{kind, select, refused {The guest told it by the link of the pass; it is on a list already.} other {The guest told it by the link of the pass.}}",
  "feed.title.plate.allowed": "{plate} allowed",
  "feed.body.plate.allowed":
    "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}",
  "feed.title.plate.denied": "{plate} denied",
  "feed.body.plate.denied":
    "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}",
  "feed.title.plate.invalid_format": "Plate not recognised at {camera}",
  "feed.body.plate.invalid_format": "A plate was seen that could not be made out.",
  "feed.title.plate.no_plate": "Plate not recognised at {camera}",
  "feed.body.plate.no_plate": "No plate was seen.",
  "feed.title.plate.no_recogniser": "Plate not recognised at {camera}",
  "feed.body.plate.no_recogniser": "No recogniser is loaded.",
  "feed.title.plate.provider_error": "Plate not recognised at {camera}",
  "feed.body.plate.provider_error": "The pictures could not be read.",
  "feed.title.plate.timeout": "Plate not recognised at {camera}",
  "feed.body.plate.timeout": "Reading took too long.",
  "feed.title.plate.noted": "{plate} seen (on the list, only noted)",
  "feed.body.plate.noted":
    "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}",
  "feed.title.plate.unknown": "{plate} seen (on no list)",
  "feed.body.plate.unknown":
    "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}",
  "feed.title.plate.watch": "{plate} seen (watch list)",
  "feed.body.plate.watch":
    "{labelled, select, yes {{label}, } other {}}at {camera}{way, select, in {, entering} out {, leaving} other {}}",
  "feed.title.scene.activated": "Scene {name} activated",
  "feed.body.scene.activated": "{sent, plural, one {# command} other {# commands}} sent",
  "feed.title.scene.partly": "Scene {name} activated",
  "feed.body.scene.partly":
    "{sent, plural, one {# command} other {# commands}} sent{skipped, plural, =0 {} other {, # skipped}}{refused, plural, =0 {} other {, # refused}}",
  "feed.title.security.login": "{name} signed in",
  "feed.body.security.login": "From {address}",
  "feed.title.security.login_failed": "Sign-in refused",
  "feed.body.security.login_failed": "Somebody at {address} tried to sign in as {email}",
  "feed.title.security.passkey_added": "{name} added a passkey",
  "feed.body.security.passkey_added": "{passkey}",
  "feed.title.security.passkey_removed": "{name} removed a passkey",
  "feed.body.security.passkey_removed": "{passkey}",
  "feed.title.security.password_changed": "Password changed",
  "feed.body.security.password_changed": "{name}; {n, plural, one {# other session} other {# other sessions}} ended",
  "feed.title.security.restored": "A backup was restored: what was revoked since stays revoked",
  "feed.body.security.restored":
    "{n, plural, one {# access that the backup brought back} other {# accesses that the backup brought back}} and {sessions, plural, one {# session} other {# sessions}} ended",
  "feed.title.security.grants_ended": "Access ended that {name} had given",
  "feed.body.security.grants_ended": "{n, plural, one {# access} other {# accesses}}: {list}",
  "feed.title.security.grants_ended_gone": "Access ended that somebody had given who was removed",
  "feed.body.security.grants_ended_gone": "{n, plural, one {# access} other {# accesses}}: {list}",
  "feed.title.storage.damaged": "The database is damaged",
  "feed.body.storage.damaged": "Nothing more is stored. Restore a backup under System, Backups.",
  "feed.title.storage.files": "Files of the hub could not be used",
  "feed.body.storage.files": "{files}. System, Health says what the hub did.",
  "feed.title.webhook.disabled_failures": "Webhook disabled",
  "feed.body.webhook.disabled_failures": "{name}: 20 attempts in a row failed",
  "feed.title.webhook.disabled_gone": "Webhook disabled",
  "feed.body.webhook.disabled_gone": "{name}: the receiver says that it is gone",
  "feed.title.webhook.disabled_owner": "Webhook disabled",
  "feed.body.webhook.disabled_owner": "{name}: switched off",
  "feed.title.webhook.enabled": "Webhook enabled",
  "feed.body.webhook.enabled": "{name}",
} as const;
