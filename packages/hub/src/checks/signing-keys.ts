/** Whether there is a key of each use that signs, and the rotation takes its steps in time. */

import {
  type Check,
  type Finding,
  goodFinding,
  skippedFinding,
  spanOf,
  warningFinding,
  wrongFinding,
} from '@latchkey/service/checks'
import { nextOf } from '../keys/due-step.ts'
import { inStates, keyPurposes } from '../keys/key-state.ts'
import { findMasterKey, openEveryKey } from '../keys/seal.ts'
import { type StoredKey, storedKeys } from '../keys/stored-keys.ts'
import { type HubInstallation, withStore } from './with-store.ts'

/** A running hub looks every minute which step is due. */
const lateSeconds = 300

const secondsPerDay = 86_400

export const signingKeys: Check<HubInstallation> = {
  name: 'signing keys',
  run(installation) {
    const { settings, nowMs } = installation
    return withStore(installation, async (read) => {
      const keys = await read(storedKeys)
      if (keys.length === 0)
        return [skippedFinding('there are none yet: the first start makes them')]
      const isRunning = await installation.isRunning()
      const rotationSeconds = settings.keys.rotationDays * secondsPerDay
      const rotation = { keys, rotationSeconds, nowMs: nowMs(), isRunning }
      return [
        ...keyPurposes.map((purpose) => signerOf(purpose, rotation)),
        ...keys.flatMap((key) => lateStep(key, rotation)),
      ]
    })
  },
}

interface Rotation {
  readonly keys: readonly StoredKey[]
  readonly rotationSeconds: number
  readonly nowMs: number
  readonly isRunning: boolean
}

const uses = { tokens: 'storage tokens', revocations: 'revocations' } as const

function signerOf(purpose: keyof typeof uses, rotation: Rotation): Finding {
  const { keys, rotationSeconds, nowMs } = rotation
  const { signing } = inStates(keys, purpose)
  if (signing === undefined) return noSigner(uses[purpose], rotation)
  const next = nextOf(signing, keys, rotationSeconds)
  const then =
    next === undefined
      ? 'until "latchkey keys rotate"'
      : `${next.next} ${when(next.at * 1000 - nowMs)}`
  return goodFinding(`${shortOf(signing)} signs ${uses[purpose]}; ${then}`)
}

function noSigner(what: string, { isRunning }: Rotation): Finding {
  const found = `no key signs ${what}`
  return isRunning
    ? wrongFinding(
        found,
        'Restart the hub, which makes one; its log says why it has not (keys_not_rotated).',
      )
    : warningFinding(found, 'The next start of the hub makes one.')
}

/** Enough to find it in "latchkey keys list". */
function shortOf({ kid }: StoredKey): string {
  return `${kid.slice(0, 8)}…`
}

function when(milliseconds: number): string {
  return milliseconds < 0 ? 'now' : `in ${spanOf(milliseconds)}`
}

function lateStep(
  key: StoredKey,
  { keys, rotationSeconds, nowMs, isRunning }: Rotation,
): readonly Finding[] {
  const next = nextOf(key, keys, rotationSeconds)
  if (next === undefined || next.at + lateSeconds > nowMs / 1000) return []
  const found = `a step is due since ${spanOf(nowMs - next.at * 1000)}: ${shortOf(key)} ${next.next}`
  return isRunning
    ? [
        wrongFinding(
          found,
          'The hub runs and has not taken it: its log says why (keys_not_rotated).',
        ),
      ]
    : [warningFinding(found, 'The next start of the hub takes it.')]
}

export const masterKey: Check<HubInstallation> = {
  name: 'master key',
  run(installation) {
    const { data, masterKey } = installation.settings
    return withStore(installation, async (read) => {
      const rows = await read(storedKeys)
      // To look for a master key where it opens nothing would make one.
      if (rows.length === 0)
        return [skippedFinding('nothing to open yet: the first start makes the keys')]
      const key = masterKey ?? (await findMasterKey(data, rows))
      await openEveryKey(rows, key)
      const where = masterKey === undefined ? 'the data directory' : 'the environment'
      return [goodFinding(`the one of ${where} opens each of the ${rows.length} signing keys`)]
    })
  },
}
