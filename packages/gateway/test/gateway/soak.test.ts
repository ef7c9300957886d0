/** Thousands of requests, a third of them broken off, through a gateway that must come out as it went in. */

import { once } from 'node:events'
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { keystream } from '@latchkey/testing/keystream'
import { expect, onTestFinished, test } from 'vitest'
import { type GatewayProcess, gatewayProcess } from './gateway-process.ts'
import { type Seeded, seeded } from './seeded.ts'
import { type UpstreamProcess, upstreamProcess } from './upstream-process.ts'

const count = rounds(200, 20_000)
const seed = process.env['LATCHKEY_SEED'] ?? String(Date.now())
const atOnce = 32
const deadlineMs = 60_000
/** One for all, because the gateway may remember the tokens it has seen. */
const authorization = bearer()

/** How a request came out; `broken` is an answer that did not come whole, or none. */
type Verdict = `${number} whole` | 'broken' | 'left' | 'wrong bytes' | 'hangs'

interface Plan {
  readonly weight: number
  readonly allowed: readonly Verdict[]
  readonly path?: string
  readonly uploads?: boolean
  readonly leavesAt?: 'once' | 'upload' | 'download'
  readonly slow?: 'reader' | 'writer'
  readonly hasToken?: false
}

// biome-ignore format: a table is read by its columns
const plans: readonly Plan[] = [
  { weight: 25, path: 'echo',  uploads: true,                          allowed: ['200 whole'] },
  { weight: 25, path: 'bytes',                                         allowed: ['200 whole'] },
  { weight: 5,  path: 'bytes', slow: 'reader',                         allowed: ['200 whole'] },
  { weight: 5,  path: 'echo',  uploads: true, slow: 'writer',          allowed: ['200 whole'] },
  { weight: 4,  path: 'echo',  uploads: true, hasToken: false,         allowed: ['401 whole'] },
  { weight: 3,  path: 'no',    uploads: true,                          allowed: ['413 whole'] },
  { weight: 5,  path: 'bytes', leavesAt: 'once',                       allowed: ['left'] },
  { weight: 4,  path: 'echo',  uploads: true, leavesAt: 'once',        allowed: ['left'] },
  { weight: 7,  path: 'echo',  uploads: true, leavesAt: 'upload',      allowed: ['left'] },
  { weight: 7,  path: 'bytes', leavesAt: 'download',                   allowed: ['left'] },
  { weight: 4,  path: 'dies',                                          allowed: ['502 whole'] },
  { weight: 3,  path: 'dies',  uploads: true,                          allowed: ['502 whole'] },
  { weight: 4,  path: 'half',                                          allowed: ['broken'] },
]

/** What may happen beside that while the storage is being killed and started again. */
const disturbed: readonly Verdict[] = ['502 whole', '504 whole', 'broken']

interface Asked {
  readonly plan: Plan
  readonly random: Seeded
  readonly length: number
  readonly name: string
  readonly agent: Agent | false
  readonly url: string
}

function pickPlan(random: Seeded): Plan {
  let at = random.number(plans.reduce((sum, { weight }) => sum + weight, 0))
  for (const plan of plans) {
    at -= plan.weight
    if (at < 0) return plan
  }
  throw new RangeError('the weights do not add up')
}

async function verdictOn(asked: Asked): Promise<Verdict> {
  const { plan, length, name } = asked
  const request = open(asked)
  const timer = setTimeout(() => request.destroy(new Error('hangs')), deadlineMs)
  try {
    const body = plan.uploads ? keystream(name, length) : Buffer.alloc(0)
    const answering = once(request, 'response')
    // Whoever leaves early hears of it only by the end.
    answering.catch(() => {})
    const sending = sendBody(request, body, asked)
    sending.catch(() => {})
    if (plan.leavesAt === 'once') return leave(request, asked)
    if (plan.leavesAt === 'upload') {
      await sending
      return leave(request, asked)
    }
    const [response] = (await answering) as [IncomingMessage]
    const bytes = await readAnswer(response, asked)
    if (plan.leavesAt === 'download') return leave(request, asked)
    const { statusCode = 0 } = response
    const isWrong = statusCode === 200 && !bytes.equals(keystream(name, length))
    return isWrong ? 'wrong bytes' : `${statusCode} whole`
  } catch (error) {
    return error instanceof Error && error.message === 'hangs' ? 'hangs' : 'broken'
  } finally {
    clearTimeout(timer)
  }
}

function open({ url, plan, length, name, agent, random }: Asked): ClientRequest {
  const query = `?name=${name}&length=${length}${random.number(2) === 0 ? '&chunked' : ''}`
  const framing = random.number(2) === 0 ? { 'content-length': length } : {}
  const request = httpRequest(`${url}${prefix}/${plan.path}${query}`, {
    method: plan.uploads ? 'POST' : 'GET',
    agent,
    headers: {
      ...(plan.hasToken === false ? {} : { authorization }),
      ...(plan.uploads ? framing : {}),
    },
  })
  request.on('error', () => {})
  return request
}

