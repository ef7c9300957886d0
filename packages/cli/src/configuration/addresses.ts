import { isIP } from 'node:net'
import { isPlainHttp } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text'
import { wrongUsage } from '../output/stop.ts'

export function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^(?!.*[.-]$)[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/.test(text)
}

/** The URL of a host and port, IPv6 addresses in brackets. */
export function urlOf(host: string, port: number): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

export function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  if (text === '*') return true
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.origin === text
}

/** Where a process of the same machine reaches a listener: one on every address at the loopback address. */
export function localUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

interface HubAddress {
  readonly url: string
  /** The source of the address: `--hub`, `LATCHKEY_HUB`, or `hub in client.json`. */
  readonly called: string
  readonly allowPlainHttp: boolean
}

export function refusePlainHttp({ url, called, allowPlainHttp }: HubAddress): void {
  if (!isPlainHttp(url) || allowPlainHttp) return
  throw wrongUsage(
    `${called}: ${quoteGiven(url)} is plain http, which exposes the hub token; use https, or pass --allow-plain-http`,
  )
}
