/** A hub token goes over plain http only where nobody can listen, or where somebody said that it may. */

import { isPlainHttp } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text/escape'
import { wrongUsage } from '../output/stop.ts'

export interface HubAddress {
  readonly url: string
  /** Who named it: `--hub`, `LATCHKEY_HUB`, or `hub in client.json`. */
  readonly called: string
  readonly allowPlainHttp: boolean
}

export function refusePlainHttp({ url, called, allowPlainHttp }: HubAddress): void {
  if (!isPlainHttp(url) || allowPlainHttp) return
  throw wrongUsage(
    `${called}: ${quoteGiven(url)} is plain http, which shows the hub token on the way; use https, or say --allow-plain-http`,
  )
}