/** The whole body, or a part of it where the plan is to leave. */
async function sendBody(request: ClientRequest, body: Buffer, { plan, random }: Asked) {
  const isPart = plan.leavesAt === 'upload'
  const end = isPart ? random.number(body.length + 1) : body.length
  for (let at = 0; at < end; ) {
    const next = Math.min(end, at + 1 + random.number(60_000))
    if (!request.write(body.subarray(at, next))) await once(request, 'drain')
    if (plan.slow === 'writer') await pause(2 + random.number(20))
    at = next
  }
  if (!isPart) request.end()
}

async function readAnswer(response: IncomingMessage, { plan, random }: Asked): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of response) {
    parts.push(part)
    if (plan.leavesAt === 'download') break
    if (plan.slow === 'reader') await pause(2 + random.number(20))
  }
  return Buffer.concat(parts)
}

async function leave(request: ClientRequest, { random }: Asked): Promise<Verdict> {
  await pause(random.number(10))
  request.destroy()
  return 'left'
}

interface Soak {
  readonly gateway: GatewayProcess
  readonly upstream: UpstreamProcess
  readonly agent: Agent
}

/** Runs them, and gives those that came out as they may not. */
async function run({ gateway, upstream, agent }: Soak, total: number, kills: readonly number[]) {
  const wrong: string[] = []
  const verdicts = new Map<string, number>()
  let [next, disturbances, isDown] = [0, 0, false]
  const disturb = async () => {
    disturbances += 1
    isDown = true
    await upstream.kill()
    await pause(150)
    await upstream.restart()
    // Connections that died are noticed, and those who came too early are answered.
    await pause(100)
    isDown = false
  }
  const disturbing: Promise<void>[] = []
  const work = async () => {
    while (next < total) {
      const index = next
      next += 1
      if (kills.includes(index)) disturbing.push(disturb())
      const random = seeded(`${seed} ${index}`)
      const plan = pickPlan(random)
      const length = random.number(20) === 0 ? 1_000_000 : 1 + random.number(60_000)
      const before = isDown ? -1 : disturbances
      const connection = random.number(3) === 0 ? (false as const) : agent
      const asked = { plan, random, length, name: `${seed}-${index}`, agent: connection }
      const verdict = await verdictOn({ ...asked, url: gateway.url })
      const isDisturbed = before !== disturbances
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
      const allowed = isDisturbed ? [...plan.allowed, ...disturbed] : plan.allowed
      if (!allowed.includes(verdict)) {
        wrong.push(`request ${index} ${JSON.stringify(plan)} of ${length} bytes: ${verdict}`)
      }
      // Refusals are quick: each worker meets a storage that is away once or twice, however long it is away.
      if (isDown) await Promise.all(disturbing)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  await Promise.all(disturbing)
  return { wrong, verdicts }
}

test(`${count} requests, a third of them broken off, leave nothing behind`, async () => {
  console.log(`seed ${seed}: set LATCHKEY_SEED to have it again`)
  const upstream = await upstreamProcess()
  const gateway = await gatewayProcess(upstream.url)
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * atOnce })
  onTestFinished(() => agent.destroy())
  const socketsBefore = gateway.sockets()
  const atRest = async () => {
    agent.destroy()
    await expect
      .poll(() => gateway.sockets(), { timeout: 60_000, interval: 200 })
      .toBeLessThanOrEqual(socketsBefore)
    return { heldMiB: await gateway.heldMiB(), residentMiB: gateway.residentMiB() }
  }
  const soak = { gateway, upstream, agent }
  const warm = await run(soak, 100, [])
  expect(warm.wrong).toEqual([])
  const before = await atRest()

  const kills = [0.3, 0.7, 0.45].slice(0, rounds(2, 3)).map((part) => Math.floor(count * part))
  const { wrong, verdicts } = await run(soak, count, kills)
  expect(wrong).toEqual([])
  // Each kill may cost every worker one answer, and six in ten requests want a 200: a fifth of all is sure.
  expect(verdicts.get('200 whole')).toBeGreaterThan(count / 5)
  expect(verdicts.get('left')).toBeGreaterThan(count / 12)

  const plain = { weight: 1, path: 'echo', uploads: true, allowed: [] }
  const last = {
    plan: plain,
    random: seeded(seed),
    length: 123_456,
    name: 'last',
    agent: false,
  } as const
  expect(await verdictOn({ ...last, url: gateway.url })).toBe('200 whole')
  // What is still on its way to be freed is no leak.
  const growth = async () => (await atRest()).heldMiB - before.heldMiB
  await expect.poll(growth, { interval: 1000 }).toBeLessThan(4)
  expect(gateway.residentMiB() - before.residentMiB).toBeLessThan(64)
}, 600_000)
