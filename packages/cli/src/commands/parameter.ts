import type { Parameter } from '@latchkey/admin-api'
import { readAtMost } from '@latchkey/service/http/bodies'
import { wrongUsage } from '../output/stop.ts'

/** `defaultBranch` is `--default-branch`; a list is given one by one, so `grants` is `--grant`. */
export function flagFor({ member, form }: Parameter): string {
  const words = member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const isList = form === 'texts' || form === 'grants'
  return `--${isList ? words.replace(/s$/, '') : words}`
}

/** Longer than any token. */
const maxBytes = 64 * 1024

/** How messages call it. What was given there is never repeated. */
export const pipedName = 'standard input'

/** The member of the input that holds it; nothing where the verb takes no secret. */
export async function readPipedSecret(
  parameters: readonly Parameter[],
): Promise<Readonly<Record<string, string>>> {
  const secret = parameters.find(({ form }) => form === 'secret')
  if (secret === undefined) return {}
  const { member } = secret
  if (process.stdin.isTTY) {
    throw wrongUsage(
      `the ${member} is read from ${pipedName}, to keep it out of shell histories and process lists: pipe it in, as the example of --help shows`,
    )
  }
  const bytes = await readAtMost(process.stdin, maxBytes)
  const text = bytes?.toString() ?? ''
  if (bytes?.length === 0) throw wrongUsage(`${pipedName} is empty: pipe the ${member} in`)
  return { [member]: text.replace(/\r?\n$/, '') }
}
