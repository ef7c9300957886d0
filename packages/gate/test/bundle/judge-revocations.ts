/** Judges the vectors of revocations with a gate whose network and clocks are replaced. */

import type { Gate } from '@latchkey/gate'
import type { Jwks } from '@latchkey/token'
import type { Judgement } from './judge-vectors.ts'

type Library = Pick<typeof import('@latchkey/gate'), 'createGate' | 'readKeySet'>
type TokenLibrary = Pick<
  typeof import('@latchkey/token'),
  'isRevokedBy' | 'listHash' | 'readRevocationList'
>

/** The file `revocations.json`. */
export interface Revocations {
  readonly issuer: string
  readonly now: number
  readonly leewaySeconds: number
  readonly publishedKeys: Readonly<Record<string, Jwks['keys'][number]>>
  readonly keysOfTokens: Jwks
  readonly token: string
  readonly lists: readonly ListCase[]
  readonly heads: readonly { name: string; head: string; accepted: boolean }[]
  readonly histories: readonly { name: string; steps: readonly Step[] }[]
  readonly deaths: readonly { list: string; dead: boolean }[]
}

interface ListCase {
  readonly name: string
  readonly bytes: string
  readonly hash: string
  readonly entries?: readonly { readonly hash: string; readonly number: number }[]
}

interface Step {
  readonly wait?: number
  readonly set?: number
  readonly keys?: readonly string[]
  readonly head?: string | null
  readonly holds: { readonly state: 'none' | 'good' | 'over'; readonly list?: string }
}

const audience = 'https://cas.example/r'

export async function judgeRevocations(
  library: Library & TokenLibrary,
  vectors: Revocations,
): Promise<Judgement> {
  const complaints: string[] = []
  const expectSame = (name: string, one: unknown, other: unknown) => {
    const texts = [one, other].map((value) => JSON.stringify(value))
    if (texts[0] !== texts[1]) complaints.push(`${name}: ${texts[0]} instead of ${texts[1]}`)
  }
  const sorted = (entries: Iterable<readonly [string, number]>) => [...entries].sort()

  for (const { name, bytes, hash, entries } of vectors.lists) {
    const list = Buffer.from(bytes, 'base64')
    expectSame(`list ${name}`, library.listHash(list), hash)
    const read = library.readRevocationList(list)
    const expected = entries?.map((entry) => [entry.hash, entry.number] as const)
    expectSame(`list ${name}`, read && sorted(read), expected && sorted(expected))
  }

  for (const { name, head, accepted } of vectors.heads) {
    const { gate, wire } = playHub(library, vectors)
    wire.head = head
    await gate.revocations.refresh()
    expectSame(`head ${name}`, gate.revocations.latest()?.state(), accepted ? 'current' : undefined)
  }

  const listNamed = (name = '') => vectors.lists.find((list) => list.name === name)
  for (const { name, steps } of vectors.histories) {
    const { gate, wire, pass } = playHub(library, vectors)
    for (const [index, { wait = 0, set = 0, keys, head, holds }] of steps.entries()) {
      pass(wait, set)
      if (keys !== undefined) wire.keys = keys
      if (head !== undefined) {
        wire.head = head
        await gate.revocations.refresh()
      }
      const latest = gate.revocations.latest()
      const state = latest?.state() ?? 'none'
      const label = `history ${name}, step ${index + 1}`
      expectSame(label, ['current', 'late'].includes(state) ? 'good' : state, holds.state)
      const expected = listNamed(holds.list)?.entries?.map((entry) => entry.hash)
      expectSame(label, latest && [...latest.list.keys()].sort(), expected && [...expected].sort())
    }
  }

  const { issuer, leewaySeconds, now } = vectors
  const withoutHub = library.createGate({
    ...{ keys: await library.readKeySet(vectors.keysOfTokens), issuer, leewaySeconds },
    ...{ audience, isolation: 'none', clock: () => now },
  })
  const grant = await withoutHub.verifyToken(vectors.token, undefined)
  if ('code' in grant) complaints.push(`the token of the vectors: ${grant.detail}`)
  else {
    for (const { list, dead } of vectors.deaths) {
      const read = library.readRevocationList(Buffer.from(listNamed(list)?.bytes ?? '', 'base64'))
      expectSame(`death ${list}`, library.isRevokedBy(grant, read ?? new Map()), dead)
    }
  }

  const { lists, heads, histories, deaths } = vectors
  const judged = [lists, heads, histories, deaths].map(({ length }) => length)
  return { judged: { revocations: judged.reduce((sum, count) => sum + count) }, complaints }
}

interface PlayedHub {
  readonly gate: Gate
  readonly wire: { head: string | null; keys: readonly string[] }
  /** Seconds that pass, and seconds by which the wall clock alone is set. */
  pass(wait: number, set: number): void
}

/** Replaces `fetch` and `performance.now` until the next one is played. */
function playHub({ createGate }: Library, vectors: Revocations): PlayedHub {
  const wire: PlayedHub['wire'] = { head: null, keys: Object.keys(vectors.publishedKeys) }
  let [now, steadyMs] = [vectors.now, 1000]
  const respond = (path: string): Response => {
    const last = path.slice(path.lastIndexOf('/') + 1)
    const list = vectors.lists.find(({ hash }) => hash === last)
    if (list !== undefined) return new Response(Buffer.from(list.bytes, 'base64'))
    if (last === 'jwks.json') return Response.json(vectors.keysOfTokens)
    if (last === 'storage-revocation-keys')
      return Response.json({ keys: wire.keys.map((name) => vectors.publishedKeys[name]) })
    if (last === 'storage-revocations' && wire.head !== null) return new Response(wire.head)
    return new Response(null, { status: 404 })
  }
  globalThis.fetch = async (url) => respond(new URL(String(url)).pathname)
  Object.defineProperty(globalThis, 'performance', {
    value: { now: () => steadyMs },
    configurable: true,
  })
  const gate = createGate({
    ...{ hubUrl: vectors.issuer, leewaySeconds: vectors.leewaySeconds },
    ...{ audience, isolation: 'none', clock: () => now },
    ...{ onKeyFailure: () => {}, onRevocationFailure: () => {} },
  })
  return {
    gate,
    wire,
    pass(wait, set) {
      now += wait + set
      steadyMs += wait * 1000
    },
  }
}
