/**
 * `detail.file.*`, `detail.backup.*`, `detail.place.*`: what is wrong with a file, a backup, or a place for backups.
 */
export const file = {
  "detail.file.damaged":
    "{what, select, backup {The backup} copy {The copy of the database} update {The update} picture {The picture} other {The file}} is damaged.",
  "detail.file.missing": "There is no file {file}.",
  "detail.file.noRoom":
    "{what, select, backup {The backup} copy {The copy of the database} update {The update} picture {The picture} other {The file}} does not fit: there is not enough room on the disk.",
  "detail.file.notAFile": "{file} is not a file.",
  "detail.file.unreadable":
    "{what, select, backup {The backup} copy {The copy of the database} update {The update} picture {The picture} other {The file}} cannot be read from its medium ({error}).",
  "detail.backup.bomb": "The backup is damaged: it unpacks to far more than a backup can hold.",
  "detail.backup.changed": "The backup is damaged: {name} is not what was put in.",
  "detail.backup.encrypted": "The backup is encrypted; its passphrase is needed.",
  "detail.backup.keys": "The backup is damaged: its Matter keys cannot be read.",
  "detail.backup.newer": "The backup was made by a newer Gatehouse ({version}).",
  "detail.backup.noRoom": "There is not enough room in {folder}: {megabytes} MB are needed.",
  "detail.backup.noRoomToUnpack": "There is not enough room in {folder} to unpack the backup.",
  "detail.backup.notUnpacked": "The backup is damaged: it cannot be unpacked.",
  "detail.backup.passphrase": "The passphrase is wrong.",
  "detail.backup.rehearsed":
    "The backup of {at} was restored aside and is sound ({megabytes} MB{migrated, select, yes {, brought up to this version} other {}}).",
  "detail.backup.roomToUnpack":
    "There is not enough room in {folder} to unpack the backup: {megabytes} MB have to be free.",
  "detail.backup.unreadable": "{file} cannot be read.",
  "detail.backup.unsound": "The backup is damaged: {why}.",
  "detail.backup.wrong": "{file} is not a backup of Gatehouse.",
  "detail.place.folder": "A folder of the hub.",
  "detail.place.local": "On the hub itself: it does not survive the loss of its card.",
  "detail.place.noFolder": "There is no folder {folder}.",
  "detail.place.noStick": "No stick named {label} is plugged in.",
  "detail.place.notMounted": "Nothing is mounted at {folder}.",
  "detail.place.share": "A share.",
  "detail.place.silent":
    "{kind, select, local {The hub's own disk} mount {The share at {place}} usb {The stick {place}} other {The folder {place}}} does not answer.",
  "detail.place.stick": "A stick.",
  "detail.place.stickNotMounted": "The stick {label} is not mounted.",
  "detail.place.unknown": "This is not a destination: use folder:/path, mount:/path or usb:LABEL.",
  "detail.place.unreadable":
    "{kind, select, local {The hub's own disk} mount {The share at {place}} usb {The stick {place}} other {The folder {place}}} cannot be read ({why}).",
} as const;
