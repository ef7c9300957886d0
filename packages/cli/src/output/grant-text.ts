/** A grant as people type and read it: `write:models/acme/bert@main,release/*`. */

import { InvalidArgumentError } from 'commander'
import { z } from 'zod'

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

const grant = z.strictObject({
  on: z.string(),
  contents: z.string(),
  refs: z.array(z.string()).optional(),
})

/** Undefined for anything that is no grant. */
export function formatGrant(value: object): string | undefined {
  const { data } = grant.safeParse(value)
  if (data === undefined) return undefined
  const { on, contents, refs } = data
  return `${contents}:${on}${refs === undefined ? '' : `@${refs.join(',')}`}`
}

/** For refs with a comma in their name. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('It begins like JSON, but is none.')
  }
}
