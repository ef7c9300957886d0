/** What goes wrong at noon, each with the time during which something is down because of it. */

import { setTimeout as delay } from 'node:timers/promises'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import type { Load } from './load.ts'
import type { Hub, Site } from './site.ts'

export interface Downtime {
  readonly what: string
  /** Left out where it concerns all. */
  readonly hub?: Hub
  readonly from: number
  readonly to: number
  /** How long the process could not do anything. */
  readonly frozenMs?: number
}

export async function killHub(hub: Hub): Promise<Downtime> {
  const from = Date.now()
  await hub.process().end('SIGKILL')
  await hub.start()
  await untilReady([hub])
  return { what: 'a hub was killed', hub, from, to: Date.now() }
}

export interface Freeze {
  readonly minMs: number
  /** How old may be what a hub signs by. */
  readonly stalenessMs: number
  readonly load: Pick<Load, 'whileKnownAt' | 'withdrawFrom' | 'giveBack'>
}

/**
 * While the hub is stopped, access is withdrawn for which it has requests and facts: when it wakes up, they are older than
 * the bound, and so is the withdrawal.
 */
export async function freezeHub(hub: Hub, { minMs, stalenessMs, load }: Freeze): Promise<Downtime> {
  const { pid } = hub.process().child
  const processes = [...childrenOf(pid), ...(pid === undefined ? [] : [pid])]
  let from = 0
  await load.whileKnownAt(hub, () => {
    from = Date.now()
    for (const one of processes) process.kill(one, 'SIGSTOP')
  })
  await load.withdrawFrom(hub)
  await delay(Math.max(stalenessMs + 500, from + minMs - Date.now()))
  const frozenMs = Date.now() - from
  for (const one of processes) process.kill(one, 'SIGCONT')
  await untilReady([hub])
  const to = Date.now()
  await load.giveBack()
  return { what: 'a hub was stopped', hub, from, to, frozenMs }
}

export async function crashDatabase({ cluster, hubs, sql }: Site): Promise<Downtime> {
  const before = await sql('select number from latchkey_hub.journal_head')
  const from = Date.now()
  await cluster.restart('immediate')
  // Each hub writes that it has found the database again.
  await until(async () => {
    const back = `select count(*) from latchkey_hub.journal where thing = 'hub' and number > ${before}`
    return Number(await sql(back)) >= hubs.length
  })
  await untilReady(hubs)
  return { what: 'PostgreSQL crashed', from, to: Date.now() }
}

/** Nothing is down meanwhile: hubs ask every second what they are not told. Gives how many connections were cut or stalled. */
export async function cutListening({ hubs, sql, stallListening }: Site): Promise<number> {
  // What a connection asked last tells those that listen from the others.
  const listening = `from pg_stat_activity where query ~ '^(LISTEN .*|SELECT 1)$' and application_name = 'latchkey'`
  await until(async () => Number(await sql(`select count(*) ${listening}`)) >= hubs.length)
  const stalled = stallListening()
  return stalled + Number(await sql(`select count(pg_terminate_backend(pid)) ${listening}`))
}

async function untilReady(hubs: readonly Hub[]): Promise<void> {
  await until(async () => (await Promise.all(hubs.map((hub) => hub.isReady()))).every(Boolean))
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(50)
}
