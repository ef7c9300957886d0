/** A hub of a script: gives its responses in turn, and keeps the requests. */

import { type AdminClient, type AdminClientOptions, createAdminClient } from '../src/index.ts'

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly authorization: string | null
  readonly body: unknown
}

export interface ScriptedHub {
  readonly requests: readonly SentRequest[]
  /** How long the client waited, in milliseconds. */
  readonly waits: readonly number[]
  readonly admin: AdminClient
}

export const hubToken = `lk_${'Zq7'.repeat(16)}x`

type Script = readonly (Response | Error | ((request: SentRequest) => Response))[]

/** The last response is used for all further requests. No wait takes any time. */
export function scriptedHub(script: Script, change: Partial<AdminClientOptions> = {}): ScriptedHub {
  const requests: SentRequest[] = []
  const waits: number[] = []
  let passedMs = 0
  const clock = {
    wallMs: () => 1_800_000_000_000 + passedMs,
    monotonicMs: () => passedMs,
    later(ms: number, act: () => void, { background = false } = {}) {
      if (background) return () => {}
      waits.push(ms)
      passedMs += ms
      queueMicrotask(act)
      return () => {}
    },
  }
  const options: AdminClientOptions = {
    ...{ hubUrl: 'https://hub.example', hubToken, clock, random: () => 0.5 },
    async fetch(url, init) {
      const headers = new Headers(init.headers)
      const { method = 'GET', body } = init
      const authorization = headers.get('authorization')
      const request = { method, url, authorization, body: body && JSON.parse(String(body)) }
      requests.push(request)
      const next = script[Math.min(requests.length, script.length) - 1]
      if (next instanceof Error || next === undefined) throw next
      return next instanceof Response ? next.clone() : next(request)
    },
  }
  return { requests, waits, admin: createAdminClient({ ...options, ...change }) }
}

export function reply(members: unknown, status = 200, headers: Record<string, string> = {}) {
  const type = { 'content-type': 'application/json' }
  return new Response(JSON.stringify(members), { status, headers: { ...type, ...headers } })
}

export function problem(status: number, code: string, more: object = {}, headers = {}): Response {
  return reply({ code, detail: 'The reason.', ...more }, status, headers)
}
