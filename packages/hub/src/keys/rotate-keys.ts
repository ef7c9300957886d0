/** Takes the steps of the rotation that are due, in one transaction: of several hubs on one database, one acts. */

import { isRefusal, type Refusal, type UnixSeconds } from '@latchkey/protocol'
import type { Change, Origin, Put } from '../tables/change.ts'
import type { Directory } from '../tables/directory.ts'
import { dueStep, type Schedule, type Step } from './due-step.ts'
import { inStates } from './key-state.ts'
import type { MakeKey, SealedRow } from './seal.ts'
import { type StoredKey, storedKeys } from './stored-keys.ts'

interface StepsTaking {
  readonly directory: Directory
  readonly makeKey: MakeKey
  readonly origin: Origin
}

/** Gives what was done; a refusal has changed nothing. */
export async function takeDueSteps(
  { directory, makeKey, origin }: StepsTaking,
  schedule: Schedule,
): Promise<readonly Step[] | Refusal> {
  // Most times nothing is due, and no other writer has to wait.
  const keysBefore = await directory.read(storedKeys)
  if (dueStep(keysBefore, schedule) === undefined) return []
  return directory.change(async ({ tables, putAs }) => {
    const steps: Step[] = []
    let keys = await storedKeys(tables)
    for (;;) {
      const step = dueStep(keys, schedule)
      if (step === undefined) return steps
      const after = await takeStep(step, { keys, makeKey, put: putAs(origin), ...schedule })
      if (isRefusal(after)) return after
      keys = after
      steps.push(step)
    }
  })
}

interface StepWork {
  readonly keys: readonly StoredKey[]
  readonly makeKey: MakeKey
  readonly put: Put
  readonly now: UnixSeconds
  readonly lifetimes: Schedule['lifetimes']
}

/** Gives the rows as they are afterwards. */
export async function takeStep(
  step: Step,
  { keys, makeKey, put, now, lifetimes }: StepWork,
): Promise<readonly StoredKey[] | Refusal> {
  if (step.do !== 'publish') return putAll(put, keys, changesOf(step, keys, now))
  const made = await makeKey(step.alg, keys)
  if (isRefusal(made)) return made
  const row = newRow(step, { made, now, lifetime: maxLifetime(step, keys, lifetimes) })
  return putAll(put, keys, [{ after: row }])
}

interface RowChange {
  readonly before?: StoredKey
  readonly after?: StoredKey
}

function changesOf(
  step: Exclude<Step, { readonly do: 'publish' }>,
  keys: readonly StoredKey[],
  now: UnixSeconds,
): readonly RowChange[] {
  const key = keys.find(({ kid }) => kid === step.kid)
  if (key === undefined) throw new Error('a step is about a key that is not there')
  switch (step.do) {
    case 'activate': {
      const { signing } = inStates(keys, key.purpose)
      const retires = signing && { before: signing, after: { ...signing, retired_at: now } }
      const begins = { before: key, after: { ...key, activated_at: now } }
      return retires === undefined ? [begins] : [begins, retires]
    }
    case 'remove':
      return [{ before: key }]
    case 'raise lifetime':
      return [{ before: key, after: { ...key, max_lifetime: step.seconds } }]
  }
}

function newRow(
  { purpose, activatesAt }: Extract<Step, { readonly do: 'publish' }>,
  {
    made,
    now,
    lifetime,
  }: { readonly made: SealedRow; readonly now: UnixSeconds; readonly lifetime: number },
): StoredKey {
  return {
    ...made,
    purpose,
    created_at: now,
    activates_at: activatesAt ?? now,
    activated_at: activatesAt === undefined ? now : null,
    retired_at: null,
    max_lifetime: lifetime,
  }
}

/** Another hub may sign for longer than this one, and has said so in the keys that there are. */
function maxLifetime(
  { purpose }: Extract<Step, { readonly do: 'publish' }>,
  keys: readonly StoredKey[],
  lifetimes: Schedule['lifetimes'],
): number {
  const storedLifetimes = inStates(keys, purpose).all.map((key) => key.max_lifetime)
  return Math.max(lifetimes[purpose], ...storedLifetimes)
}

async function putAll(
  put: Put,
  keys: readonly StoredKey[],
  changes: readonly RowChange[],
): Promise<readonly StoredKey[]> {
  await put(changes.map((change): Change => ({ thing: 'key', ...change })))
  const changeOf = ({ kid }: StoredKey) => changes.find(({ before }) => before?.kid === kid)
  const remaining = keys.flatMap((key) => {
    const change = changeOf(key)
    return change === undefined ? key : (change.after ?? [])
  })
  const made = changes.flatMap(({ before, after }) => (before === undefined ? (after ?? []) : []))
  return [...remaining, ...made]
}
