/** SIGKILL during the first start on an empty directory: the next start succeeds, with the keys that were published. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Chance, printedChance, rounds } from '@latchkey/testing/chance'
import { publishedKids } from '@latchkey/testing/hub/ask-hub'
import { complaints, dump } from '@latchkey/testing/hub/dump'
import { placesIn, startQuietly } from '@latchkey/testing/hub/prepared-data'
import { launch, readyAddress } from '@latchkey/testing/machine/command'
import { copyOfData, sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import { parseMasterKey } from '../../src/keys/master-key.ts'
import { expectToldByJournal } from './expect-told.ts'
import { type Course, killSomewhere, measure, pause, type Victim } from './kill.ts'

const count = rounds(3, 60)
const seconds = 1000
/** It has no part in the keys. */
const withoutStorage = ['--no-storage']

let course: Course
const shared = sharedFolder()
beforeAll(async () => {
  const { args, ...victim } = starting(shared)
  course = await measure({ ...victim, args: [...args, ...withoutStorage] })
})

test(
  `a first start killed at ${count} random moments can be repeated, with one key of each purpose that stays`,
  async () => {
    const chance = printedChance('first start')
    for (let round = 0; round < count; round += 1) {
      const folder = temporaryFolder()
      const published = await killFirstStart(folder, chance, round % 2 === 0)
      const { data, database, masterKey } = placesIn(join(folder, 'data'))
      expectCopyTold(folder, data)

      const hub = await startQuietly(data)
      const kids = await publishedKids(hub.url)
      await hub.stop()

      expect(kids).toHaveLength(1)
      const left = dump(database)
      const keys = (left['signing_keys'] ?? []).filter(({ purpose }) => purpose === 'tokens')
      expect(keys).toMatchObject([{ kid: kids[0] }])
      expect(left['signing_keys']).toHaveLength(2)
      expectToldByJournal(left)
      if (published !== undefined) expect(kids).toEqual(published)
      expect(parseMasterKey(readFileSync(masterKey, 'utf8'))).toBeDefined()
      expect(statSync(masterKey).mode & 0o777).toBe(0o600)
      expect(statSync(data).mode & 0o777).toBe(0o700)
      expect(complaints(database)).toEqual([])
      const ofStorage = /^(?:storage\.db|embedded-blob-url-key)/
      const own = finishedFiles(data).filter((name) => !ofStorage.test(name))
      expect(own).toEqual(['journal-number', 'latchkey.db', 'master.key'])
    }
  },
  count * 20 * seconds,
)

/** The kids that were published before the kill, if the hub came so far. */
async function killFirstStart(
  folder: string,
  chance: Chance,
  awaitReady: boolean,
): Promise<readonly string[] | undefined> {
  const victim = starting(folder)
  if (!awaitReady) {
    await killSomewhere(victim, course, chance)
    return undefined
  }
  const running = launch([...victim.args, ...withoutStorage], victim.around)
  const kids = await publishedKids(await readyAddress(running))
  await pause(running, chance.next() * 50)
  running.child.kill('SIGKILL')
  await running.ended
  return kids
}

/** Looked at in a copy: the next start has to recover the file itself. */
function expectCopyTold(folder: string, data: string): void {
  if (!existsSync(data)) return
  const { database } = placesIn(copyOfData(data, join(folder, 'copy')))
  const left = existsSync(database) ? dump(database) : {}
  // The first transaction makes all tables.
  if (Object.keys(left).length > 0) expectToldByJournal(left)
}

/** A draft of the master key that never got its name may stay; it is nobody's key. The storage may have made its folders. */
function finishedFiles(data: string): string[] {
  return readdirSync(data)
    .filter((name) => !name.endsWith('.new') && name !== 'objects')
    .sort()
}

function starting(folder: string): Victim {
  const data = join(folder, 'data')
  const args = ['serve', '--port', '0', '--data', data]
  return { args, around: { cwd: folder }, trace: data }
}
