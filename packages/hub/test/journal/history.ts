/** Proves a history: after each step the journal is held against the tables. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StorageName } from '@latchkey/protocol'
import { type Dump, dump } from '@latchkey/testing/hub/dump'
import { replayJournal } from '@latchkey/testing/hub/replay-journal'
import { expect } from 'vitest'
import { masterKeyFile } from '../../src/keys/master-key.ts'
import { noteStorages, storageAddresses } from '../../src/minting/storage-names.ts'
import { type Outcome, openFile, type Running, runStep, type Step } from './steps.ts'

const hourMs = 3_600_000

/** Gives the database as the last step has left it, and how each step ended. */
export async function proveHistory(
  steps: readonly Step[],
): Promise<{ readonly left: Dump; readonly outcomes: readonly Outcome[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-history-'))
  const file = join(folder, 'hub.db')
  // Ahead of the machine's clock, from which a new file takes its first number.
  const clock = { milliseconds: Date.now() + hourMs }
  const store = openFile({ file, clock })
  await noteStorages(
    store.directory,
    storageAddresses({
      casUrl: 'https://cas.example',
      storages: [{ name: 'eu' as StorageName, casUrl: 'https://eu.example' }],
    }),
  )
  const running: Running = { folder, file, clock, store, copied: undefined, shown: [] }
  try {
    return await proveSteps(running, steps)
  } finally {
    running.store.close()
    rmSync(folder, { recursive: true })
  }
}

async function proveSteps(running: Running, steps: readonly Step[]) {
  let left = dump(running.file)
  const used = new Set(entriesOf(left).map(({ number }) => number))
  const secrets = new Set<string>()
  const outcomes: Outcome[] = []
  let isSteady = true
  for (const step of steps) {
    const outcome = await runStep(running, step)
    const before = (step.do === 'put copy back' ? running.copied : undefined) ?? left
    left = dump(running.file)
    const entries = newEntries(before, left)
    expectOutcome(outcome, { before, left, entries })
    expectEpochs({ left, entries })
    expectNumbers({ before, left, entries })
    const { told, held } = replayJournal(left)
    expect(told).toEqual(held)
    isSteady &&= !(step.do === 'move clock' && step.milliseconds < 0)
    for (const { number } of isSteady ? entries : []) {
      expect(used, 'a number is used twice').not.toContain(number)
      used.add(number)
    }
    for (const secret of secretsOf(running, left)) secrets.add(secret)
    const text = JSON.stringify(entries)
    expect(Array.from(secrets).filter((secret) => text.includes(secret))).toEqual([])
    outcomes.push(outcome)
  }
  return { left, outcomes }
}

type Entry = Dump[string][number]

function entriesOf(all: Dump): readonly Entry[] {
  return all['journal'] ?? []
}

/** What was in the journal stays in it. */
function newEntries(before: Dump, after: Dump): readonly Entry[] {
  const { length } = entriesOf(before)
  expect(entriesOf(after).slice(0, length)).toEqual(entriesOf(before))
  return entriesOf(after).slice(length)
}

interface Left {
  readonly before: Dump
  readonly left: Dump
  readonly entries: readonly Entry[]
}

/** A refusal changes nothing, a hub that opens leaves an entry, and otherwise there is no change without an entry, nor an entry without a change. */
function expectOutcome(outcome: Outcome, { before, left, entries }: Left): void {
  if (outcome === 'refused') expect(left).toEqual(before)
  const isChanged = JSON.stringify(directoryIn(before)) !== JSON.stringify(directoryIn(left))
  if (outcome === 'opened') {
    expect(entries).toMatchObject([{ thing: 'hub', did: 'opened' }])
    expect(isChanged).toBe(false)
  } else expect(entries.length > 0).toBe(isChanged)
}

/** A repository that loses a ref gets the transaction's number as its epoch, by one entry. */
function expectEpochs({ left, entries }: Omit<Left, 'before'>): void {
  for (const { uid, epoch } of left['repositories'] ?? []) {
    const own = entries.filter(({ repository_uid }) => repository_uid === uid)
    const losses = own.filter(({ thing, did }) => thing === 'ref' && did === 'deleted')
    if (losses.length === 0) continue
    expect(epoch).toBe(entries[0]?.['number'])
    const told = own.map(({ detail }) => JSON.parse(String(detail)).after?.epoch)
    expect(told.filter((number) => number === epoch)).toHaveLength(1)
  }
}

/** New forks and holders have the number of the transaction's first entry. */
function expectNumbers({ before, left, entries }: Left): void {
  const numbersIn = (all: Dump) => [
    ...(all['refs'] ?? []).map(({ uid, forked_number }) => [uid, forked_number]),
    ...(all['commit_holders'] ?? []).map(({ position, recorded_number: number }) => [
      position,
      number,
    ]),
  ]
  const old = new Set(numbersIn(before).map(([key]) => key))
  const made = numbersIn(left).filter(([key, number]) => !old.has(key) && number !== null)
  for (const [, number] of made) expect(number).toBe(entries[0]?.['number'])
}

/** Every table that has to do with the directory, with its secrets; not the storage's, and not last use. */
function directoryIn(all: Dump): unknown {
  const tables = Object.entries(all).filter(
    ([table]) => !/^(journal|stored_|sqlite_|settings)/.test(table),
  )
  return tables.map(([, rows]) => rows.map(({ last_used_at, ...row }) => row))
}

function secretsOf({ folder, shown }: Running, all: Dump): string[] {
  const hashes = (all['hub_tokens'] ?? []).map((row) => String(row['secret_hash']))
  const sealed = (all['signing_keys'] ?? []).map((row) => String(row['sealed']))
  const key = masterKeyFile(folder)
  const masterKey = existsSync(key) ? [readFileSync(key, 'utf8').trim()] : []
  return [...shown.map((token) => token.slice(3)), ...hashes, ...sealed, ...masterKey]
}
