/** `POST /revoke`: revokes leaked tokens for anyone who reports them, and does not tell whether they were valid. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import { readBody, readJsonBody } from '@latchkey/service/http/bodies'
import { type Call, serveLogged } from '@latchkey/service/http/call'
import type { Handle, Reply } from '@latchkey/service/http/routes'
import type { RevokePost } from '../../operations/admin-call.ts'
import type { JoinWindow } from './commit-windows.ts'
import type { VerifyPartner } from './partner-keys.ts'
import { type Report, readReport, readRevocation } from './read-reports.ts'
import type { ReportAdmission, ReportLimits } from './report-limits.ts'
import type { Post } from './revoke-reported.ts'
import type { VerifyReport } from './verify-report.ts'

const largestBytes = 1024 * 1024
const bodyMs = 5000

const deadline = {
  ms: bodyMs,
  // A refusal closes the connection, so a late body is not read on.
  refusal: refuse(
    'request_timeout',
    `The body of a report must arrive within ${bodyMs / 1000} s. Send it again, or the tokens in several reports.`,
  ),
}

export interface RevokeDeps {
  readonly clientAddress: ClientAddress
  readonly limits: ReportLimits
  /** Undefined where the operator has no keys: then everybody may send a partner's list. */
  readonly verifyPartner: VerifyPartner | undefined
  /** Whether programs may end their own device logins here, and nothing else is taken. */
  readonly isOwnOnly: boolean
  readonly verifyReport: VerifyReport
  readonly join: JoinWindow<Post>
  /** With counts only: what was alive is in the journal. */
  logPost(post: RevokePost): void
}

/** The same for everybody. */
const accepted: Reply = { status: 202, body: '{"status":"accepted"}' }

/** To a client of OAuth, which sends a form: RFC 7009 §2.2. */
const revoked: Reply = { status: 200, body: '{}' }
const form = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i

export function serveRevoke(deps: RevokeDeps): Handle {
  const { clientAddress, limits, logPost } = deps
  const identify = async (request: IncomingMessage) => ({
    result: limits.enter(clientAddress(request)),
  })
  return (call) => {
    const counted: Taking['counted'] = { tokens: undefined }
    return serveLogged(call, {
      clientAddress,
      identify,
      work: (entered: ReportAdmission) =>
        take(deps, { call, entered, counted }).finally(() => entered.leave()),
      log(result, _, end) {
        logPost({ ...counted, outcome: isRefusal(result) ? result.code : 'accepted', ...end })
      },
    })
  }
}

interface Taking {
  readonly call: Call
  readonly entered: ReportAdmission
  readonly counted: { tokens: number | undefined }
}

async function take(
  deps: RevokeDeps,
  { call: { request, requestId }, entered, counted }: Taking,
): Promise<Reply | Refusal> {
  const { headers } = request
  const { hold } = entered
  const isForm = form.test(headers['content-type'] ?? '')
  if (deps.isOwnOnly && !isForm) return noReports
  const read = isForm ? readBody : readJsonBody
  const body = await read(request, { most: largestBytes, hold, deadline })
  if (isRefusal(body)) return body
  const report = isForm ? readRevocation(body) : await readReport(body)
  if (isRefusal(report)) return report
  counted.tokens = report.texts.length
  const unsigned = refuseUnsigned(report, { headers, body }, deps)
  const refusal = unsigned ?? entered.bring(report.texts.length)
  if (refusal !== undefined) return refusal
  const reported = await deps.verifyReport(report.texts)
  const outcome = await deps.join({ ...reported, requestId })
  if (outcome !== 'committed') return notWritten
  return isForm ? revoked : accepted
}

/** Only a partner's list is signed; a report of another form needs no signature. */
function refuseUnsigned(
  { isPartners }: Report,
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: Uint8Array },
  { verifyPartner }: RevokeDeps,
): Refusal | undefined {
  if (!isPartners || verifyPartner === undefined) return undefined
  const identifier = headers['github-public-key-identifier']
  const signature = headers['github-public-key-signature']
  if (typeof identifier !== 'string' || typeof signature !== 'string') return notSigned
  return verifyPartner({ identifier, signature, body }) ? undefined : wronglySigned
}

const notSigned = refuse(
  'signature_invalid',
  'A list must be signed here, with Github-Public-Key-Identifier and Github-Public-Key-Signature. Without a signature send {"tokens":["…"]}.',
)

const wronglySigned = refuse(
  'signature_invalid',
  'The signature of this list is not by a key that the operator has, or not over these bytes. Sign the body as it is sent, or send {"tokens":["…"]} without a signature.',
)

const noReports = refuse(
  'not_found',
  'This hub takes no reports of leaked tokens. A program ends its own sign-in with a form that has its refresh token.',
)

const notWritten = refuse(
  'not_ready',
  'The hub could not save the revocations, so it revoked no token. Send the report again in 5 s.',
  { retryAfterSeconds: 5 },
)
