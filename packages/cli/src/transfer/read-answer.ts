/** The storage's answer: its data where it is a yes, one line where it is a no. */

import { refused, type Stop, unavailable } from '../output/stop.ts'
import { membersOf, textOf } from '../reading/members-of.ts'

/** A connection that breaks is told, so that nobody takes a part for the whole. */
export async function* dataOf({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? []
  } catch {
    throw unavailable('the storage stopped in the middle of its answer')
  }
}

export async function refusalOf(response: Response): Promise<Stop> {
  const { status, statusText } = response
  const problem = membersOf(parseJson(await beginningOf(response)))
  const [detail, requestId] = [textOf(problem['detail']), textOf(problem['requestId'])]
  if (detail === undefined) return refused(`the storage answers ${status} ${statusText}`.trim())
  const told = `the storage answers ${status}: ${detail.slice(0, longestDetail)}`
  return refused(requestId === undefined ? told : `${told} (request ${requestId})`)
}

const longestDetail = 500
const longestProblem = 64 * 1024

/** What is longer, or breaks off, is no sentence for a person. */
async function beginningOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for await (const part of body ?? []) {
      length += part.length
      if (length > longestProblem) return ''
      parts.push(part)
    }
  } catch {
    return ''
  }
  return Buffer.concat(parts).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
