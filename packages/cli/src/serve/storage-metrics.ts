/** Security boundary: which metrics of the storage's process come onto the page of the hub. */

const name = 'latchkey_storage_\\w+'
const label = '[a-zA-Z_]\\w*="(?:[^"\\\\]|\\\\["\\\\n])*"'
const sample = new RegExp(
  `^(${name})(?:\\{(?:${label}(?:,${label})*)?\\})? (?:[-+]?[\\d.e+-]+|[-+]?Inf|Na[Nn])$`,
)
const comment = new RegExp(`^# (HELP|TYPE) (${name}) \\S.*$`)

/** The hub itself adds it. */
export const upMetric = {
  name: 'latchkey_storage_up',
  help: 'Whether the storage process runs and responds: 1 or 0.',
} as const

/**
 * A storage in the hands of an attacker must not count in the hub's name, nor make the whole page unreadable. Undefined
 * unless every line is a metric of a storage, described once.
 */
export function storageMetrics(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const described = new Set<string>()
  const isGood = (line: string) => {
    const [, sampled] = sample.exec(line) ?? []
    const [, what, about] = comment.exec(line) ?? []
    if (what === undefined)
      return line === '' || (sampled !== undefined && sampled !== upMetric.name)
    const isNew = !described.has(`${what} ${about}`)
    described.add(`${what} ${about}`)
    return isNew && about !== upMetric.name
  }
  const whole = text.endsWith('\n') ? text : `${text}\n`
  return whole.split('\n').every(isGood) ? whole : undefined
}

/** Both processes measure themselves; on one page each name may stand once. */
const ofTheProcess = /^(# (?:HELP|TYPE) )?(process_|nodejs_)/gm

/** Metrics of the storage's process under names that its hub's process does not have. */
export function ownNames(text: string): string {
  return text.replace(ofTheProcess, '$1latchkey_storage_$2')
}
