/** Every check there is, in the order of their lines. */

import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { repositories } from '@latchkey/forge/checks'
import {
  database,
  clock as databaseClock,
  dataDirectory,
  durability,
  identityProviders,
  journal,
  knownServer,
  masterKey,
  notifications,
  rights,
  rollback,
  schema,
  server,
  signingKeys,
  staleness,
  storages,
  teamGroups,
} from '@latchkey/hub/checks'
import {
  type Check,
  type Finding,
  goodFinding,
  skippedFinding,
  spanOf,
  warningFinding,
  wrongFinding,
} from '@latchkey/service/checks'
import { bucket, catalogue, contentFolders, following, objectStore } from '@latchkey/storage/checks'
import manifest from '../../package.json' with { type: 'json' }
import { warningsAbout } from '../configuration/hub-settings.ts'
import { warningsAboutStorage, warningsWithoutStorage } from '../configuration/storage-settings.ts'
import { amount } from '../transfer/amount.ts'
import type { Installation } from './basis/installation.ts'
import { forge, storage } from './companion.ts'
import { linkedForge } from './linked-forge.ts'
import { linkedStorage } from './linked-storage.ts'
import { storageAddress } from './storage-address.ts'

/** Whether the hub runs, is ready, and is of this program's version. */
const hub: Check<Installation> = {
  name: 'hub',
  async run(installation) {
    const answer = await installation.hub()
    switch (answer.kind) {
      case 'unknown address':
        return [skippedFinding('not checked, because each start uses another port (0)')]
      case 'away':
        return [warningFinding(`no process listens at ${answer.url}`, 'Start it: latchkey serve')]
      case 'silent':
        return [
          wrongFinding(
            `${answer.url} does not respond: ${answer.reason}`,
            'Look at the log of the hub, and whether its process is stopped or overloaded.',
          ),
        ]
      case 'stranger':
        return [
          wrongFinding(
            `the program at ${answer.url} is not a hub`,
            'Another program has the port: end it, or choose another with --port.',
          ),
        ]
      case 'answers':
        return [readiness(answer), ...otherVersion(answer)]
    }
  },
}

interface Answer {
  readonly url: string
  readonly isReady: boolean
  readonly detail: string | undefined
  readonly version: string | undefined
}

function readiness({ url, isReady, detail, version }: Answer): Finding {
  if (isReady) return goodFinding(`${url} is ready, version ${version ?? 'unknown'}`)
  const reason = detail === undefined ? '' : `: ${detail}`
  return wrongFinding(`${url} responds, but is not ready${reason}`, 'Its log says why.')
}

function otherVersion({ url, version }: Answer): readonly Finding[] {
  if (version === undefined || version === manifest.version) return []
  return [
    warningFinding(
      `${url} has version ${version}, and this command ${manifest.version}`,
      'Restart the hub after an upgrade, or run the command of its version.',
    ),
  ]
}

/** An upload needs room for a xorb of 64 MiB, and a change of the directory for the log of its database. */
const minBytes = 128 * 1024 * 1024

/** Time to act before uploads are refused. */
const fewBytes = 1024 * 1024 * 1024

/** Whether the disks of the data have room for what comes next. */
const disk: Check<Installation> = {
  name: 'disk',
  async run({ settings: { data }, file }) {
    const folders = [data, ...contentFolders(data), ...(file === '' ? [] : [dirname(file)])]
    const there = folders.filter((folder) => existsSync(folder))
    // One line for each disk, whatever lies on it.
    const byDevice = new Map(there.toReversed().map((folder) => [statSync(folder).dev, folder]))
    if (byDevice.size === 0) return [skippedFinding(`not checked, because there is no ${data} yet`)]
    return [...byDevice.values()].toReversed().map(roomFor)
  },
}

function roomFor(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const found = `${amount(free)} are free for ${folder}`
  const todo = `Free some space, or move the data to a larger disk; "latchkey storage gc" finds unreferenced content.`
  if (free < minBytes) return wrongFinding(`${found}: uploads and changes fail`, todo)
  return free < fewBytes ? warningFinding(found, todo) : goodFinding(found)
}

/** Whether the settings mean what an operator wants; that they can be read is known when a check runs. */
const configuration: Check<Installation> = {
  name: 'configuration',
  async run({ configuration, settings, storage }) {
    const warnings = [
      ...warningsAbout(settings),
      ...(storage === undefined
        ? warningsWithoutStorage(configuration)
        : warningsAboutStorage(storage)),
    ]
    const { publicUrl, casUrl } = settings
    const read = goodFinding(`tokens are issued by ${publicUrl}, for the storage at ${casUrl}`)
    return [
      read,
      ...warnings.map((line) => warningFinding(line, todo)),
      ...configuration.warnings.map((line) => warningFinding(line, shut)),
    ]
  },
}

const todo = 'Change the setting, unless this is intended (docs/reference/configuration.md).'
const shut =
  'Run chmod 600 on it, unless the folder is shut to other users or the only user here is the hub, as in a container.'

/** Whether the hub and this machine agree about the time. */
const clock: Check<Installation> = {
  name: 'clock',
  async run({ hub, leewaySeconds: bound }) {
    const answer = await hub()
    if (answer.kind !== 'answers' || answer.aheadMs === undefined) return []
    const { aheadMs } = answer
    if (Math.abs(aheadMs) <= bound * 1000) {
      return [goodFinding(`the hub and this machine are less than ${bound} s apart`)]
    }
    const where = aheadMs > 0 ? 'ahead of' : 'behind'
    return [
      wrongFinding(
        `the hub is ${spanOf(aheadMs)} ${where} this machine`,
        `Correct the wrong clock, and keep both on NTP: beyond ${bound} s (leewaySeconds) tokens are rejected.`,
      ),
    ]
  },
}

export const checks: readonly Check<Installation>[] = [
  configuration,
  dataDirectory,
  disk,
  database,
  server,
  schema,
  rights,
  durability,
  notifications,
  knownServer,
  staleness,
  masterKey,
  signingKeys,
  journal,
  rollback,
  hub,
  clock,
  databaseClock,
  storages,
  identityProviders,
  teamGroups,
  storage,
  storageAddress,
  linkedStorage,
  catalogue,
  bucket,
  objectStore,
  following,
  forge,
  linkedForge,
  repositories,
]
