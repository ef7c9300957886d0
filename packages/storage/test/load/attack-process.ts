/** Clients of several accounts that keep a storage as busy as they may, in a process that yields the processor to all others. */

import { Agent, request } from 'node:http'
import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import type { Access } from '../crash/storage-process.ts'
import type { AttackKind, AttackOrder, Counts } from './attack.ts'

setPriority(19)

/** Aborted: all requests are broken off. */
let phase = new AbortController()
let counts: Counts = { shards: 0, reconstructions: 0, others: [] }

process.on('message', (order: AttackOrder | 'pause') => {
  phase.abort()
  if (order === 'pause') process.send?.(counts)
  else begin(order)
})
process.on('disconnect', () => process.exit())

function begin({ targets, shard, file }: AttackOrder): void {
  phase = new AbortController()
  counts = { shards: 0, reconstructions: 0, others: [] }
  const body = Buffer.from(shard, 'base64')
  const { signal } = phase
  for (const target of targets) {
    const send = () => ask(target, { path: '/v1/shards', body, signal })
    const read = () => ask(target, { path: `/v1/reconstructions/${file}`, signal })
    // The whole shard has been checked when its file turns out to have another hash.
    void repeat(send, { as: 'shards', expected: /has the hash/, signal })
    // As many large ones as an account may have at once.
    void repeat(read, { as: 'reconstructions', expected: /fetch_info/, signal })
    void repeat(read, { as: 'reconstructions', expected: /fetch_info/, signal })
  }
}

interface Kind {
  readonly as: AttackKind
  readonly expected: RegExp
  readonly signal: AbortSignal
}

async function repeat(act: () => Promise<string>, { as, expected, signal }: Kind): Promise<void> {
  while (!signal.aborted) {
    const told = await act().catch((error) => String(error))
    if (signal.aborted) return
    if (expected.test(told)) counts = { ...counts, [as]: counts[as] + 1 }
    else counts = { ...counts, others: [...counts.others, told.slice(0, 200)] }
    process.send?.(as)
  }
}

const agent = new Agent({ keepAlive: true })

interface Question {
  readonly path: string
  readonly body?: Buffer
  readonly signal: AbortSignal
}

function ask({ casUrl, accessToken }: Access, { path, body, signal }: Question): Promise<string> {
  const headers = {
    authorization: `Bearer ${accessToken}`,
    ...(body && { 'content-length': body.length }),
  }
  const method = body === undefined ? 'GET' : 'POST'
  return new Promise((resolve, reject) => {
    const asking = request(casUrl + path, { agent, method, headers, signal }, (answer) => {
      text(answer).then(resolve, reject)
    })
    asking.once('error', reject)
    asking.end(body)
  })
}
