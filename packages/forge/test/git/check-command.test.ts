/** The hub reads the head of a request of protocol 2 once, and no further than it must. */

import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { checkCommand, checkWants } from '../../src/git/index.ts'

const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
const capabilities = (count: number) => line('server-option=x\n').repeat(count)

/** The parts of a body, counted as they are read. */
function counted(...parts: readonly string[]) {
  const state = { read: 0 }
  const body = (async function* () {
    for (const part of parts) {
      state.read += 1
      yield Buffer.from(part, 'latin1')
    }
  })()
  return { state, body }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const part of body) text += Buffer.from(part).toString('latin1')
  return text
}

describe('the head of a request', () => {
  test('passes byte by byte, with as many capabilities as a client of git sends', async () => {
    const text = `${line('command=fetch\n')}${capabilities(60)}0001${line('done\n')}0000`
    const { fault, body } = await checkCommand(counted(...text).body)
    expect([fault, await textOf(body)]).toEqual([undefined, text])
  })

  test('is refused at its first capability above the bound, and the hub reads no further', async () => {
    const { state, body } = counted(
      line('command=fetch\n'),
      capabilities(63),
      ...'0005a'.repeat(1000),
    )
    expect((await checkCommand(body)).fault).toBe('too-long')
    expect(state.read).toBe(2 + '0005a'.length)
    const long = line('a'.repeat(40_000))
    expect((await checkCommand(counted(long, long, long).body)).fault).toBe('too-long')
  })

  test('is refused where it does not end', async () => {
    for (const text of ['', line('command=fetch'), `${line('command=fetch')}zzzz0001`]) {
      expect((await checkCommand(counted(text).body)).fault).toBe('missing')
    }
  })
})

test('a packet that comes byte by byte is not copied anew with each byte', async () => {
  const text = line('a'.repeat(2000))
  const [set, concat] = [vi.spyOn(Uint8Array.prototype, 'set'), vi.spyOn(Buffer, 'concat')]
  onTestFinished(() => void vi.restoreAllMocks())
  const passed = await textOf(checkWants(counted(...text).body, async () => false))
  const copied = [
    ...set.mock.calls.map(([{ length }]) => length),
    ...concat.mock.calls.flatMap(([parts]) => parts.map(({ length }) => length)),
  ].reduce((sum, length) => sum + length, 0)
  expect(passed).toBe(text)
  expect(copied).toBeLessThan(4 * text.length)
})
