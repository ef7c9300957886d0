/** What a person sees who opens the gate's address in a browser. */

import type { FrontPage } from '@latchkey/service/http/page/serve-page'
import type { Gate } from '../check/create-gate.ts'
import { notReady } from './operations.ts'

/** The rest of what `/readyz` tells is on the listener of the operations alone. */
export function gatePage({ isReady }: Pick<Gate, 'isReady'>): FrontPage {
  return {
    name: 'gate',
    about:
      'This gate checks the storage token of every request, and hands on to the storage behind it what the token allows. The hub issues the tokens.',
    watched: { isReady, notReady },
    document: 'docs/gate.md',
  }
}
