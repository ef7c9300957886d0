/** Keeps revocation entries in a text that several processes share, so that none is lost with a process or a rollback of the hub. */

import type { Clock, UnixSeconds } from '@latchkey/protocol'
import { endOfCutOff, readRevocationList, writeRevocationList } from '@latchkey/token'
import type { EntryKeeper, KeptEntries, KeptEntry } from './kept-entries.ts'

/** A text that changes only from the version that was read. */
export interface SharedText {
  read(): Promise<{ readonly text: string; readonly version: string } | undefined>
  /** `false`: it has another version meanwhile. */
  write(text: string, version: string | 'new'): Promise<boolean>
}

/** Each of so many other storages may write once between a reading and a writing. */
const attempts = 20

export function entryKeeper(shared: SharedText, clock: Clock): EntryKeeper {
  return {
    async keep(entries) {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const stored = await shared.read()
        const before = stored === undefined ? new Map<string, KeptEntry>() : entriesIn(stored.text)
        const all = withoutOver(merged(before, entries), clock())
        const text = textOf(all)
        if (text === (stored?.text ?? textOf(new Map()))) return all
        if (await shared.write(text, stored?.version ?? 'new')) return all
      }
      throw new Error('the kept revocation entries change too often to be written')
    },
  }
}

/** The higher number ends more tokens. */
function merged(one: KeptEntries, other: KeptEntries): KeptEntries {
  const all = new Map(one)
  for (const [hash, entry] of other) {
    if (entry.number > (all.get(hash)?.number ?? -1)) all.set(hash, entry)
  }
  return all
}

function withoutOver(entries: KeptEntries, now: UnixSeconds): KeptEntries {
  return new Map([...entries].filter(([, { number }]) => endOfCutOff(number) > now))
}

/** A list of the form that hubs publish for each key that has signed some. The same entries always are the same text. */
function textOf(entries: KeptEntries): string {
  const byKey = Map.groupBy(entries, ([, { kid }]) => kid)
  const lists = [...byKey].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const encoded = lists.map(([kid, some]) => {
    const list = new Map(some.map(([hash, { number }]) => [hash, number]))
    return [kid, writeRevocationList(list).toString('base64')] as const
  })
  return `${JSON.stringify({ lists: Object.fromEntries(encoded) })}\n`
}

function entriesIn(text: string): Map<string, KeptEntry> {
  const entries = new Map<string, KeptEntry>()
  for (const [kid, encoded] of Object.entries(listsIn(text))) {
    const list = readRevocationList(Buffer.from(String(encoded), 'base64'))
    if (list === undefined) throw damaged()
    for (const [hash, number] of list) entries.set(hash, { number, kid })
  }
  return entries
}

function listsIn(text: string): object {
  try {
    const { lists } = Object(JSON.parse(text))
    if (typeof lists === 'object' && lists !== null) return lists
  } catch {
    // Told like any other text that is none.
  }
  throw damaged()
}

function damaged(): Error {
  return new Error(
    'the text with the kept revocation entries (revocations.json in a bucket) is damaged. Restore it; or remove it, if no token was revoked in the last two days',
  )
}
