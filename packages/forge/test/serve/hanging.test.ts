/** A git that hangs delays the commit that waits for it, and nothing else. */

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { startForge } from './forge-world.ts'

/** Hangs where a file with the name of the command lies beside it. */
function fakeGit() {
  const folder = temporaryFolder()
  const program = join(folder, 'git')
  const pidFile = join(folder, 'hangs')
  const late = join(import.meta.dirname, 'hanging-git.ts')
  const script = `#!/bin/sh
for word in "$@"; do
  case "$word" in update-ref|unpack-objects)
    [ -e "${folder}/$word" ] && echo $$ > "${pidFile}.new" && mv "${pidFile}.new" "${pidFile}" && exec sleep 180
    [ -e "${folder}/$word-commit" ] && exec "${process.execPath}" "${late}" "$@" ;;
  esac
done
exec git "$@"
`
  writeFileSync(program, script)
  chmodSync(program, 0o755)
  return {
    program,
    hangAt: (command: string) => writeFileSync(join(folder, command), ''),
    hangs: () => existsSync(pidFile),
    end: () => existsSync(pidFile) && process.kill(Number(readFileSync(pidFile, 'utf8'))),
  }
}

describe.skipIf(!isGitThere)('a git that hangs', () => {
  // Before and after the commit is on record; a git that hangs at once has a test of its own.
  // biome-ignore format: a table is read by its columns
  test.each<[command: string, isRecorded: boolean]>([
    ['update-ref',        false],
    ['update-ref-commit', true],
    ...(rounds(0, 1) === 1 ? [['unpack-objects', false] as [string, boolean]] : []),
  ])('at %s delays no revoke', async (command, isRecorded) => {
    const { program, hangAt, hangs, end } = fakeGit()
    const world = await startForge(
      { stopDeadlineSeconds: 0 },
      // A git that waits for the next change of refs was started before.
      { gitProgram: program, gitBounds: { readerIdleMs: 1 } },
    )
    try {
      await world.create('hangs')
      const before = (await world.ask('/api/models/acme/hangs', { as: 'owner' })).json.sha
      hangAt(command)
      let ended: unknown
      void world.commit('hangs', { 'a.txt': 'a' }).then(
        (answer) => {
          ended = answer.text
        },
        (error) => {
          ended = error
        },
      )
      const isMoved = async () =>
        (await world.ask('/api/models/acme/hangs', { as: 'owner' })).json.sha !== before
      while (!(isRecorded ? await isMoved() : hangs())) await sleep(10)
      const { items } = (await world.done('hub-token list')) as { items: { id: string; account: string; name: string }[] }
      const hubToken = items.find(({ account, name }) => account === 'writer' && name === 'token')?.id
      await world.done('hub-token revoke', { hubToken })
      const refused = await world.ask('/api/models/acme/hangs/storage-write-token/main', { as: 'writer' })
      expect(refused.status).toBe(401)
      const reading = await world.ask('/api/models/acme/hangs/tree/main', { as: 'reader' })
      expect([200, 404]).toContain(reading.status)
      expect(ended).toBe(undefined)
    } finally {
      end()
      await world.stopped()
    }
  })
})
