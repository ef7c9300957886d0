/** A commit of many megabytes keeps no other request waiting. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { rounds } from '../rounds.ts'
import { startForge } from './forge-world.ts'

const files = rounds(2, 10)

/** In a process of its own: it makes 14 MB of text at once. */
const sender = `
const [url, token, files] = process.argv.slice(1)
const content = require('node:crypto').randomBytes(10 * 1024 * 1024).toString('base64')
async function* body() {
  yield Buffer.from(JSON.stringify({ key: 'header', value: { summary: 'large' } }) + '\\n')
  for (let at = 0; at < files; at += 1) {
    const value = { path: at + '.dat2', content, encoding: 'base64' }
    yield Buffer.from(JSON.stringify({ key: 'file', value }) + '\\n')
  }
}
const headers = { authorization: 'Bearer ' + token }
fetch(url, { method: 'POST', headers, body: body(), duplex: 'half' }).then(async (answer) => {
  console.log(answer.status)
})
`

test('while a large commit arrives, tokens are issued, and memory stays below ten of its lines', async () => {
  const world = await startForge({ compat: { huggingface: true } })
  try {
    await world.create('large')
    const delay = monitorEventLoopDelay({ resolution: 2 })
    const before = process.memoryUsage().rss
    let [most, tokens, isOver] = [before, 0, false]
    const url = `${world.hub.url}/api/models/acme/large/commit/main`
    const child = spawn(process.execPath, ['-e', sender, url, world.tokenOf('writer'), `${files}`])
    const said = text(child.stdout)
    delay.enable()
    const over = once(child, 'close').then(() => {
      isOver = true
    })
    const took: number[] = []
    while (!isOver) {
      const began = performance.now()
      const address = '/api/models/acme/large/xet-read-token/main'
      const { status } = await world.ask(address, { as: 'reader' })
      took.push(performance.now() - began)
      expect(status).toBe(200)
      tokens += 1
      most = Math.max(most, process.memoryUsage().rss)
      await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 20))])
    }
    delay.disable()
    expect(await said).toBe('200\n')
    expect(tokens).toBeGreaterThan(5)
    expect(most - before).toBeLessThan(10 * 14e6 * 2)
    const ms = (nanoseconds: number) => (nanoseconds / 1e6).toFixed(1)
    const slowest = took.toSorted((a, b) => b - a)[0] ?? 0
    console.log(
      `${files * 14} MB: event loop delay p99 ${ms(delay.percentile(99))} ms, most ${ms(delay.max)} ms; ${tokens} tokens, slowest ${slowest.toFixed(1)} ms; memory +${Math.round((most - before) / 1e6)} MB`,
    )
  } finally {
    await world.stopped()
  }
})
