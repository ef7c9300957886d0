/** Watches for moments when the machine leaves no time to a process: what is late then is not late by itself. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import type { Downtime } from './disturb.ts'
import type { Hub, Site } from './site.ts'

/** A question that needs no database takes milliseconds. */
const slowMs = 1000
const everyMs = 500
/** Those who answer a question together may wait for a core so long, within the time that facts may be old. */
const maxWaits = { ms: 1500, withinMs: 3000 }

export interface MachineWatch {
  stop(): Promise<readonly Downtime[]>
}

export function watchMachine({ hubs, cluster }: Pick<Site, 'hubs' | 'cluster'>): MachineWatch {
  const slow: Downtime[] = []
  let isOver = false
  const note = (from: number, hub?: Hub) => {
    const to = Date.now()
    slow.push({ what: 'the machine was slow', from, to, ...(hub && { hub }) })
  }
  const noteSlow = (from: number, hub?: Hub) => {
    if (Date.now() - from > slowMs) note(from, hub)
  }
  const watchHub = async (hub: Hub) => {
    const waits = waitsOf(() => processesOf(hub, cluster.folder))
    while (!isOver) {
      const from = Date.now()
      await fetch(`${hub.url}/healthz`).then(
        (answer) => answer.text(),
        () => '',
      )
      noteSlow(from, hub)
      if (waits() > maxWaits.ms) note(Date.now() - maxWaits.withinMs, hub)
      await delay(everyMs)
    }
  }
  const watchOwnProcess = async () => {
    while (!isOver) {
      const from = Date.now()
      await delay(everyMs)
      noteSlow(from)
    }
  }
  const running = Promise.all([...hubs.map(watchHub), watchOwnProcess()])
  return {
    async stop() {
      isOver = true
      await running
      return slow
    },
  }
}

/** Groups of processes; of each group one takes part in an answer: a hub, a server process of PostgreSQL, this one. */
function processesOf(hub: Hub, folder: string): readonly (readonly number[])[] {
  const { pid } = hub.process().child
  const postgres = Number(firstLine(join(folder, 'data/postmaster.pid')))
  return [[pid ?? 0], childrenOf(postgres), [process.pid]]
}

/** How long those who were ready to run have waited for a core lately, by the worst of each group. */
function waitsOf(groups: () => readonly (readonly number[])[]): () => number {
  const looks: { readonly at: number; readonly waited: ReadonlyMap<number, number> }[] = []
  return () => {
    const now = groups()
    const waited = new Map(now.flat().map((pid) => [pid, waitedMs(pid)]))
    looks.push({ at: Date.now(), waited })
    while ((looks[1]?.at ?? Number.POSITIVE_INFINITY) <= Date.now() - maxWaits.withinMs)
      looks.shift()
    // A process that was not there at the first look has waited only since it began.
    const lately = (pid: number) => (waited.get(pid) ?? 0) - (looks[0]?.waited.get(pid) ?? 0)
    return now.reduce((sum, group) => sum + Math.max(0, ...group.map(lately)), 0)
  }
}

/** By Linux; elsewhere nobody waits as far as this can tell. */
function waitedMs(pid: number): number {
  const [, nanoseconds = '0'] = firstLine(`/proc/${pid}/schedstat`).split(' ')
  return Number(nanoseconds) / 1e6
}

function firstLine(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n')[0] ?? ''
  } catch {
    return ''
  }
}
