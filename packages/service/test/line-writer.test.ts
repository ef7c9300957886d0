/** The log on standard output: every line, whole and in order, however slowly it is read. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'

const source = new URL('../src/observe/line-writer.ts', import.meta.url)

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

  test('writes lines of every length and alphabet whole, whatever memory they wait in', async () => {
    const lines = ['short', 'é'.repeat(200_000), '😀'.repeat(50_000), 'x'.repeat(700_000), 'end']
    const script = `
      const { standardOutput } = await import('${source}')
      const out = standardOutput()
      const lines = (await process.stdin.setEncoding('utf8').toArray()).join('').split(' ')
      for (const line of [...lines, ...lines, ...lines]) out.write(line + '\\n')
      await out.close()`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdin.end(lines.join(' '))
    const chunks: string[] = await child.stdout.setEncoding('utf8').toArray()
    const written = chunks.join('')
    const expected = [...lines, ...lines, ...lines].map((line) => `${line}\n`).join('')
    // Compared before they are printed: they are long.
    expect([written.length, written === expected]).toEqual([expected.length, true])
  })

  test('gathers lines that come one by one, however long they come', async () => {
    const script = `
      const { standardOutput } = await import('${source}')
      const out = standardOutput()
      const until = Date.now() + 400
      let count = 0
      while (Date.now() < until) {
        out.write(\`\${count++}\\n\`)
        await new Promise(setImmediate)
      }
      await out.close()`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const chunks: string[] = await child.stdout.setEncoding('utf8').toArray()
    const numbers = chunks.join('').trimEnd().split('\n')
    expect(numbers).toEqual(Array.from(numbers, (_, index) => String(index)))
    // A write for every pause of 100 ms, which a pipe may hand over in parts; one by one it would be thousands.
    expect(chunks.length).toBeLessThan(Math.max(100, numbers.length / 200))
  })

  test.each([
    ['closes it', 'await out.close()'],
    ['writes on', 'await lost(); out.write("one more\\n")'],
  ])('lets a process whose reader has left end when it %s', async (_, end) => {
    const script = `
      const { standardOutput } = await import('${source}')
      const out = standardOutput()
      for await (const _ of process.stdin);
      out.write('x'.repeat(20_000) + '\\n')
      const lost = async () => {
        while (process.listenerCount('exit') > 0) await new Promise(setImmediate)
      }
      ${end}`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdout.destroy()
    child.stdin.end()
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

describe.skipIf(!existsSync('/dev/full'))('lets a process whose output has no room end', () => {
  // Longer than any patience of the writer, shorter than the wait of a test: without an end the child is killed.
  const timeout = 60_000

  test.each([
    ['closes it', 'await out.close()'],
    ['closes it and exits', 'await out.close(); process.exit(0)'],
    ['exits without closing it', 'process.exit(0)'],
    ['has nothing left to do', ''],
    ['has tried to write before', 'await tried(); process.exit(0)'],
  ])(
    'when it %s',
    async (_, end) => {
      const script = `
      const { standardOutput } = await import('${source}')
      const out = standardOutput()
      const tried = () => new Promise((resolve) => setTimeout(resolve, 300))
      out.write('x'.repeat(20_000) + '\\n')
      out.write('one more\\n')
      ${end}`
      const full = openSync('/dev/full', 'w')
      onTestFinished(() => closeSync(full))
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', full, 'inherit'],
        timeout,
        killSignal: 'SIGKILL',
      })
      expect(await once(child, 'exit')).toEqual([0, null])
    },
    2 * timeout,
  )
})

function textOf(index: number): string {
  return `${index} ${'x'.repeat(100)}`
}

/** A process that writes, in portions as a busy service does, closes the writer and leaves at once. */
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
