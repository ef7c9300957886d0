/** Reads a commit message as Conventional Commits 1.0.0 writes it. */

export interface Commit {
  readonly hash: string
  /** In lower case; `other` where the message has none. */
  readonly type: string
  readonly scope: string | undefined
  readonly subject: string
  /** What breaks, in the words of the footer or else of the subject. */
  readonly breaking: string | undefined
}

const header = /^(?<type>[a-z]+)(?:\((?<scope>[^()]+)\))?(?<mark>!)?: +(?<subject>\S.*)$/i
// Looked for in the body too: a missed break costs users more than a break that is none.
const footer = /^BREAKING[ -]CHANGE: +(?<text>\S.*(?:\n(?![\w-]+(?:: | #)).*\S.*)*)/m

export function readCommit(hash: string, message: string): Commit {
  const [first = '', ...rest] = message.trim().split(/\r?\n/)
  const broken = footer.exec(rest.join('\n'))?.groups?.['text']?.replace(/\s+/g, ' ')
  const { type, scope, mark, subject } = header.exec(first)?.groups ?? {}
  if (type === undefined || subject === undefined) {
    return { hash, type: 'other', scope: undefined, subject: first, breaking: broken }
  }
  const breaking = broken ?? (mark === undefined ? undefined : subject)
  return { hash, type: type.toLowerCase(), scope, subject, breaking }
}
