/** A long noon: hubs die, the database crashes, connections hang, and no withdrawn access opens anything. */

import { setTimeout as delay } from 'node:timers/promises'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../run-latchkey.ts'
import { crashDatabase, cutListening, type Downtime, freezeHub, killHub } from './disturb.ts'
import { readJournal } from './journal.ts'
import { isStoppedAt, judge, wokenAt } from './judge.ts'
import { startLoad } from './load.ts'
import { type Door, type Hub, openSite } from './site.ts'
import { summaryOf } from './summary.ts'
import { watchMachine } from './watch-machine.ts'
import { waverersOf } from './waverers.ts'

const isSoak = rounds(0, 1) === 1
const stalenessSeconds = 3
const stalenessMs = stalenessSeconds * 1000
const noonMs = rounds(10_000, 60_000)
/** Beside the time that withdrawn access needs to become older than the bound. */
const frozenMs = rounds(0, 10_000)

const isMissing = isPostgresMissing('hubs on one PostgreSQL are not killed, stopped and cut off')

it.skipIf(isMissing)(
  'three hubs on one PostgreSQL give nobody a token for withdrawn access, and lose no change, whatever is killed, stopped or cut',
  async () => {
    const chance = printedChance('the long noon')
    const cwd = temporaryDirectory()
    const site = await openSite({ cwd, stalenessSeconds })
    onTestFinished(site.close)
    const { hubs } = site
    const pick = (from: readonly Hub[]) => from[Math.floor(chance.next() * from.length)] as Hub
    const downtimes: Downtime[] = []

    const machine = watchMachine(site)
    const waverers = waverersOf(site.hubTokens)
    const load = startLoad(site, waverers, chance)
    const disturbances: readonly (() => Promise<unknown>)[] = [
      async () => expect(await cutListening(site)).toBeGreaterThanOrEqual(hubs.length),
      async () => downtimes.push(await killHub(pick(hubs))),
      async () =>
        downtimes.push(await freezeHub(pick(hubs), { minMs: frozenMs, stalenessMs, load })),
      async () => downtimes.push(await crashDatabase(site)),
    ]
    const begun = Date.now()
    await delay(1000)
    // Each of them, and as many more as noon has time for.
    for (let count = 0; count < disturbances.length || Date.now() - begun < noonMs; count += 1)
      await disturbances[count % disturbances.length]?.()
    const over = Date.now()
    const isBack = (hub: Hub) =>
      load.asked.some((one) => one.hub === hub && one.status === 200 && one.sentAt > over)
    const hasUploaded = (hub: Hub) =>
      load.uploaded.filter((one) => one.hub === hub && one.failure === undefined).length > 2
    const hasJudged = (door: Door) => {
      const statuses = new Set(load.used.map((one) => one.door === door && one.status))
      return statuses.has(401) && statuses.has(door.admits)
    }
    // Otherwise the counts below would say little.
    await expect.poll(() => load.asked.some(({ status }) => status === 403)).toBe(true)
    await expect.poll(() => hubs.every((hub) => isBack(hub) && hasUploaded(hub))).toBe(true)
    await expect.poll(() => site.doors.every(hasJudged)).toBe(true)
    await load.stop()
    const slow = await machine.stop()

    const journal = await readJournal(site)
    const counted = judge({
      ...{ load, journal, downtimes: [...downtimes, ...slow], stalenessMs },
    })
    const isWrong = Object.values(counted).some(({ length }) => length > 0)
    if (isSoak || isWrong) process.stdout.write(summaryOf({ load, downtimes, counted }))
    for (const [what, list] of Object.entries(counted)) expect(list, what).toEqual([])
    expect(await load.uploadsKept()).toBe(true)
    for (const stop of downtimes.filter((one) => one.frozenMs !== undefined)) {
      for (const { name } of waverers.atStop) {
        const waited = load.asked.filter(
          (one) =>
            one.account === name &&
            isStoppedAt(stop, one.hub, one.sentAt) &&
            one.answeredAt >= wokenAt(stop),
        )
        expect(waited.length, name).toBeGreaterThan(0)
      }
    }
  },
  rounds(600_000, 1_200_000),
)
