import { rounds } from '@latchkey/testing/chance'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { ask } from '@latchkey/testing/http/ask'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCaddy } from './caddy.ts'
import { openForwardAuth } from './forward-auth-gate.ts'
import { runNginx } from './nginx.ts'
import { isMissing } from './programs.ts'
import { type RequestLine, requestLine } from './request-lines.ts'
import { routers } from './write-routes.ts'

const proxies = { nginx: runNginx, caddy: runCaddy }
const pairs = (['nginx', 'caddy'] as const).flatMap((proxy) =>
  (['nginx', 'caddy'] as const).map((router) => [proxy, router] as const),
)

const reading = ['Authorization', bearer()]
const writing = ['Authorization', bearer({ scope: 'write' })]

/** Caddy leaves dots and spaces at the end of a path out of the comparison. */
const repaired = ['shard.', 'v1/shards%20', 'xorb...']
const farDown = [
  'a/b/c/d/shards',
  'a/b/c/d/e/f/g/h/xorbs/default/abc',
  'v1/xorb-grants/default/abc',
]
const examples: [RequestLine][] = [
  ...[...repaired, ...farDown].map((rest) => ({ method: 'POST', path: `${prefix}/${rest}` })),
  ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({
    method: 'GET',
    path: `${prefix}/v1/${name}`,
  })),
].map((line) => [line])

async function open(proxy: keyof typeof proxies, router: keyof typeof routers): Promise<string> {
  const gate = await openForwardAuth(proxy)
  onTestFinished(gate.close)
  const storage = await routers[router]()
  onTestFinished(storage.stop)
  const address = new URL(storage.url).host
  const running = await proxies[proxy]({ gate: gate.address, storage: address })
  onTestFinished(running.stop)
  return running.url
}

describe.each(pairs)('behind %s, in front of a storage that routes as %s', (proxy, router) => {
  const untested = `that no read token reaches a write route of ${router} behind ${proxy}`
  const skipped = isMissing([proxy, router], untested)

  // conformance: Guarantees / No read token reaches a write route
  // conformance: Attacks / 13. An attacker makes the checked path differ from the routed path
  // conformance: Attacks / 34. An attacker hides a write route behind a prefix
  test.skipIf(skipped)('no request with a read token reaches a write route', async () => {
    const url = await open(proxy, router)
    const routed = new Map<unknown, number>()
    await fc.assert(
      fc.asyncProperty(requestLine, async ({ method, path }) => {
        const { headers } = await ask(url, { method, path, headers: reading })
        const route = headers['x-route']
        routed.set(route, (routed.get(route) ?? 0) + 1)
        expect(route).not.toBe('write')
      }),
      { numRuns: rounds(60, 1000), examples },
    )
    // Refusing everything would be no proof, and neither would a storage without write routes.
    expect(routed.get('read')).toBeGreaterThan(5)
    const shards = { method: 'POST', path: `${prefix}/v1/Shards`, headers: writing }
    expect((await ask(url, shards)).headers['x-route']).toBe('write')
  })
})
