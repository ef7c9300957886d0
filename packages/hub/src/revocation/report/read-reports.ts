/** The body of a report: one leaked token, several, or what GitHub's secret scanning sends to its partners. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { parseJson } from '@latchkey/service/http/parse-json'

export const maxTokens = 1000

export interface Report {
  /** Texts of the report, not verified yet. */
  readonly texts: readonly string[]
  /** A list with places where the tokens were found; a partner signs it. */
  readonly isPartners: boolean
}

/** No sentence repeats anything of the body: it has secrets. */
export async function readReport(body: Uint8Array): Promise<Report | Refusal> {
  const value = await parseJson(body)
  const isPartners = Array.isArray(value)
  const tokens = isPartners ? value.map(tokenIn) : tokensIn(value)
  if (tokens === undefined || !tokens.every(isText)) return malformed
  if (tokens.length === 0 || tokens.length > maxTokens) return wrongCount
  return { texts: tokens, isPartners }
}

/** The form of RFC 7009 §2.1 has one token; hints of its kind, and the client, do not matter. */
export function readRevocation(body: Uint8Array): Report | Refusal {
  const tokens = new URLSearchParams(Buffer.from(body).toString('latin1')).getAll('token')
  if (tokens.length !== 1) return oneToken
  return { texts: tokens, isPartners: false }
}

const oneToken = refuse('bad_request', 'The form has one token: send token=... and nothing twice.')

/** Either member, never both: it would not be clear which counts. */
function tokensIn(value: unknown): readonly unknown[] | undefined {
  const { token, tokens, ...others } = Object(value)
  if (Object.keys(others).length > 0 || (token === undefined) === (tokens === undefined)) {
    return undefined
  }
  if (tokens === undefined) return [token]
  return Array.isArray(tokens) ? tokens : undefined
}

/** `type`, `url` and `source` say where it was found, and are not kept. */
function tokenIn(item: unknown): unknown {
  return Object(item).token
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

const malformed = refuse(
  'bad_request',
  'The body is not a report. Send {"token":"…"}, {"tokens":["…"]}, or a list of {"token":"…"} as GitHub secret scanning does, in JSON and UTF-8.',
)

const wrongCount = refuse(
  'bad_request',
  `A report has 1 to ${maxTokens} tokens. Send more of them in further reports.`,
)
