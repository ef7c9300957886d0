/** What a process in the hands of an attacker writes is a message, or the end of listening to it. */

import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { forwardLines, messageLine, readMessages } from '../../src/machine/child/lines.ts'

/** A reader that has heard enough. */
const isStop = (message: unknown) => Object(message).kind === 'stop'

async function heard(parts: readonly (string | Buffer)[]): Promise<readonly unknown[]> {
  const from = new PassThrough()
  const messages: unknown[] = []
  readMessages(from, (message) => {
    messages.push(message)
    return !isStop(message)
  })
  for (const part of parts) from.write(part)
  from.end()
  await new Promise((resolve) => from.once('close', resolve))
  return messages
}

it('messages come whole, however they are cut', async () => {
  const messages = [{ kind: 'here' }, { kind: 'answer', id: 1, text: 'ä\n' }]
  const text = Buffer.from(messages.map(messageLine).join(''))
  for (let at = 1; at < text.length; at += 1) {
    expect(await heard([text.subarray(0, at), text.subarray(at)])).toEqual(messages)
  }
})

it('what is no JSON, or does not end, is told once, and nothing is read after it', async () => {
  expect(await heard(['{"kind":\n', '{"kind":"here"}\n'])).toEqual([undefined])
  expect(await heard(['null\n{"kind":"here"}\n'])).toEqual([undefined])
  const endless = Array.from({ length: 40 }, () => 'x'.repeat(64 * 1024))
  expect(await heard([...endless, '\n{"kind":"here"}\n'])).toEqual([undefined])
})

it('nothing is read after a message that the reader does not want', async () => {
  const lines = [{ kind: 'here' }, { kind: 'stop' }, { kind: 'here' }].map(messageLine)
  expect(await heard([lines.join(''), ...lines])).toEqual([{ kind: 'here' }, { kind: 'stop' }])
})

it('no bytes at all make it throw', async () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((given) => Buffer.from(given))
  await fc.assert(fc.asyncProperty(bytes, async (given) => void (await heard([given]))))
})

it('a log line that does not end is not kept in memory', async () => {
  const from = new PassThrough()
  const lines = { write() {}, async drained() {} }
  const forwarded = forwardLines(from, { lines })
  for (let count = 0; count < 5; count += 1) from.write(Buffer.alloc(64 * 1024, 'x'))
  await expect(forwarded).rejects.toThrow('too long')
})
