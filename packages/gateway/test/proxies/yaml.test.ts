import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { identityHeaders } from '@latchkey/gate/headers'
import { describe, expect, test } from 'vitest'
import { objectNaming } from './guarantees.ts'
import { examples } from './shipped.ts'

/** Debian's own, which has the packages that Debian installs. */
const python = '/usr/bin/python3'
const read = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))'

const canRead = spawnSync(python, ['-c', 'import yaml'], { stdio: 'ignore' }).status === 0
if (!canRead) {
  console.warn(`NOT TESTED: the examples for Traefik and Envoy. ${python} has no module yaml.`)
}

/** Whatever is there; a wrong step is undefined. */
function at(document: unknown, ...steps: readonly (string | number)[]): unknown {
  return steps.reduce<unknown>(
    (value, step) => (value as Record<string | number, unknown> | undefined)?.[step],
    document,
  )
}

function parsed(file: string): unknown {
  const { stdout, stderr, status } = spawnSync(python, ['-c', read, join(examples, file)], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const names = identityHeaders({
  scope: 'read',
  repository: '',
  repositoryUid: '',
  ref: '',
  refUid: '',
  subject: '',
} as Parameters<typeof identityHeaders>[0]).filter((_, index) => index % 2 === 0)

const overrides = [
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
  ...objectNaming.map((name) => name.toLowerCase()),
]

describe.skipIf(!canRead)('the example for Traefik', () => {
  test('asks the gate first, trusts no forwarded headers and hands on who is let in', () => {
    const dynamic = parsed('traefik/dynamic.yml')
    const order = at(dynamic, 'http', 'routers', 'storage', 'middlewares')
    const auth = at(dynamic, 'http', 'middlewares', 'latchkey-gate', 'forwardAuth')
    expect(order).toEqual(['latchkey-gate', 'latchkey-clean', 'latchkey-address'])
    expect(auth).toMatchObject({ trustForwardHeader: false, authResponseHeaders: names })
    expect(auth).not.toHaveProperty('authRequestHeaders')
  })

  test('takes the token and every header off that could name another request', () => {
    const path = ['http', 'middlewares', 'latchkey-clean', 'headers', 'customRequestHeaders']
    const removed = at(parsed('traefik/dynamic.yml'), ...path) as Record<string, string>
    expect(new Set(Object.values(removed))).toEqual(new Set(['']))
    const lower = Object.keys(removed).map((name) => name.toLowerCase())
    expect(lower).toEqual(expect.arrayContaining(['authorization', 'connection', ...overrides]))
  })

  test('listens on this machine and leaves long uploads their time', () => {
    const entry = at(parsed('traefik/traefik.yml'), 'entryPoints', 'storage')
    expect(entry).toMatchObject({
      address: '127.0.0.1:8081',
      forwardedHeaders: { insecure: false },
      transport: { respondingTimeouts: { readTimeout: '1h' } },
    })
  })
})

describe.skipIf(!canRead)('the example for Envoy', () => {
  const manager = () => {
    const listeners = at(parsed('envoy/envoy.yaml'), 'static_resources', 'listeners')
    return at(listeners, 0, 'filter_chains', 0, 'filters', 0, 'typed_config')
  }
  const authorisation = () => at(manager(), 'http_filters', 0, 'typed_config')

  test('asks the gate first and takes its silence for a no', () => {
    const filters = at(manager(), 'http_filters') as { name: string }[]
    const names = filters.map(({ name }) => name.split('.').at(-1))
    expect(names).toEqual(['ext_authz', 'lua', 'router'])
    expect(authorisation()).toMatchObject({
      failure_mode_allow: false,
      status_on_error: { code: 'ServiceUnavailable' },
    })
    expect(at(authorisation(), 'http_service')).not.toHaveProperty('path_prefix')
  })

  test('repairs no path and reads headers of 64000 characters', () => {
    expect(manager()).toMatchObject({
      max_request_headers_kb: 96,
      normalize_path: false,
      merge_slashes: false,
      path_with_escaped_slashes_action: 'REJECT_REQUEST',
      common_http_protocol_options: { headers_with_underscores_action: 'REJECT_REQUEST' },
    })
  })

  test('hands on who is let in, and shows the gate what it refuses', () => {
    const response = at(authorisation(), 'http_service', 'authorization_response')
    const exact = (name: string) => ({ exact: name.toLowerCase() })
    expect(at(response, 'allowed_upstream_headers', 'patterns')).toEqual(names.map(exact))
    const shown = at(authorisation(), 'allowed_headers', 'patterns')
    for (const prefix of ['latchkey', 'x']) {
      expect(shown).toContainEqual({ prefix, ignore_case: true })
    }
    expect(shown).toEqual(expect.arrayContaining(['destination', 'trailer'].map(exact)))
  })

  test('takes the token and every header off that could name another request', () => {
    const removed = at(manager(), 'route_config', 'request_headers_to_remove')
    expect(removed).toEqual(expect.arrayContaining(['authorization', ...overrides]))
  })
})
