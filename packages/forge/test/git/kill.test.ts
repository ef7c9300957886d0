/** SIGKILL for a process and its git at random moments of a commit. */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CommitHash, parseCommitHash } from '@latchkey/protocol'
import { printedChance, printSides, rounds } from '@latchkey/testing/chance'
import { bundledProgram } from '@latchkey/testing/machine/bundled-program'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { compileCache } from '@latchkey/testing/machine/latchkey-bin'
import { expect, test } from 'vitest'
import { addFile, commitEdits, main, openWorld, pointTo } from './world.ts'

const count = rounds(8, 200)
/** Git reads every object for it. */
const roundsPerFsck = rounds(5, 1)

interface Victim {
  readonly process: ChildProcessByStdio<Writable, Readable, null>
  /** It may have ended before anybody kills it. */
  readonly gone: Promise<unknown>
}

/** Begins its commit when this returns. */
async function startVictim(program: string, ...words: readonly string[]): Promise<Victim> {
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  })
  const gone = once(child, 'exit')
  const [said] = await once(child.stdout, 'data')
  expect(`${said}`).toBe('ready\n')
  child.stdin.end('go\n')
  return { process: child, gone }
}

/** Both at once, as when the machine stops: nobody can tidy up after another. */
async function killAll({ process: victim, gone }: Victim): Promise<void> {
  victim.kill('SIGSTOP')
  for (const pid of childrenOf(victim.pid)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
  victim.kill('SIGKILL')
  await gone
}

function locksIn(place: string): readonly string[] {
  const files = readdirSync(place, { recursive: true }).map(String)
  return files.filter((file) => file.endsWith('.lock'))
}

test(
  `a commit killed at ${count} random moments is there or not, and recovery leaves no lock and no damage`,
  async () => {
    const folder = temporaryFolder()
    const { git, repository, place } = await openWorld(folder)
    const first = await commitEdits(repository, [await addFile(repository, 'begin', 'x')])
    await pointTo(repository, main, first)
    writeFileSync(join(folder, 'directory'), first)
    const directory = () => readFileSync(join(folder, 'directory'), 'utf8') as CommitHash

    const program = await bundledProgram(new URL('./victim.ts', import.meta.url))
    const measured = await startVictim(program, folder, '0', first)
    const begun = performance.now()
    await measured.gone
    const course = performance.now() - begun
    expect(await repository.refs()).toEqual(new Map([[main, directory()]]))

    const chance = printedChance('a commit')
    const sides = { before: 0, after: 0 }
    let locked = 0
    for (let round = 1; round <= count; round += 1) {
      const before = directory()
      const victim = await startVictim(program, folder, `${round}`, before)
      await sleep(chance.next() * course)
      await killAll(victim)

      const after = directory()
      locked += Number(locksIn(place).length > 0)
      const left = (await repository.refs()).get(main)
      expect([before, after]).toContain(left)
      await repository.recover(new Map([[main, after]]))
      expect(await repository.refs()).toEqual(new Map([[main, after]]))
      expect(locksIn(place)).toEqual([])
      if (round % roundsPerFsck === 0) expect(await repository.fsck()).toEqual([])
      const commit = parseCommitHash(after)
      if (after !== before) {
        expect(commit && (await repository.readCommit(commit))).toMatchObject({ parents: [before] })
      }
      sides[after === before ? 'before' : 'after'] += 1
    }
    printSides('a commit', sides)
    process.stdout.write(`a commit: ${locked} times a lock was left\n`)
    git.close()
  },
  count * 20_000,
)
