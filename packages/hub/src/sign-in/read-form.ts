import type { IncomingMessage } from 'node:http'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { readBody } from '@latchkey/service/http/bodies'
import { isFromOwnPage } from '@latchkey/service/http/same-origin'
import { foreignForm } from './session-port.ts'

const maxFormBytes = 8192

/** The body of a form that a page of this hub has sent. */
export async function readForm(
  request: IncomingMessage,
  publicUrl: string,
): Promise<URLSearchParams | Refusal> {
  if (!isFromOwnPage(request, publicUrl)) return foreignForm
  const bytes = await readBody(request, {
    most: maxFormBytes,
    advice: 'Send the form as the page has it.',
  })
  return isRefusal(bytes) ? bytes : new URLSearchParams(Buffer.from(bytes).toString('utf8'))
}
