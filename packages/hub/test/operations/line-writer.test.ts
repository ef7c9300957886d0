/** The log on standard output: every line, whole and in order, however slowly it is read. */

import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { askHub } from './ask-hub.ts'
import { serve } from './command.ts'
import { sharedFolder, temporaryFolder } from './folder.ts'
import { prepareData } from './prepared-data.ts'

const source = new URL('../../src/operations/line-writer.ts', import.meta.url)
const folder = sharedFolder()

describe('the writer of log lines', () => {
  test.each([
    { lines: 1, pauseMs: 0 },
    { lines: 5000, pauseMs: 0 },
    { lines: 5000, pauseMs: 400 },
  ])(
    'loses none of $lines when the process leaves, with a reader $pauseMs ms late',
    async (given) => {
      const written = await linesFrom(given)
      expect(written).toHaveLength(given.lines)
      expect(written.every((line, index) => line === textOf(index))).toBe(true)
    },
  )

  test('loses none of the lines before a stop', async () => {
    const { data } = await prepareData(folder)
    const hub = await serve(['--data', data, '--limits-failures-per-minute', '0'], { cwd: folder })
    const paths = Array.from({ length: 300 }, (_, n) => `read models/acme/bert@branch-${n}`)
    await Promise.all(paths.map((path) => askHub(hub.url, path)))
    const { stdout } = await hub.end('SIGTERM')
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string })
    expect(events.filter(({ event }) => event === 'token_refused')).toHaveLength(300)
    expect(events.at(-1)).toMatchObject({ event: 'hub_stopped' })
  })

  test('goes on without a reader that went away, and so does the hub', async () => {
    const { data } = await prepareData(temporaryFolder())
    const hub = await serve(['--data', data], { cwd: folder })
    hub.child.stdout?.destroy()
    const paths = Array.from({ length: 200 }, (_, n) => `read models/acme/bert@branch-${n}`)
    const heard = await Promise.all(paths.map((path) => askHub(hub.url, path)))
    expect(new Set(heard.map(({ status }) => status))).toEqual(new Set([401]))
    expect((await hub.end('SIGTERM')).code).toBe(0)
  })
})

function textOf(index: number): string {
  return `${index} ${'x'.repeat(100)}`
}

/** A process that writes, in portions as a busy hub does, closes the writer and leaves at once. */
async function linesFrom({ lines, pauseMs }: { lines: number; pauseMs: number }) {
  const script = `
    process.stdout.on('error', () => {})
    const { standardOutput } = await import('${source}')
    const out = standardOutput()
    for (let index = 0; index < ${lines}; index += 1) {
      out.write(index + ' ' + 'x'.repeat(100) + '\\n')
      if (index % 50 === 0) await new Promise(setImmediate)
    }
    await out.close()
    process.exit(0)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await delay(pauseMs)
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) text += chunk
  return text.trimEnd().split('\n')
}
