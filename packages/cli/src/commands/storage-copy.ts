/** `latchkey storage copy`: brings all objects of the storage to another place, while it serves. */

import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { quoteGiven } from '@latchkey/service/text'
import { type CopySide, copyObjects, type ObjectCopyResult } from '@latchkey/storage/maintenance'
import { Command } from 'commander'
import { type BucketPart, bucketUrl } from '../configuration/objects-kinds.ts'
import { storageObjects } from '../configuration/objects-place.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import { maintenanceData } from '../management/maintenance-data.ts'
import { withMaintenance } from '../management/with-maintenance.ts'
import { progress, secondsBetweenLines } from '../output/progress.ts'
import { jsonText, print } from '../output/show-result.ts'
import { refused, type Stop, wrongUsage } from '../output/stop.ts'
import { record } from '../output/table.ts'
import { tell } from '../output/tell.ts'
import { addStorageFlags, amountText, counted } from './storage-repository.ts'

export function storageCopyCommand(): Command {
  const command = new Command('copy')
    .summary('copy all objects to a bucket, or back')
    .description(
      'Copies every object that the catalogue names from a data directory to a bucket, or back, and checks the hashes of all bytes that it reads. The storage may be running. Objects that are there already stay, so that you can run it again after an interruption. Damaged objects are listed and not copied, and it then exits with 1.',
    )
    .requiredOption('--from <place>', 'A data directory, or s3://BUCKET/PREFIX.')
    .requiredOption('--to <place>', 'The same; a directory is created if it is missing.')
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(copy)
  return addStorageFlags(command)
}

const teaching = `
Examples:
  latchkey storage copy --from ./latchkey-data --to s3://bucket/hub   while the storage runs
  latchkey storage copy --from ./latchkey-data --to s3://bucket/hub   the rest, once it is stopped
  latchkey storage adopt --objects s3://bucket/hub --yes              the catalogue gets it

The catalogue stays where it is, because objects keep their keys. Then start the storage with the
new --objects. "latchkey migrate --only storage" copies the catalogue.`

async function copy({ from, to, json, ...flags }: Flags): Promise<void> {
  // Credentials of a store are read where a bucket is named.
  const objects = [to, from].find((place) => String(place).startsWith('s3:'))
  const configuration = readConfiguration({ objects, ...flags }, process.env)
  const sides = [sideOf(configuration, '--from', from), sideOf(configuration, '--to', to)] as const
  const [, { bucket: target }] = sides
  if (JSON.stringify(sides[0]) === JSON.stringify(sides[1])) {
    throw wrongUsage('--to: this is the place that --from names; name another one')
  }
  const [fromSide, toSide] = sides.map((side) => placeOf(configuration, side))
  if (fromSide === undefined || toSide === undefined) throw new TypeError('a copy has two sides')
  if (target === undefined) mkdirSync(toSide.data, { recursive: true, mode: 0o700 })
  const { show, end } = progress(secondsBetweenLines)
  const onProgress = (what: string, count: number) => show(`${count} ${what}`)
  const copied = await withMaintenance(configuration, (maintenance) =>
    copyObjects(maintenance, { from: fromSide, to: toSide, onProgress }),
  ).finally(end)
  if (json === true) print(jsonText(copied))
  else print(copied.bad.map((bad) => record({ ...bad })).join('\n'))
  if (copied.bad.length > 0) throw whatToDo(copied)
  if (json !== true) tell(allWell(copied))
}

interface Side {
  readonly data: string
  readonly bucket: BucketPart | undefined
}

function sideOf(configuration: Configuration, flag: string, text: unknown): Side {
  const value = String(text)
  const data = maintenanceData(configuration)
  if (!value.startsWith('s3:')) return { data: resolve(value), bucket: undefined }
  const bucket = bucketUrl.read(value)
  if (bucket !== undefined) return { data, bucket }
  throw wrongUsage(`${flag}: ${quoteGiven(value)} is not allowed; give ${bucketUrl.allowed}`)
}

/** The options of the object store count for the bucket that a side names. */
function placeOf(configuration: Configuration, { data, bucket }: Side): CopySide {
  if (bucket === undefined) return { data }
  const values = { ...configuration.values, objects: bucket }
  return { data, objects: storageObjects({ ...configuration, values }, data).objects }
}

function allWell({ copied, wereThere }: ObjectCopyResult): string {
  const done = `Copied: ${amountText(copied)}. Already there: ${wereThere}.`
  return `${done} To switch over, stop the storage, run this again, run "latchkey storage adopt --yes" with the new --objects (without, for a directory), and start the storage in the same way.`
}

function whatToDo({ copied, bad }: ObjectCopyResult): Stop {
  return refused(
    `not copied: ${counted(bad.length, 'object')} (copied: ${amountText(copied)}). "latchkey storage verify" lists the files that use them: repair these objects from a backup, or delete each xorb and upload the files again. Then run this again`,
  )
}
