/** Refuses URLs that a gate must not be configured with, and says what to give instead. */

import { isPlainHttp, isServiceUrl } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/cannot-start'

export function refuseUrl(name: string, url: string, isAllowed: (url: string) => boolean): void {
  if (typeof url !== 'string') throw new CannotStart(`${name} is missing: give ${whatItIs[name]}`)
  if (isAllowed(url)) return
  throw new CannotStart(
    `${name}: ${JSON.stringify(url)} is not allowed; give an http or https URL in its normal form, without trailing slash, query, fragment or credentials`,
  )
}

/** Over plain http others on the way could replace the keys, and read a credential. */
export function refuseHubUrl(hubUrl: string, allowPlainHttp: boolean): void {
  refuseUrl('hubUrl', hubUrl, isServiceUrl)
  if (!isPlainHttp(hubUrl) || allowPlainHttp) return
  throw new CannotStart(
    `hubUrl: ${hubUrl} is plain http, so others on the way could replace the keys; use https or a loopback address, or say allowPlainHttp`,
  )
}

const whatItIs: Readonly<Record<string, string>> = {
  hubUrl: 'the URL of the hub, or its keys and issuer',
  issuer: 'the publicUrl of the hub',
  casUrl: 'the same as the hub has',
  audience: 'the URL of the storage, or casUrl as the hub has it',
}
