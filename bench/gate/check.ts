/** The cost of one check: of a token seen before, and of one never seen beside a bare signature check. */

import { verify } from 'node:crypto'
import {
  createGate,
  type Gate,
  type GateRequest,
  noRevocations,
  type RevocationSource,
} from '@latchkey/gate'
import { ownCpuMicros } from '../machine.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { median } from '../measure/statistics.ts'
import { followed, published } from './revocations.ts'
import { issuer, keys, refUid, repositoryUid, tokenFor } from './tokens.ts'

const audience = 'https://cas.example/r'
const hitsPerRound = 100_000
const hitsPerTurn = 1000
const missesPerRound = 2000
const cutOffs = 10_000

const newGate = (revocations: RevocationSource = noRevocations) =>
  createGate({ keys, issuer, casUrl: `${audience}/{repo}/{ref}`, revocations })

function newTokens(): readonly string[] {
  return Array.from({ length: missesPerRound }, (_, index) => tokenFor(audience, `t${index}`))
}

/** Checks of tokens that the gate has not seen, again and again until the time is over. */
export async function checkUnseen(): Promise<(milliseconds: number) => Promise<number>> {
  const requests = newTokens().map(requestWith)
  await perCheck(newGate(), requests)
  return async (milliseconds) => {
    const until = performance.now() + milliseconds
    let checks = 0
    while (performance.now() < until) {
      await perCheck(newGate(), requests)
      checks += requests.length
    }
    return checks
  }
}

export async function benchCheck(rounds: number): Promise<readonly Figure[]> {
  const tokens = newTokens()
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
  const ratios = miss.map((micros, index) => micros / (bare[index] ?? 0))
  // An absolute figure is the least one: other load can only add to it.
  const micros = { unit: 'µs', least: true }
  return [
    {
      figure: 'token seen before',
      anchor: '',
      result: measuredOf(hit, micros),
      goal: { atMost: 2 },
    },
    {
      figure: `token seen before, ${cutOffs} cut-offs`,
      anchor: '',
      result: measuredOf(listed, micros),
      goal: { atMost: 2 },
      details: { 'µs more than without': median(listed.map((own, at) => own - (hit[at] ?? 0))) },
    },
    {
      figure: 'token not seen before',
      anchor: 'bare crypto.verify',
      result: measuredOf(ratios),
      goal: { atMost: 1.8 },
      details: { µs: Math.min(...miss), 'bare µs': Math.min(...bare) },
    },
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
  const before = ownCpuMicros()
  for (const request of requests) {
    const { ok } = await gate.check(request)
    if (!ok) throw new Error('the gate refused a right token')
  }
  return (ownCpuMicros() - before) / requests.length
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
  const before = ownCpuMicros()
  for (const { signed, signature } of prepared) verify('sha256', signed, options, signature)
  return (ownCpuMicros() - before) / tokens.length
}
