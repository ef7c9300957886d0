/** A commit of many megabytes keeps no other request waiting. */

import { randomBytes } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { rounds } from '../rounds.ts'
import { startForge } from './forge-world.ts'

const megabytes = rounds(20, 140)

test('while a large commit arrives, the event loop is free and memory is bounded', async () => {
  const world = await startForge()
  try {
    await world.create('large')
    const content = randomBytes(10 * 1024 * 1024).toString('base64')
    async function* body() {
      yield Buffer.from(`${JSON.stringify({ key: 'header', value: { summary: 'large' } })}\n`)
      for (let at = 0; at * 14 < megabytes; at += 1) {
        const line = { key: 'file', value: { path: `f${at}.dat2`, content, encoding: 'base64' } }
        yield Buffer.from(`${JSON.stringify(line)}\n`)
      }
    }
    const delay = monitorEventLoopDelay({ resolution: 5 })
    const before = process.memoryUsage().rss
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss)
    }, 50)
    delay.enable()
    const answer = await fetch(`${world.hub.url}/api/models/acme/large/commit/main`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.tokenOf('writer')}` },
      body: body(),
      duplex: 'half',
    })
    delay.disable()
    clearInterval(watch)
    expect(answer.status).toBe(200)
    const ms = (nanoseconds: number) => Math.round(nanoseconds / 1e5) / 10
    console.log(
      `${megabytes} MB: event loop delay p99 ${ms(delay.percentile(99))} ms, most ${ms(delay.max)} ms; memory +${Math.round((most - before) / 1e6)} MB`,
    )
    // The sender shares this process, and makes 14 MB of text at once.
    expect(most - before).toBeLessThan(600e6)
  } finally {
    await world.stopped()
  }
})
