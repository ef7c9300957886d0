/** What a restore has done, for people and for machines, and what is left to do. */

import type { RepeatedEntry } from '@latchkey/hub/management'
import { endingLines, type Usable } from '../backup/back-to-life.ts'
import type { Manifest } from '../backup/manifest.ts'
import type { Carried } from '../backup/objects.ts'
import { changeLine } from '../output/change-line.ts'
import { jsonText, print } from '../output/show-result.ts'
import { refused } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { counted } from './storage-words.ts'

export interface Restored {
  readonly data: string
  readonly manifest: Manifest
  readonly objects: Carried
  /** Repositories whose refs have new addresses. */
  readonly repositories: number
  /** Without an old journal. */
  readonly usable: Usable | undefined
  readonly repeated: readonly RepeatedEntry[] | undefined
}

export function showRestored(restored: Restored, json: boolean): void {
  const { objects, repeated = [] } = restored
  if (json) print(jsonText(asJson(restored)))
  else showToPeople(restored)
  const left = repeated.filter(({ outcome }) => outcome === 'not repeated').length
  if (left > 0) {
    throw refused(
      `everything is restored, but ${counted(left, 'entry', 'entries')} of the old journal could not be repeated: take away by hand what the lines above name, before you start the hub`,
    )
  }
  if (objects.missing.length > 0) {
    throw refused(
      `everything is restored that the backup has, but it lacks ${counted(objects.missing.length, 'object')}: "latchkey storage verify" names the files`,
    )
  }
}

function asJson({ data, manifest, objects, repositories, repeated, usable }: Restored): object {
  const { takenAt, journal } = manifest
  const { missing, ...carried } = objects
  return {
    ...{ data, takenAt, journal, objects: { ...carried, missing: missing.length }, repositories },
    ...(repeated === undefined ? {} : { repeated }),
    ...(usable === undefined ? {} : { usable }),
  }
}

function showToPeople({ data, manifest, objects, repositories, repeated, usable }: Restored): void {
  for (const one of repeated ?? []) print(repeatedLine(one))
  for (const line of usable === undefined ? [] : endingLines(usable, data)) print(line)
  const { takenAt, journal } = manifest
  tell(`${data} is what the backup of ${takenAt} has, up to journal entry ${journal}.`)
  tell(
    `${counted(objects.count, 'object')} copied. The refs of ${counted(repositories, 'repository', 'repositories')} have new addresses.`,
  )
  if (usable === undefined) tell(`What was taken away after the backup: ${tally(repeated ?? [])}.`)
  else
    tell(
      'The accounts and hub tokens above work again, also those that were ended after the backup. Run the lines of those that must not, before you start the hub; or restore again with --journal.',
    )
  tell('The master key is not in a backup: put master.key into the data directory.')
}

function repeatedLine({ outcome, detail, entry }: RepeatedEntry): string {
  return `${outcome.padEnd(12)}  ${changeLine(entry).trimEnd()}${detail === undefined ? '' : `  (${detail})`}\n`
}

function tally(repeated: readonly RepeatedEntry[]): string {
  const count = (wanted: string) => repeated.filter(({ outcome }) => outcome === wanted).length
  const words = ['repeated', 'made safe', 'not needed', 'not repeated'] as const
  return words.map((outcome) => `${count(outcome)} ${outcome}`).join(', ')
}
