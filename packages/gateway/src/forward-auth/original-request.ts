import type { RawRequest } from '@latchkey/gate'
import { type Refusal, refuse } from '@latchkey/protocol'
import { type HeaderList, headerValues } from '@latchkey/service/http/headers'

export const forwardAuthProxies = ['nginx', 'caddy', 'traefik', 'envoy'] as const

export type ForwardAuthProxy = (typeof forwardAuthProxies)[number]

interface Naming {
  readonly method: string
  readonly target: string
}

/** The headers that a proxy sets itself, so that a client's own of the same name are gone. */
const namingOf: Record<ForwardAuthProxy, Naming | undefined> = {
  nginx: { method: 'x-original-method', target: 'x-original-uri' },
  caddy: { method: 'x-forwarded-method', target: 'x-forwarded-uri' },
  traefik: { method: 'x-forwarded-method', target: 'x-forwarded-uri' },
  // Envoy asks with the method and path of the request itself.
  envoy: undefined,
}

/** Headers of the question, not of the request that it is about. */
const ofTheQuestion = ['content-length', 'transfer-encoding', 'connection', 'host']

const droppedFor: ReadonlyMap<ForwardAuthProxy, ReadonlySet<string>> = new Map(
  forwardAuthProxies.map((proxy) => {
    const { method = '', target = '' } = namingOf[proxy] ?? {}
    return [proxy, new Set([...ofTheQuestion, method, target])]
  }),
)

export function originalRequest(
  proxy: ForwardAuthProxy,
  question: RawRequest,
): RawRequest | Refusal {
  const naming = namingOf[proxy]
  const headers = without(question.headers, droppedFor.get(proxy))
  if (naming === undefined) return asPath({ ...question, headers })
  const method = headerValues(question.headers, naming.method)
  const target = headerValues(question.headers, naming.target)
  if (method.length !== 1 || target.length !== 1) return unnamed(proxy, naming)
  const { address } = question
  return asPath({ method: method[0] ?? '', target: target[0] ?? '', headers, address })
}

/** No proxy needs the absolute form here, and some do not hand on the one they got. */
function asPath(request: RawRequest): RawRequest | Refusal {
  if (request.target.startsWith('/')) return request
  return refuse('bad_request', 'The proxy must send the original path, not a full URL.')
}

function without(headers: HeaderList, dropped: ReadonlySet<string> | undefined): HeaderList {
  const remaining: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index] ?? '', headers[index + 1] ?? '']
    if (dropped?.has(name.toLowerCase()) !== true) remaining.push(name, value)
  }
  return remaining
}

function unnamed(proxy: ForwardAuthProxy, { method, target }: Naming): Refusal {
  return refuse(
    'bad_request',
    `A question from ${proxy} must name the original request in exactly one ${method} and one ${target} header. Compare its configuration with the example.`,
  )
}
