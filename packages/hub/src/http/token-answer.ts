/** The good answer to a token request. */

import type { Answer, TokenPath } from '@latchkey/protocol'
import type { Minted } from '../minting/mint-token.ts'

/** Put together by hand: a token and a number need no escaping, and the address is JSON already. */
export function answerMinted(
  minted: Minted,
  { word }: Pick<TokenPath, 'word'>,
  requestId: string,
): Answer {
  const accessToken = minted.accessToken.reveal()
  const { exp, casUrl, casUrlJson } = minted
  const body = `{"accessToken":"${accessToken}","exp":${exp},"casUrl":${casUrlJson}}`
  const headers = [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(body.length),
    'X-Request-Id',
    requestId,
    'Cache-Control',
    'no-store',
  ]
  // Hugging Face's Python client reads the token from headers only.
  if (word === 'xet') {
    headers.push('X-Xet-Cas-Url', casUrl, 'X-Xet-Access-Token', accessToken)
    headers.push('X-Xet-Token-Expiration', String(exp))
  }
  return { status: 200, headers, body, encoding: 'latin1' }
}

/** HEAD: everything was checked, nothing was minted. */
export function answerChecked(requestId: string): Answer {
  return {
    status: 200,
    headers: [
      'Content-Type',
      'application/json',
      'X-Request-Id',
      requestId,
      'Cache-Control',
      'no-store',
    ],
    body: '',
    encoding: 'latin1',
  }
}
