/** The cost of one check: of a token seen before, and of one never seen beside a bare signature check. */

import { verify } from 'node:crypto'
import {
  createGate,
  type Gate,
  type GateRequest,
  nothingRevoked,
  type RevocationSource,
} from '@latchkey/gate'
import { at } from '../results.ts'
import { followed, published } from './revocations.ts'
import { issuer, keys, refUid, repositoryUid, tokenFor } from './tokens.ts'

const audience = 'https://cas.example/r'
const hitsPerRound = 100_000
const hitsPerTurn = 1000
const missesPerRound = 2000
const cutOffs = 10_000

const newGate = (revocations: RevocationSource = nothingRevoked) =>
  createGate({ keys, issuer, casUrl: `${audience}/{repo}/{ref}`, revocations })

export async function benchCheck(rounds: number): Promise<object[]> {
  const tokens = Array.from({ length: missesPerRound }, (_, index) =>
    tokenFor(audience, `t${index}`),
  )
  const requests = tokens.map(requestWith)
  const gate = newGate()
  const following = newGate(followed(published(cutOffs)))
  const [seen = requestWith('')] = requests
  const hit: number[] = []
  const listed: number[] = []
  const miss: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const [without, beside] = await inTurns([gate, following], seen)
    hit.push(without)
    listed.push(beside)
    miss.push(await perCheck(newGate(), requests))
    bare.push(bareCheck(tokens))
  }
  const ratios = miss.map((micros, index) => micros / (bare[index] ?? 1))
  const more = listed.map((micros, index) => micros - (hit[index] ?? 0))
  return [
    row('token seen before', hit),
    {
      ...row(`token seen before, ${cutOffs} cut-offs`, listed),
      'µs more than without': at(sorted(more), 0.5),
      'at least': (Math.min(...listed) - Math.min(...hit)).toFixed(2),
    },
    {
      ...row('token not seen before', miss),
      'times a bare signature check': at(sorted(ratios), 0.5),
    },
    row('bare crypto.verify', bare),
  ]
}

/** Both in short turns, so that what else the machine does meets both alike. */
async function inTurns(
  [one, other]: readonly [Gate, Gate],
  request: GateRequest,
): Promise<[number, number]> {
  const turn = Array<GateRequest>(hitsPerTurn).fill(request)
  const turns = hitsPerRound / hitsPerTurn
  const sums: [number, number] = [0, 0]
  for (let count = 0; count < turns; count += 1) {
    sums[0] += (await perCheck(one, turn)) / turns
    sums[1] += (await perCheck(other, turn)) / turns
  }
  return sums
}

/** As a client of this protocol sends it. */
function requestWith(token: string): GateRequest {
  const headers = [
    ...['Host', 'cas.example', 'User-Agent', 'bench/1', 'Accept', '*/*', 'Accept-Encoding', 'gzip'],
    ...['Authorization', `Bearer ${token}`, 'X-Xet-Session-Id', '1', 'Connection', 'keep-alive'],
  ]
  const target = `/r/${repositoryUid}/${refUid}/v1/chunks/default/${'a'.repeat(64)}`
  return { method: 'GET', target, headers }
}

async function perCheck(gate: Gate, requests: readonly GateRequest[]): Promise<number> {
  const started = performance.now()
  for (const request of requests) {
    const { ok } = await gate.check(request)
    if (!ok) throw new Error('the gate refused a right token')
  }
  return ((performance.now() - started) * 1000) / requests.length
}

function bareCheck(tokens: readonly string[]): number {
  const [key] = keys.values()
  if (key === undefined) throw new Error('there is no key')
  const prepared = tokens.map((token) => {
    const dot = token.lastIndexOf('.')
    const signature = Buffer.from(token.slice(dot + 1), 'base64url')
    return { signed: Buffer.from(token.slice(0, dot)), signature }
  })
  const options = { key: key.publicKey, dsaEncoding: 'ieee-p1363' as const }
  const started = performance.now()
  for (const { signed, signature } of prepared) verify('sha256', signed, options, signature)
  return ((performance.now() - started) * 1000) / tokens.length
}

function row(work: string, micros: readonly number[]): object {
  const ordered = sorted(micros)
  return { work, 'µs, median': at(ordered, 0.5), 'µs, least': at(ordered, 0) }
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other)
}
