/** A storage that keeps objects by their path alone, with two tenants, behind the gateway and behind every proxy. */

import { asRefUid, asRepositoryUid } from '@latchkey/protocol'
import { openGateway } from '@latchkey/testing/gate/gateway'
import { bearer, bert, prefix } from '@latchkey/testing/gate/storage-tokens'
import { type Asking, ask } from '@latchkey/testing/http/ask'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCaddy } from './caddy.ts'
import { runEnvoy } from './envoy.ts'
import { openForwardAuth } from './forward-auth-gate.ts'
import { type Addresses, runNginx } from './nginx.ts'
import { openPathStore, type PathStore } from './path-store.ts'
import { isMissing } from './programs.ts'
import type { RunningProgram } from './running-program.ts'
import { runTraefik } from './traefik.ts'

const settings = {
  isolation: undefined,
  rules: { everyUnsafeMethodWrites: true },
  allowPaths: ['encoded-slash', 'trailing-slash'],
} as const

const otherRepository = { ...bert, uid: asRepositoryUid('evilrepository') }
const otherRef = { name: 'refs/heads/other', uid: asRefUid('otherref') }

/** Where each tenant may store, and with which claims. */
const tenants = {
  ada: { at: prefix, claims: {} },
  eve: { at: '/r/evilrepository/mainuid', claims: { repo: otherRepository } },
  branch: { at: '/r/bertuid/otherref', claims: { ref: otherRef } },
}

type Tenant = keyof typeof tenants

/** Paths behind the address of one tenant that would be those of another if somebody repaired or decoded them. */
const wayOut = [
  '/../../bertuid/mainuid/key',
  '/%2e%2e/%2e%2e/bertuid/mainuid/key',
  '/..%2F..%2Fbertuid%2Fmainuid%2Fkey',
  '/a%2f..%2f..%2f..%2fbertuid/mainuid/key',
  '/.%2F..%2F../bertuid/mainuid/key',
  '//../../bertuid/mainuid/key',
  '/..;/..;/bertuid/mainuid/key',
  '%2F..%2F..%2Fbertuid%2Fmainuid%2Fkey',
  '-1/../../bertuid/mainuid/key',
  '-1%2F..%2F..%2Fbertuid%2Fmainuid%2Fkey',
]

interface Way {
  readonly url: string
  /** Before what a tenant asks for, in the storage. */
  readonly root: string
  close(): Promise<void>
}

/** The setting for keys with an encoded slash in the file for Envoy, and its other value. */
const keptByEnvoy = ['_slashes_action: REJECT_REQUEST', '_slashes_action: KEEP_UNCHANGED'] as const

const proxies = {
  nginx: runNginx,
  caddy: runCaddy,
  envoy: (addresses: Addresses) => runEnvoy(addresses, [keptByEnvoy]),
  traefik: runTraefik,
}

async function behindProxy(name: keyof typeof proxies, storage: PathStore): Promise<Way> {
  const gate = await openForwardAuth(name, settings)
  const proxy: RunningProgram = await proxies[name]({
    gate: gate.address,
    storage: storage.address,
  })
  const close = async () => {
    await proxy.stop()
    await gate.close()
  }
  return { url: proxy.url, root: '/r', close }
}

async function behindGateway(storage: PathStore): Promise<Way> {
  const closing: (() => Promise<void>)[] = []
  const upstream = `http://${storage.address}/bucket/{repo}/{ref}`
  const { gateway } = await openGateway(upstream, settings, {}, (close) => closing.unshift(close))
  const close = async () => {
    for (const each of closing) await each()
  }
  return { url: gateway.url, root: '/bucket', close }
}

const ways = ['gateway', 'nginx', 'caddy', 'envoy', 'traefik'] as const

