/** `latchkey repo move-storage`: takes the content of a repository to another storage, step by step. */

import { isRefusal, journalNumber, type RepositoryUid } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import {
  closeWrites,
  copyContent,
  type Maintenance,
  type Move,
  MoveFailed,
  openCatalogOf,
  openMaintenance,
  openWrites,
  preparedBytes,
  readAudience,
  readLinkState,
  retireContent,
} from '@latchkey/storage/maintenance'
import { Command } from 'commander'
import { z } from 'zod'
import { storageDatabase } from '../configuration/database-place.ts'
import { storageObjects } from '../configuration/objects-place.ts'
import { type Configuration, readConfiguration } from '../configuration/read-configuration.ts'
import { addManagementFlags, managementFrom } from '../management/choose-management.ts'
import { absentLink } from '../management/hub-side.ts'
import { hasContent, maintenanceData } from '../management/maintenance-data.ts'
import { type Input, verbCalled } from '../management/management.ts'
import { stopFor } from '../management/refusal-line.ts'
import { noCatalog } from '../management/with-maintenance.ts'
import { showResult, withOutput } from '../output/show-result.ts'
import { refused, wrongUsage } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { amount } from '../transfer/amount.ts'
import { nounCommand } from './noun.ts'

type Flags = Readonly<Record<string, unknown>>

export function repoCommand(): Command {
  return nounCommand('repo', 'manage models, datasets and spaces', [moveStorageCommand()])
}

function moveStorageCommand(): Command {
  const command = new Command('move-storage')
    .description(
      'Moves the content of a repository to another storage. Copies while clients upload, closes uploads (503), copies the rest, compares, and switches; all storage tokens of the repository end then. Must reach the catalogues and the objects of both storages. After an interruption, run it again.',
    )
    .argument('<repository>', 'The repository, such as models/acme/bert.')
    .requiredOption('--to <text>', 'The storage to which its content moves.')
    .option('--source <file>', 'The configuration file of the storage that has the content.')
    .option('--destination <file>', 'The configuration file of the other storage.')
    .option('--cancel', 'End a move that was interrupted; the content stays where it is.')
    .addHelpText('after', teaching)
    .action(move)
  return addManagementFlags(command)
}

const teaching = `
Examples:
  latchkey repo move-storage models/acme/bert --to eu --source home.json --destination eu.json
  latchkey repo move-storage models/acme/bert --to eu --source home.json --cancel

The files have the options data, storageDatabase and objects of each storage.`

const repositoryShape = z.object({
  uid: z.string().transform((uid) => uid as RepositoryUid),
  storage: z.string(),
  movesTo: z.string().optional(),
  movesNumber: z.number().transform(journalNumber).optional(),
  sourceAudience: z.string().optional(),
  targetAudience: z.string().optional(),
})

type Repository = z.output<typeof repositoryShape>

async function move(repository: string, flags: Flags): Promise<void> {
  const { to, source, destination, cancel, ...rest } = flags
  if (typeof source !== 'string')
    throw wrongUsage('--source is missing: it names a configuration file')
  if (cancel !== true && typeof destination !== 'string') {
    throw wrongUsage('--destination is missing: it names a configuration file')
  }
  await withOutput(rest, async (output) => {
    const use = managementFrom(rest, { create: false })
    const run = (words: 'repo show' | 'repo move-storage', input: Input) =>
      use(async (management) => {
        const verb = verbCalled(words)
        const result = await management.run(verb, { repository, ...input })
        if (isRefusal(result)) throw stopFor(result, { words, flags: rest })
        return { result, repository: repositoryShape.parse(result) }
      })
    const { repository: found } = await run('repo show', {})
    const step: Step = async (name, number) =>
      run('repo move-storage', { to, step: name, ...(number && { movesNumber: number }) })
    try {
      const end = await withContent(fileOf(source), (from) =>
        cancel === true
          ? cancelMove(from, found, step)
          : withContent(fileOf(String(destination)), (target, configuration) => {
              const areObjectsShared = configuration.values['objects.directDownloads'] !== true
              const parts = { uid: found.uid, source: from, target, areObjectsShared }
              return moveAll(parts, { found, to: String(to), step })
            }),
      )
      if (end !== undefined) showResult(end, output)
    } catch (error) {
      throw error instanceof MoveFailed ? refused(error.message) : error
    }
  })
}

