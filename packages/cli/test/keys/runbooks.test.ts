/** Every command of the runbooks, run in order on a data directory with a running hub; what they say is seen is seen. */

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningHub, startHub } from '@latchkey/hub'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { latchkeyHere } from '../run-here.ts'

const folder = join(import.meta.dirname, '../../../../docs/guides/runbooks')
const runbooks = readdirSync(folder).filter((name) => name !== 'README.md')

interface Block {
  readonly kind: 'sh' | 'text'
  readonly lines: readonly string[]
}

function blocksOf(name: string): readonly Block[] {
  const text = readFileSync(join(folder, name), 'utf8')
  const fenced = text.matchAll(/^( *)```(sh|text)\n(.*?)^\1```$/gms)
  return Array.from(fenced, ([, indent = '', kind, body = '']) => ({
    kind: kind === 'sh' ? 'sh' : 'text',
    lines: body
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(indent.length)),
  }))
}

let cwd = ''
let hub: RunningHub | undefined
const quiet = { write() {}, async close() {} }

/** Started as `latchkey serve` does it, with the master key that is in the data directory. */
async function restart(): Promise<void> {
  await hub?.stop()
  hub = undefined
  hub = await startHub(testSettings(join(cwd, 'latchkey-data')), { lines: quiet })
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  cwd = temporaryFolder()
  await restart()
})

afterEach(async () => {
  vi.useRealTimers()
  await hub?.stop()
  hub = undefined
})

/** What a person at a terminal does; gives what is seen. */
async function perform(line: string): Promise<string> {
  const words = (await filled(line)).split(' ')
  switch (words[0]) {
    case 'sleep':
      vi.setSystemTime(Date.now() + Number(words[1]) * 1000)
      return ''
    case 'systemctl':
      expect(line).toBe('systemctl restart latchkey')
      await restart()
      return ''
    case 'latchkey': {
      const { code, stdout, stderr } = await latchkeyHere(words.slice(1), { cwd })
      expect([line, code, stderr]).toEqual([line, 0, expect.any(String)])
      return stdout + stderr
    }
    default:
      expect(words[0]).toBe('rm')
      return execFileSync('sh', ['-c', line], { cwd, encoding: 'utf8' })
  }
}

async function filled(line: string): Promise<string> {
  if (!line.includes('KID')) return line
  const { stdout } = await latchkeyHere(['keys', 'list', '--json'], { cwd })
  const { items } = JSON.parse(stdout) as { items: readonly { kid: string; state: string }[] }
  return line.replace('KID', items.find(({ state }) => state === 'retiring')?.kid ?? '')
}

/** The lines are there, in this order; `…` is anything. */
function expectSeen(seen: string, lines: readonly string[]): void {
  const pattern = lines
    .map((line) => line.split('…').map(literal).join('.*'))
    .join('\\s*\\n(?:.*\\n)*?')
  expect(seen).toMatch(new RegExp(`^${pattern}\\s*$`, 'm'))
}

/** Columns are aligned by spaces, as many as it takes. */
function literal(text: string): string {
  return RegExp.escape(text).replace(/(?:\\x20)+| +/g, '\\s+')
}

async function follow(blocks: readonly Block[]): Promise<void> {
  let seen = ''
  for (const { kind, lines } of blocks) {
    if (kind === 'text') expectSeen(seen, lines)
    else {
      seen = ''
      for (const line of lines) seen += await perform(line)
    }
  }
}

describe('a runbook', () => {
  test('has steps, each with its commands, and there are five', () => {
    expect(runbooks.toSorted()).toEqual([
      'leaked-master-key.md',
      'leaked-revocation-key.md',
      'leaked-signing-key.md',
      'lost-master-key.md',
      'planned-rotation.md',
    ])
    for (const name of runbooks) expect(blocksOf(name).length).toBeGreaterThan(3)
  })

  test.each(runbooks.filter((name) => name !== 'lost-master-key.md'))(
    '%s does what it says',
    async (name) => {
      await follow(blocksOf(name))
      await restart()
      const response = await fetch(`${hub?.url}/.well-known/jwks.json`)
      expect(await response.json()).toMatchObject({ keys: [{ kid: expect.any(String) }] })
    },
  )

  test('lost-master-key.md does what it says, from what a hub without its master key says on', async () => {
    const [complaint, ...rest] = blocksOf('lost-master-key.md')
    rmSync(join(cwd, 'latchkey-data', 'master.key'))
    const said = await restart().catch((error: Error) => `latchkey: ${error.message}\n`)
    expectSeen(String(said), complaint?.lines ?? [])
    await follow(rest)
    await restart()
  })
})
