/** Names of health checks (`check.*`) and what they found (`health.*`). */
export const health = {
  "check.backup-missing": "Backups",
  "check.backup-rehearsal": "Restore rehearsal",
  "check.broker": "MQTT broker",
  "check.card-errors": "Card",
  "check.card-wear": "Written today",
  "check.clock": "Clock",
  "check.disk-space": "Disk space",
  "check.encryption": "Encryption",
  "check.estate": "Estate",
  "check.files": "The hub's own files",
  "check.history": "History",
  "check.home-assistant": "Home Assistant",
  "check.matter": "Matter",
  "check.modules": "Parts of the program",
  "check.outside-broker": "Outside broker",
  "check.power": "Power supply",
  "check.recogniser": "Plate recogniser",
  "check.runtime": "Node.js runtime",
  "check.series": "Long-term series",
  "check.settings": "Settings",
  "check.sntp": "Time server",
  "check.storage": "Storage",
  "check.webhook-secrets": "Secrets of webhooks",
  "check.webhooks": "Webhooks",
  "health.backup.failed": "The last backup to {destination} failed: {why}",
  "health.backup.first": "The first is made tonight.",
  "health.backup.late":
    "No backup was made for {n, plural, one {one day} other {# days}}. Make one on the backups page.",
  "health.backup.off": "Switched off; the last is of {at}.",
  "health.backup.offNone": "Switched off; there is none.",
  "health.backup.ok": "The last is of {at}.",
  "health.backup.unowned": "Nothing to keep before somebody owns the hub.",
  "health.broker.failed": "The broker is not running; devices cannot connect.",
  "health.broker.ok": "Serving {n, plural, one {# client} other {# clients}}.",
  "health.card.errors": "Errors were met (file system {files}, device {device}). Make a backup and replace the card.",
  "health.card.ok": "No errors.",
  "health.card.unknown": "The system does not report its condition.",
  "health.card.used": "No errors; by its own account at most {percent} % of its life is used up.",
  "health.card.worn": "It reports that its life is nearly used up. Make a backup and replace it.",
  "health.checkFailed": "The check itself failed: {reason}",
  "health.clock.doubted":
    "One source says what time it is. Until a second one agrees, such as the console of an owner, nothing is deleted for its age.",
  "health.clock.holdover": "The time was trusted before; no time source answers now.",
  "health.clock.refused":
    "The box's own clock jumped to {at}, and the hub keeps its own time. Open the console as an owner, on a device whose clock is right: that settles it.",
  "health.clock.trusted": "The time is trusted.",
  "health.clock.unknown": "The time is not known, so schedules wait. Open the console once, or connect a time source.",
  "health.disk.low": "{free} of {total} free. Delete what you do not need, or shorten the retention in the settings.",
  "health.disk.ok": "{free} of {total} free",
  "health.encryption.boundless":
    "The hub's authority was made by an earlier version and could vouch for any website. Renew it under System, Network, and trust it again.",
  "health.encryption.ends":
    "The hub's authority ends within a year. Renew it under System, Network, and trust it again on each phone and computer.",
  "health.encryption.lost":
    "The hub's certificate authority cannot be used, and neither can its copy. https goes on with what is left, so browsers may warn. Restore a backup, or renew the authority under System, Network (“gatehouse doctor --new-authority” on a stopped hub), and trust it again on each phone and device.",
  "health.encryption.off": "Off: anybody on this network can read passwords as they are sent.",
  "health.encryption.only": "https only.",
  "health.encryption.open": "https is on; plain http is open too, and what is sent there can be read.",
  "health.encryption.uncovered":
    "The hub's authority vouches for the home network only; another name of the settings needs a certificate of your own (tls.mode files).",
  "health.files.key":
    "hub.key is not the key with which this hub's secrets were sealed: second factors, passwords of cameras and webhooks cannot be opened. Bring hub.key back from a backup; or accept it with “gatehouse doctor --accept-key” on the stopped hub, and enter those secrets anew.",
  "health.files.ok": "All could be read.",
  "health.files.trouble":
    "Some could not be used at the last start. {isCopied, select, yes {Taken from their copies: {copied}. } other {}}{isAnew, select, yes {Made anew: {anew}. } other {}}{isWithout, select, yes {The hub runs without: {without}. } other {}}Check the disk, and make a backup.",
  "health.history.ok": "Nothing is waiting to be deleted because of its age.",
  "health.history.waiting":
    "More of the history is too old than may be deleted in a day; {n, plural, one {# entry waits} other {# entries wait}} ({kinds}). A share is deleted each day. Check that the date is right; then an owner may delete them at once, under System.",
  "health.homeAssistant.away":
    "Not told for {n, plural, one {one minute} other {# minutes}} ({reason}): Home Assistant shows this home as not available. Check the broker and the settings outsideBroker.*.",
  "health.homeAssistant.off": "Switched off.",
  "health.homeAssistant.ok": "This home is shown there.",
  "health.homeAssistant.refused":
    "The broker does not let the hub publish to {topic}: give its user the right to write there.",
  "health.homeAssistant.takingBack": "Switched off; what was shown there is being taken back.",
  "health.estate.away":
    "Cut off from the estate for {n, plural, =0 {less than a minute} one {one minute} other {# minutes}}. The gate goes on with what it knows; {waiting, plural, =0 {nothing waits} one {one read waits} other {# reads wait}} to be sent.",
  "health.estate.broken": "This hub has not joined its estate: {reason}",
  "health.estate.clock":
    "This hub's clock is {n, plural, one {one second} other {# seconds}} off the estate's. Its reads are put in order all the same; look at its time sources.",
  "health.estate.refused":
    "The estate's servers do not take what this hub sends ({reason}): look at their disk and the room that the estate has there. Nothing is lost; {waiting, plural, =0 {a rule waits} one {one read waits} other {# reads wait}} here until they do.",
  "health.estate.ok": "Joined for {n, plural, =0 {less than a minute} one {one minute} other {# minutes}}.",
  "health.matter.ended":
    "Its process ended ({reason}) and is started again; {n, plural, one {once} other {# times}} so far. Phones do not reach the devices meanwhile.",
  "health.matter.held":
    "Rests since a backup was restored with the keys of homes and devices. Start it under System › Matter when the other box is off for good.",
  "health.matter.noIpv6":
    "Phones, speakers and Matter devices do not reach it: this box, or the interface in matter.networkInterface, has no IPv6 address, which Matter works by. “gatehouse doctor” says what to do; the router needs no IPv6.",
  "health.matter.off": "Switched off.",
  "health.matter.ok": "Running, with {megabytes} MB of memory of its own.",
  "health.matter.starting": "Starting.",
  "health.matter.trouble":
    "It runs, and homes that joined do not reach it: {why}. It is tried again every minute; “gatehouse doctor” helps with ports.",
  "health.modules.broken":
    "Cannot be loaded: {names}. {reading, select, yes {Plates are not read. } other {}}{pictures, select, yes {Pictures of cameras are neither shown nor watched for motion. } other {}}{notifying, select, yes {systemd is notified through systemd-notify, which takes more work. } other {}}Install this version again.",
  "health.modules.ok": "All can be found.",
  "health.outside.away":
    "Disconnected for {n, plural, one {one minute} other {# minutes}} ({reason}); {waiting, plural, one {# message waits} other {# messages wait}}. Its devices cannot be reached; check the broker and the settings outsideBroker.*.",
  "health.outside.ok": "Connected for {n, plural, one {one minute} other {# minutes}}.",
  "health.power.ok": "Strong enough.",
  "health.power.sags": "The voltage sags: use the supply and cable made for this board. Low voltage ruins cards.",
  "health.power.unknown": "This board does not measure it.",
  "health.recogniser.notReady": "{why}",
  "health.recogniser.ok": "Plates are read.",
  "health.rehearsal.failed": "The last backup could not be restored: {why} Make a new one, and check the medium.",
  "health.rehearsal.none": "None yet; the first one follows within a week of the first backup.",
  "health.rehearsal.ok": "Restored to a separate folder on {at}, and intact.",
  "health.runtime.new": "Version {version}.",
  "health.runtime.ok": "Version {version}, with security updates until {end}.",
  "health.runtime.past":
    "Version {version} has had no security updates since {end}: install the newest release of Gatehouse.",
  "health.series.catchingUp": "Older samples are being sent.",
  "health.series.nothing": "Nothing to send yet.",
  "health.series.off": "Switched off.",
  "health.series.ok": "Sent last: {at}.",
  "health.series.waiting":
    "Behind by {n, plural, =0 {less than a minute} one {one minute} other {# minutes}}: {reason}. Nothing is lost while the hub still keeps the samples.",
  "health.settings.ok": "As saved.",
  "health.settings.refused":
    "The hub did not start with the settings saved last ({names}), so they were undone. This note goes away with the next change of a setting.",
  "health.settings.unusable":
    "The settings file cannot be read ({reason}). The hub runs with those with which it last started, or with the defaults if it has none. The next change of a setting writes the file anew and keeps the old one beside it.",
  "health.sntp.off": "Not served: {reason}.",
  "health.sntp.ok": "Served to the local network on port {port}.",
  "health.sntp.unknown": "Port {port} answers that the time is not known.",
  "health.storage.damaged":
    "The database is damaged: nothing is stored. Commands still work. Restore a backup: you can sign in as always. ({reason})",
  "health.storage.damagedNow":
    "A part of the database could not be read: nothing is stored. Commands still work. Restart the hub, which checks the whole file; if it is damaged, restore a backup then. ({reason})",
  "health.storage.full":
    "The disk is full: nothing new is stored. Devices and commands still work. Free some space.{standIn, select, yes { Then restart the hub.} other {}} ({reason})",
  "health.storage.gone":
    "The data folder was moved or deleted while the hub ran: nothing is stored. Put it back, or restart the hub and restore a backup.{standIn, select, yes { Then restart the hub.} other {}} ({reason})",
  "health.storage.ok": "The database can be written.",
  "health.storage.setAside":
    "What could not be read was set aside: {names}. The hub runs without it; check that everything is as you want it, or restore a backup.",
  "health.storage.silent":
    "The disk has not answered for {seconds} s: what is sent meanwhile is confirmed only when it does. Devices and commands still work. If it does not come back, it is failing: have a backup and another disk at hand.",
  "health.storage.unwritable":
    "The disk takes no writes: nothing new is stored. Devices and commands still work. Check whether it is read-only or failing.{standIn, select, yes { Then restart the hub.} other {}} ({reason})",
  "health.wear.months":
    "{written} of {budget} MB a day. At this pace the card lasts about {n, plural, one {one month} other {# months}}.",
  "health.wear.ok": "{written} of {budget} MB a day.",
  "health.wear.over":
    "{written} of {budget} MB. Find out what writes so much: cameras that capture too often, or many devices that report every second.",
  "health.wear.years": "{written} of {budget} MB a day. At this pace the card lasts about {n} years.",
  "health.webhooks.ok": "Nothing has been waiting for long.",
  "health.webhooks.pending":
    "{name}: {n, plural, one {# delivery is} other {# deliveries are}} pending since {at}{more, plural, =0 {} one {, and # more webhook waits} other {, and # more webhooks wait}}. Check that the receiver runs and answers with 2xx; what is pending is sent then.",
  "health.webhookSecrets.ok": "All can be signed.",
  "health.webhookSecrets.unsigned":
    "{n, plural, one {# webhook is} other {# webhooks are}} not called: the file hub.key is not the one with which {n, plural, one {its secret was} other {their secrets were}} sealed. Bring it back from a backup, or give {n, plural, one {it a new secret} other {them new secrets}}.",
} as const;