type Step = (
  name: 'close' | 'switch' | 'cancel',
  number?: number,
) => Promise<{ readonly result: unknown; readonly repository: Repository }>

interface Moving {
  readonly found: Repository
  readonly to: string
  readonly step: Step
}

/** The content is readable at one storage at any moment, and writable at one or none. */
async function moveAll(move: Move, { found, to, step }: Moving): Promise<unknown> {
  // The hub has switched, and an earlier run was interrupted before its last step.
  if (found.storage === to && found.movesTo === undefined) {
    if (!(await isClosed(move)))
      throw new MoveFailed(`The content is on the storage "${to}" already.`)
    await retireContent(move)
    tell(`the content is on the storage ${to}; what is left at the source is marked for deletion`)
    return undefined
  }
  const early = found.movesTo === undefined ? await preparedBytes(move) : 0
  if (early > 0) tell(`copied ${amount(early)}; uploads are closed now`)
  const { repository } = await step('close')
  const { movesNumber, sourceAudience, targetAudience } = repository
  if (movesNumber === undefined) throw new Error('the hub returned no number')
  const wrong =
    (await otherStorage('--source', move.source, sourceAudience)) ??
    (await otherStorage('--destination', move.target, targetAudience))
  if (wrong !== undefined) {
    if (found.movesTo === undefined) await step('cancel')
    throw wrong
  }
  await closeWrites(move, movesNumber)
  await copyContent(move, movesNumber)
  const { result } = await step('switch', movesNumber)
  await retireContent(move)
  tell(`moved to the storage ${to}; uploads go there from now on`)
  return result
}

async function isClosed({ source, uid }: Move): Promise<boolean> {
  return (await source.read(readLinkState)).moving[uid] !== undefined
}

/** A move from the wrong storage would switch to a copy that lacks everything. */
async function otherStorage(
  option: string,
  { read }: Maintenance,
  audience: string | undefined,
): Promise<MoveFailed | undefined> {
  const own = await read(readAudience)
  if (own !== undefined && own === audience) return undefined
  return new MoveFailed(
    `${option}: the storage of this file is at ${own ?? 'no address yet'}, and the hub has it at ${audience || 'no address yet'}. Name the other file; start hub and storages once before a move.`,
  )
}

async function cancelMove(source: Maintenance, found: Repository, step: Step): Promise<unknown> {
  const { result, repository } = await step('cancel')
  const wrong = await otherStorage('--source', source, repository.sourceAudience)
  if (wrong !== undefined) throw wrong
  await openWrites({ source, uid: found.uid })
  tell(`cancelled; uploads go to the storage ${found.storage} again`)
  return result
}

/** Each file says all of its storage. Credentials of databases and object stores may be in their usual variables. */
function fileOf(config: string): Configuration {
  const usual = Object.entries(process.env).filter(([name]) => !name.startsWith('LATCHKEY_'))
  return readConfiguration({ config }, Object.fromEntries(usual))
}

/** The content of a storage that another file configures, without its hub. */
async function withContent<Result>(
  configuration: Configuration,
  work: (maintenance: Maintenance, configuration: Configuration) => Promise<Result>,
): Promise<Result> {
  const data = maintenanceData(configuration)
  if (!hasContent(configuration, data)) throw noCatalog(data)
  const database = await openCatalogOf({ data, ...storageDatabase(configuration) })
  const hub = { link: absentLink(data), names: undefined }
  const { objects } = storageObjects(configuration, data)
  const maintenance = await openMaintenance({ data, database, clock: systemClock, objects, ...hub })
  try {
    return await work(maintenance, configuration)
  } finally {
    await maintenance.objects.close()
    await database.close()
  }
}
