/** A grant as people type and read it: `write:models/acme/bert@main,release/*`. */

import { InvalidArgumentError } from 'commander'
import { membersOf, textOf, textsOf } from '../reading/members-of.ts'

export const grantForm = 'contents:on[@refs]'

/** What it says is judged with the rest of the input; here it is only taken apart. */
export function parseGrant(text: string): unknown {
  if (text.startsWith('{')) return parseJson(text)
  const [, contents, on, refs] = /^([^:]+):([^@]+)(?:@(.+))?$/.exec(text) ?? []
  if (contents === undefined) {
    throw new InvalidArgumentError(
      'Give read or write, a colon, and models/acme/bert, acme/* or *; then @ and refs, if it is limited to some: write:models/acme/bert@main,release/*',
    )
  }
  return { on, contents, ...(refs === undefined ? {} : { refs: refs.split(',') }) }
}

/** Undefined for anything that is no grant. */
export function formatGrant(value: object): string | undefined {
  const { on, contents, refs, ...more } = membersOf(value)
  const isWhole = textOf(on) !== undefined && textOf(contents) !== undefined
  if (!isWhole || Object.keys(more).length > 0) return undefined
  if (refs === undefined) return `${contents}:${on}`
  const names = textsOf(refs)
  return names === undefined ? undefined : `${contents}:${on}@${names.join(',')}`
}

/** For refs with a comma in their name. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('It begins like JSON, but is none.')
  }
}
