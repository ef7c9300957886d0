/** The decision vectors over the link: a forge in a process of its own learns what it would learn within the hub. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { linkedHub } from '@latchkey/forge'
import { isRefusal, parseRepoRef, parseRevision, Secret } from '@latchkey/protocol'
import { serveRoutes } from '@latchkey/service/http/routes'
import { shares } from '@latchkey/service/limits/shares'
import { newId, pooledRandom } from '@latchkey/service/machine/random'
import { expect, test } from 'vitest'
import { actAsCaller } from '../../src/as-caller/act-as-caller.ts'
import { usualCreationRules } from '../../src/as-caller/creation-rules.ts'
import type { AsCallerDeps } from '../../src/as-caller/deps.ts'
import { forgeRoutes } from '../../src/link/forge-routes.ts'
import { bearer, issuingFor } from '../permission/issuing-for.ts'
import { type Case, groups } from '../permission/read-vectors.ts'

const cases = groups.flatMap((group) => group.cases)
const randomBytes = pooledRandom()
const repo = parseRepoRef('models/acme/bert')

/** A hub that knows one vector at a time. */
async function serve(current: { port: ReturnType<typeof portFor> }) {
  const routes = forgeRoutes({
    identify: async () => ({ result: 'embedded' as const }),
    place: {
      refuseOther: async () => undefined,
      claim: async () => undefined,
      directoryFor: () => never(),
    },
    portFor: () => current.port,
    outcomeOf: async () => ({ isDone: false }),
    clientAddress: () => '127.0.0.1',
    takeSlot: () => () => {},
    bodyRoom: shares({ max: 1024 }),
    ...{ user: 'nobody', logLinkCall() {}, count() {} },
  })
  const logFailure = (error: unknown) => console.error(error)
  const serving = { name: 'hub', randomBytes, logFailure, notFound: never }
  const server = createServer(serveRoutes(routes, serving))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function never(): never {
  throw new Error('nobody asks for this')
}

function portFor({ now, repository, ...asked }: Case) {
  return actAsCaller({
    issuing: issuingFor({ now, repository, ...asked }),
    readBeside: async () => undefined as never,
    work: { findRepository: async () => repository } as unknown as AsCallerDeps['work'],
    clock: () => now,
    log: () => {},
    writeDown: { outcome() {}, issuedAgain() {} },
    rules: usualCreationRules,
    tickets: { read: () => undefined },
  })
}

// conformance: Forge / The forge decides as token requests do
test('each vector is decided alike over the link and within the hub', async () => {
  const [first] = cases
  if (first === undefined) throw new Error('there are no vectors')
  const current = { port: portFor(first) }
  const server = await serve(current)
  const credential = new Secret('hub-token', 'a credential')
  const place = { hubUrl: server.url, credential, allowPlainHttp: false }
  const link = linkedHub({ ...place, forgeId: newId(randomBytes) })
  const said = { permitted: 0, refused: 0 }
  try {
    for (const one of cases) {
      current.port = portFor(one)
      const authorization = one.caller === 'none' ? [] : [bearer]
      const request = {
        address: '192.0.2.7',
        authorization,
        requestId: newId(randomBytes),
      } as const
      const target = { repo, revision: parseRevision(one.revision), scope: one.scope }
      const [here, there] = [current.port.asking(request), link.asking(request)]
      const [inside, over] = [await here.decide(target), await there.decide(target)]
      expect([one.name, told(over), there.payer()]).toEqual([one.name, told(inside), here.payer()])
      said[isRefusal(over) ? 'refused' : 'permitted'] += 1
    }
  } finally {
    await link.close()
    server.close()
  }
  expect(said.permitted).toBeGreaterThan(100)
  expect(said.refused).toBeGreaterThan(100)
})

/** A refusal stays one; its reason is for the log of the hub. */
function told(answer: object): unknown {
  const { reason: _, tokenId: __, ...rest } = { reason: undefined, tokenId: undefined, ...answer }
  return { isRefusal: isRefusal(answer), ...JSON.parse(JSON.stringify(rest)) }
}
