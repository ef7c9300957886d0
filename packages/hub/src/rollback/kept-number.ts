/**
 * Keeps the journal's last number in the data directory, outside the database. A copy of the database that somebody puts
 * back has a lower number: so the hub notices that changes were lost.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJournalNumber, type JournalNumber, turns } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { replaceFile } from '@latchkey/service/machine/files'
import { findHead } from '../journal/read-journal.ts'
import type { Store } from '../stores/store.ts'
import { findLoss } from './find-loss.ts'

export function keptNumberFile(data: string): string {
  return join(data, 'journal-number')
}

/** Undefined where no hub has kept one yet, or something else has written to the file. */
export function readKeptNumber(data: string): JournalNumber | undefined {
  try {
    const text = readFileSync(keptNumberFile(data), 'utf8')
    const number = /^[1-9]\d{0,14}\n$/.test(text) ? Number(text) : undefined
    return isJournalNumber(number) ? number : undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // The start says later, in its own words, that the data directory cannot be used.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new CannotStart(
      `${keptNumberFile(data)} cannot be read (${code}). The hub keeps the last number of its journal in it. Give the file to this user.`,
    )
  }
}

export function writeKeptNumber(data: string, number: number): Promise<void> {
  return replaceFile(keptNumberFile(data), `${number}\n`)
}

/** For a command that has changed the directory. After a rollback the number stays, so that the next hub notices it. */
export async function noteLastNumber(data: string, { readBeside }: Store): Promise<void> {
  const savedNumber = readKeptNumber(data)
  const number = await readBeside(async (tables) => {
    const isLost = savedNumber !== undefined && (await findLoss(tables, savedNumber)) !== undefined
    return isLost ? undefined : (await findHead(tables)).number
  })
  if (number !== undefined && number > (savedNumber ?? 0)) await writeKeptNumber(data, number)
}

interface NumberKeeping {
  readonly data: string
  readonly store: Pick<Store, 'access'>
  /** Called once until the file can be written again. */
  readonly onFailure: (error: unknown) => void
}

/** A change is in the file after so long, at the latest. */
const intervalMs = 1000

/** Gives the function that ends it, once the last number is written. */
export function keepNumber({ data, store, onFailure }: NumberKeeping): () => Promise<void> {
  let written: number | undefined
  const inTurn = turns()
  let isFailing = false
  const look = async () => {
    const number = numberOf(store)
    if (number === undefined || number === written) return
    try {
      await writeKeptNumber(data, number)
      written = number
      isFailing = false
    } catch (error) {
      if (!isFailing) onFailure(error)
      isFailing = true
    }
  }
  const next = () => inTurn(look)
  const timer = setInterval(next, intervalMs).unref()
  return () => {
    clearInterval(timer)
    return next()
  }
}

/** Undefined while the database is unavailable. */
function numberOf({ access }: Pick<Store, 'access'>): JournalNumber | undefined {
  try {
    return access.version().number
  } catch {
    return undefined
  }
}
