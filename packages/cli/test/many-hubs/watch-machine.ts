/** Watches for moments when the machine leaves no time to a process: what is late then is not late by itself. */

import { setTimeout as delay } from 'node:timers/promises'
import type { Downtime } from './disturb.ts'
import type { Hub } from './site.ts'

/** A question that needs no database takes milliseconds. */
const slowMs = 1000
const everyMs = 250

export interface MachineWatch {
  stop(): Promise<readonly Downtime[]>
}

export function watchMachine(hubs: readonly Hub[]): MachineWatch {
  const slow: Downtime[] = []
  let isOver = false
  const note = (from: number, hub?: Hub) => {
    const to = Date.now()
    if (to - from > slowMs)
      slow.push({ what: 'the machine was slow', from, to, ...(hub && { hub }) })
  }
  const watchHub = async (hub: Hub) => {
    while (!isOver) {
      const from = Date.now()
      await fetch(`${hub.url}/healthz`).then(
        (answer) => answer.text(),
        () => '',
      )
      note(from, hub)
      await delay(everyMs)
    }
  }
  const watchOwnProcess = async () => {
    while (!isOver) {
      const from = Date.now()
      await delay(everyMs)
      note(from)
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
