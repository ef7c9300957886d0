/** The good answer to a token request. */

import type { Answer, TokenPath, TokenResponse } from '@latchkey/protocol'
import type { Minted } from '../minting/mint-token.ts'

export function answerMinted(minted: Minted, { word }: TokenPath, requestId: string): Answer {
  const accessToken = minted.accessToken.reveal()
  const { exp, casUrl } = minted
  const body = JSON.stringify({ accessToken, exp, casUrl } satisfies TokenResponse)
  const headers = [
    ...['Content-Type', 'application/json'],
    ...['Content-Length', String(Buffer.byteLength(body))],
    ...['X-Request-Id', requestId],
    ...['Cache-Control', 'no-store'],
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