describe.each(ways)('a storage that keeps objects by their path, behind %s', (name) => {
  const untested = `that two tenants of a storage behind ${name} cannot read each other`
  const isSkipped = name !== 'gateway' && isMissing([name], untested)
  let storage: PathStore
  let way: Way

  beforeAll(async () => {
    if (isSkipped) return
    storage = await openPathStore()
    way = await (name === 'gateway' ? behindGateway(storage) : behindProxy(name, storage))
    for (const tenant of ['ada', 'eve', 'branch'] as const) {
      const body = Buffer.from(`of ${tenant}`)
      const put = await asks(tenant, 'write', { method: 'PUT', path: at(tenant, '/key'), body })
      expect(put.status).toBe(200)
    }
  })
  afterAll(async () => {
    await way?.close()
    await storage?.close()
  })

  const at = (tenant: Tenant, rest: string) => `${tenants[tenant].at}${rest}`
  const asks = (tenant: Tenant, scope: 'read' | 'write', asking: Asking) => {
    const headers = ['Authorization', bearer({ ...tenants[tenant].claims, scope })]
    return ask(way.url, { ...asking, headers })
  }

  // conformance: Guarantees / A storage token gives access to one repository, one ref and one scope
  test.skipIf(isSkipped)('a tenant reads its own object and not that of another', async () => {
    for (const tenant of ['ada', 'eve', 'branch'] as const) {
      const own = await asks(tenant, 'read', { path: at(tenant, '/key') })
      expect(own).toMatchObject({ status: 200, body: `of ${tenant}` })
      for (const other of ['ada', 'eve', 'branch'] as const) {
        if (other === tenant) continue
        const { status, body } = await asks(tenant, 'write', { path: at(other, '/key') })
        expect(status).toBe(403)
        expect(body).not.toContain(`of ${other}`)
      }
    }
  })

  test.skipIf(isSkipped)('no spelling of the path leads out of the own address', async () => {
    for (const rest of wayOut) {
      const { body } = await asks('eve', 'read', { path: at('eve', rest) })
      expect(body, rest).not.toContain('of ada')
    }
  })

  test.skipIf(isSkipped)('a read token deletes nothing with a POST', async () => {
    const post = { method: 'POST', path: at('ada', '/key?delete') }
    expect((await asks('ada', 'read', post)).status).toBe(403)
    expect((await asks('ada', 'read', { path: at('ada', '/key') })).body).toBe('of ada')
  })

  test.skipIf(isSkipped)('keys with an encoded or a trailing slash arrive unchanged', async () => {
    for (const rest of ['/a%2Fb', '/a%2fb/c', '/folder/', '/folder%2F', '/a%2Fb/?list=1']) {
      storage.targets.length = 0
      await asks('ada', 'read', { path: at('ada', rest) })
      // Traefik writes encoded characters in upper case before it asks the gate.
      const sent = name === 'traefik' ? rest.replace('%2f', '%2F') : rest
      expect(storage.targets).toEqual([`${way.root}/bertuid/mainuid${sent}`])
    }
  })

  test.skipIf(isSkipped)('an object stays where it is when the hub numbers the ref', async () => {
    const numbered = await asks('ada', 'read', { path: at('ada', '-3/key') })
    expect(numbered).toMatchObject({ status: 200, body: 'of ada' })
  })
})

test('a gateway in front of such a storage does not start without {repo} and {ref} in its address', async () => {
  const open = (upstream: string) => openGateway(upstream, { isolation: undefined })
  for (const path of ['', '/bucket', '/bucket/{repo}', '/bucket/{ref}']) {
    await expect(open(`http://127.0.0.1:9${path}`)).rejects.toThrow(/--isolation upstream/)
  }
  await expect(open('http://127.0.0.1:9/b-{repo}/{ref}')).rejects.toThrow(/whole segment/)
  await expect(open('http://127.0.0.1:9/{repo}/{repo}/{ref}')).rejects.toThrow(/at most once/)
  await expect(open('unix:/run/s.sock')).rejects.toThrow("unix:/run/s.sock:/{repo}/{ref}'")
})
