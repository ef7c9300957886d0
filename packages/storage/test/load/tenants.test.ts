/** What some accounts send to the storage keeps no other account from the hub, or from its own content. */

import { availableParallelism } from 'node:os'
import { rounds } from '@latchkey/testing/chance'
import { askHub } from '@latchkey/testing/hub/ask-hub'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { prepareData } from '@latchkey/testing/hub/prepared-data'
import { type Serving, serve } from '@latchkey/testing/machine/command'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ref, refAt } from '../crash/storage-process.ts'
import { type Attack, prepareAttack, startChild } from './attack.ts'

const attackers = ['one', 'two', 'three', 'four']
const accounts = [...attackers, 'modest']

const world = {
  accounts: accounts.map((name) => ({ name })),
  namespaces: accounts.map((name) => ({ name, members: { [name]: 'write' } })),
  repositories: accounts.map((name) => {
    return {
      type: 'model',
      id: `${name}/own`,
      visibility: 'private',
      branches: { main: commit('a') },
    }
  }),
  hubTokens: accounts.map((account) => ({ account, name: 'write', kind: 'write' })),
}

const shared = sharedFolder()
let serving: Serving
let tokens: Readonly<Record<string, string>>
beforeAll(async () => {
  const prepared = await prepareData(shared, world)
  tokens = prepared.tokens
  const options = ['--data', prepared.data, '--limits-requests-per-minute', '0']
  serving = await serve(options, { cwd: shared })
})
afterAll(() => serving?.end('SIGKILL'))

const askFor = (account: string) =>
  askHub(serving.url, `write models/${account}/own@main`, {
    token: tokens[`${account}/write`] ?? '',
  })

async function refOf(account: string): Promise<Ref> {
  const { status, body } = await askFor(account)
  expect(status).toBe(200)
  return refAt(JSON.parse(body))
}

async function attack(): Promise<Attack> {
  const refs = await Promise.all(attackers.map(refOf))
  // In the long run, the most that is allowed: 2 097 152 chunks, and 16 384 URLs.
  return prepareAttack(refs, { shardRuns: rounds(8, 256), xorbs: rounds(1, 4) })
}

// conformance: Guarantees / One tenant's requests do not block other tenants
test('beside the largest shards and reconstructions of four accounts the hub answers, and others upload and read', async () => {
  const { go, pause } = await attack()
  const modest = await refOf('modest')
  await go('shards', 'reconstructions')
  for (let round = 0; round < rounds(2, 10); round += 1) {
    expect((await askFor('modest')).status).toBe(200)
    const xorb = makeXorb(randomChunks(`modest ${round}`, 3))
    const file = makeFile([{ xorb }])
    expect((await modest.sendXorb(xorb.hash, new Uint8Array(xorb.bytes))).status).toBe(200)
    expect((await modest.sendShard(makeShard({ files: [file] }))).status).toBe(200)
    expect(await modest.readFile(file.hash)).toEqual(
      Buffer.concat(randomChunks(`modest ${round}`, 3)),
    )
  }
  const { others } = await pause()
  expect(others).toEqual([])
})

/** As many threads as an attack keeps busy: for shards, for small and for large reconstructions. */
const burningThreads = 3 * Math.max(1, Math.min(4, availableParallelism() - 1))
const maxRatio = 1.3
const requestsOfRound = 1000
const ratioRounds = 24

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
test('an attack on the storage costs token requests no more than a process that burns as much processor time with a low priority', {
  tags: 'soak',
  timeout: 1_200_000,
}, async () => {
  const { go, pause } = await attack()
  const burner = startChild('burner-process.ts', String(burningThreads))
  burner.kill('SIGSTOP')
  const besideAttack = async () => {
    // The shards are being checked by then.
    await go('reconstructions')
    const took = await tokenRequests()
    const { shards, reconstructions, others } = await pause()
    expect(others).toEqual([])
    return { took, shards, reconstructions }
  }
  const besideBurner = async () => {
    burner.kill('SIGCONT')
    const took = await tokenRequests()
    burner.kill('SIGSTOP')
    return took
  }
  const all = { attack: [] as number[], burner: [] as number[] }
  const answered = { shards: 0, reconstructions: 0 }
  for (let round = 0; round < ratioRounds; round += 1) {
    // In turns, and in short ones, so that what else the machine does is the same to both.
    if (round % 2 === 0) all.burner.push(...(await besideBurner()))
    const { took, shards, reconstructions } = await besideAttack()
    all.attack.push(...took)
    answered.shards += shards
    answered.reconstructions += reconstructions
    if (round % 2 === 1) all.burner.push(...(await besideBurner()))
  }
  const [attacked, burnt] = [percentile95(all.attack), percentile95(all.burner)]
  const ratio = attacked / burnt
  console.log(
    `p95 ${attacked.toFixed(2)} ms beside the attack, ${burnt.toFixed(2)} ms beside the burner: ${ratio.toFixed(2)}`,
    answered,
  )
  expect(ratio).toBeLessThan(maxRatio)
})

/** The milliseconds that each takes. */
async function tokenRequests(): Promise<readonly number[]> {
  const times: number[] = []
  for (let count = 0; count < requestsOfRound; count += 1) {
    const started = performance.now()
    expect((await askFor('modest')).status).toBe(200)
    times.push(performance.now() - started)
  }
  return times
}

function percentile95(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(0.95 * times.length)] ?? Number.NaN
}
