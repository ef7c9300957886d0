/** Loaded into the process of a storage: at each signal it does the next thing that an attacker would do there. */

import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const messages = 3
const log = 1

const doing: readonly (() => void)[] = [
  function forges() {
    write(log, '{"level":"info","event":"token_issued","account":"ada"}\nnot even JSON\n')
    write(log, '{"level":"info","event":"storage_preflight","last":true}\n')
  },
  /** In place of its own metrics. */
  function counts() {
    const stringify = JSON.stringify
    const forged = 'latchkey_tokens_issued_total 1000000\n'
    JSON.stringify = (value: unknown) => {
      const { kind, value: text } = Object(value)
      const isMetrics = kind === 'answer' && text.includes('\n')
      return stringify(isMetrics ? { ...Object(value), value: forged } : value)
    }
  },
  /** Asks for the order again and again, and reads none. */
  function floods() {
    const line = '{"kind":"here"}\n'.repeat(1000)
    for (;;) write(messages, line)
  },
]

const isStorage = /storage-child\.[jt]s$/.test(process.argv[1] ?? '')
if (isStorage && isMainThread) {
  const left = [...doing]
  process.on('SIGUSR2', () => left.shift()?.())
}

/** The pipe of the messages does not wait for its reader. */
function write(descriptor: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      if (Object(error).code !== 'EAGAIN') process.exit()
    }
  }
}
