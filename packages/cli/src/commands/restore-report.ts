/** Reports what a restore did and what is left to do, for people and for programs. */

import { existsSync } from 'node:fs'
import {
  masterKeyFile,
  type RepeatedEntry,
  type RestoredHub,
  type Usable,
} from '@latchkey/hub/backup'
import { shellWord } from '@latchkey/service/text'
import type { CarriedContent } from '@latchkey/storage/backup'
import type { CountedObjects } from '@latchkey/storage/maintenance'
import type { Manifest } from '../backup/manifest.ts'
import type { Parts } from '../backup/parts.ts'
import { changeLine } from '../output/change-line.ts'
import { jsonText, print } from '../output/show-result.ts'
import { refused } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { counted } from './storage-repository.ts'

export interface BroughtBack {
  /** Undefined where the content was not restored. */
  readonly objects: CarriedContent | undefined
  /** Undefined where the hub was not restored. */
  readonly hub?: RestoredHub
}

interface Restored extends BroughtBack {
  readonly data: string
  readonly manifest: Manifest
  readonly parts: Parts
  /** Objects of the restored catalogue in the configured bucket; undefined where none is configured. */
  readonly found: CountedObjects | undefined
}

export function showRestored(restored: Restored, json: boolean): void {
  const { objects, hub } = restored
  if (json) print(jsonText(asJson(restored)))
  else showToPeople(restored)
  const left = (hub?.repeated ?? []).filter(({ outcome }) => outcome === 'not repeated').length
  if (left > 0) {
    throw refused(
      `everything is restored, but ${counted(left, 'entry', 'entries')} of the old journal could not be repeated: remove the access in the lines above yourself, before you start the hub`,
    )
  }
  const missing = objects?.missing.length ?? 0
  if (missing > 0) {
    throw refused(
      `the whole backup is restored, but it lacks ${counted(missing, 'object')}: "latchkey storage verify" lists the files`,
    )
  }
}

/** Members that say nothing about this restore are left out. */
function asJson({ data, manifest, objects, hub, found }: Restored): object {
  const { takenAt, journal, bucket } = manifest
  return {
    ...{ data, takenAt, journal: hub === undefined ? undefined : journal },
    objects: objects && { ...objects, missing: objects.missing.length },
    ...(bucket !== null && { bucket, found }),
    ...hub,
  }
}

function showToPeople({ data, manifest, parts, objects, hub, found }: Restored): void {
  if (hub !== undefined) showHub(hub, data)
  const { takenAt, bucket } = manifest
  const upTo = hub === undefined ? '' : `, up to journal entry ${parts.journal}`
  tell(`${data} is restored from the backup of ${takenAt}${upTo}.`)
  const sentences = [...copiedText(objects), ...addressesText(hub)].join(' ')
  if (sentences !== '') tell(sentences)
  if (bucket !== null && parts.hasContent) tellOfBucket(bucket, found)
  if (hub === undefined) tell(afterStorage)
  else tellAfterHub(hub, data)
  if (parts.isOnly && hub !== undefined) tell(afterHubAlone)
}

function tellOfBucket(bucket: string, found: CountedObjects | undefined): void {
  tell(`The objects are not in the backup: they are in ${bucket}.`)
  if (found === undefined) tell('Name the bucket with --objects when you start the storage.')
  else
    tell(
      `Missing in the bucket: ${found.missing} of the ${counted(found.checked, 'object')} checked.`,
    )
  tell(
    'The storage serves nothing until "latchkey storage adopt --yes"; then "latchkey storage verify" lists the files whose objects are missing.',
  )
}

const afterStorage =
  'Run "latchkey storage reset-urls" in the data directory of the hub: clients then upload missing content again.'
const afterHubAlone =
  'The content is unchanged. Once the hub runs, "latchkey storage reconcile" lists content that the hub does not know.'

function showHub({ repeated = [], usable, returnedContent }: RestoredHub, data: string): void {
  for (const one of repeated) print(repeatedLine(one))
  for (const line of returnedLines(returnedContent)) print(line)
  for (const line of usable === undefined ? [] : endingLines(usable, data)) print(line)
}

/** Lines that can be pasted into a shell, each with what it is about. */
function endingLines({ accounts, hubTokens }: Usable, data: string): readonly string[] {
  const at = `--data ${shellWord(data)}`
  return [
    ...hubTokens.map(
      ({ id, account, name, kind }) =>
        `latchkey hub-token revoke ${id} ${at}  # ${account}/${name}, ${kind}\n`,
    ),
    ...accounts.map(({ name }) => `latchkey account set ${shellWord(name)} --disabled ${at}\n`),
  ]
}

function copiedText(objects: CarriedContent | undefined): readonly string[] {
  return objects === undefined ? [] : [`${counted(objects.count, 'object')} copied.`]
}

function addressesText(hub: RestoredHub | undefined): readonly string[] {
  if (hub === undefined) return []
  const refs = `The refs of ${counted(hub.repositories, 'repository', 'repositories')}`
  return [`${refs} have new storage URLs.`]
}

function tellAfterHub({ repeated, usable }: RestoredHub, data: string): void {
  if (usable === undefined)
    tell(`Changes after the backup that reduced access: ${tally(repeated ?? [])}.`)
  else
    tell(
      'The accounts and hub tokens above work again, also those that were disabled or revoked after the backup. Before you start the hub, run the lines of those that must not work; or restore again with --journal.',
    )
  if (!existsSync(masterKeyFile(data)))
    tell('The master key is not in a backup: put master.key into the data directory.')
}

function repeatedLine({ outcome, detail, entry }: RepeatedEntry): string {
  return `${outcome.padEnd(12)}  ${changeLine(entry).trimEnd()}${detail === undefined ? '' : `  (${detail})`}\n`
}

function tally(repeated: readonly RepeatedEntry[]): string {
  const count = (kind: string) => repeated.filter(({ outcome }) => outcome === kind).length
  const words = ['repeated', 'made safe', 'not needed', 'not repeated'] as const
  return words.map((outcome) => `${count(outcome)} ${outcome}`).join(', ')
}

/** Lines about content that was deleted after the backup and is back. */
function returnedLines(repositories: readonly string[] = []): readonly string[] {
  return repositories.map(
    (path) =>
      `content of ${path} was deleted after the backup (storage delete or gc) and is back: run latchkey storage delete again if it must not exist\n`,
  )
}
