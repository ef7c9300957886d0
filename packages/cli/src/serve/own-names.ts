/** Metrics of the storage's process under names that its hub's process does not have. */

/** Both processes measure themselves; on one page each name may stand once. */
const ofTheProcess = /^(# (?:HELP|TYPE) )?(process_|nodejs_)/gm

export function ownNames(text: string): string {
  return text.replace(ofTheProcess, '$1latchkey_storage_$2')
}
