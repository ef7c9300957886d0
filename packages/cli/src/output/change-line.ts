/** An entry of the journal as a line for people: who did what to what, and what is different now. */

import type { JournalEntry } from '@latchkey/admin-api'
import { escapeText } from '@latchkey/service/text'
import { colours } from './colours.ts'
import { cell } from './table.ts'

export function changeLine(entry: JournalEntry): string {
  const { number, at, verb, thing, did, narrows } = entry
  const time = at.replace(/\.\d+Z$/, 'Z')
  const subject = thing === 'cut-off' ? 'storage tokens' : thing
  const what = `${subject} ${did} ${nameOf(entry)}`.trimEnd() + valuesOf(entry)
  const line = [number, time, actorOf(entry).padEnd(14), verb.padEnd(19), what].join('  ')
  const mark = narrows ? colours(process.stdout).red('  (narrows access)') : ''
  return `${escapeText(line)}${mark}\n`
}

/** An entry that no person has caused has no actor. */
function actorOf({ actor: { account, user } }: JournalEntry): string {
  return account ?? (user === undefined ? '–' : `${user} (command)`)
}

function nameOf({ repository, namespace, account, ref, hubToken, ...images }: JournalEntry) {
  if (ref !== undefined) return `${repository}@${ref}`
  const { name, kid, prefix } = { ...images.before, ...images.after }
  if (hubToken !== undefined) return `${account}/${name ?? hubToken}`
  const owners = [repository ?? namespace, account].filter((owner) => owner !== undefined)
  return owners.join('/') || `${kid ?? prefix ?? ''}`
}

/** `: visibility public -> private`; of something new, what kind of thing it is. */
function valuesOf({ thing, did, before = {}, after = {} }: JournalEntry): string {
  const isChanged = did === 'changed' && Object.keys(after).length > 0
  if (isChanged) return `: ${changesIn(before, after).join(', ')}`
  if (thing === 'cut-off') return `: ${cutsIn(after['cuts'])}`
  const kinds = did === 'created' ? kindsIn(after) : []
  return kinds.length === 0 ? '' : `: ${kinds.join(', ')}`
}

type Image = Readonly<Record<string, unknown>>

function kindsIn({ role, visibility, kind, administrator }: Image): string[] {
  const kinds = [role, visibility, kind, administrator === true ? 'administrator' : undefined]
  return kinds.filter((value) => value !== undefined).map(short)
}

/**
 * The kinds of ids that are revoked, such as `by token id (3), by hub token`; the journal keeps
 * only the length of a long list.
 */
function cutsIn(cuts: unknown): string {
  if (!Array.isArray(cuts)) return `${Object(cuts).length} revocation entries`
  const kinds = Map.groupBy(cuts, (cut) => String(Object(cut).kind))
  return Array.from(kinds, ([kind, { length }]) => {
    const count = kind === 'token' || length > 1 ? ` (${length})` : ''
    return `${cutBy.get(kind) ?? `by ${kind}`}${count}`
  }).join(', ')
}

/** Kinds whose names differ from those that people use. */
const cutBy: ReadonlyMap<string, string> = new Map([
  ['token', 'by token id'],
  ['hub-token', 'by hub token'],
  ['account+repository', 'by account in a repository'],
  ['account+namespace', 'by account in a namespace'],
  ['all', 'all until then'],
])

function changesIn(before: Image, after: Image): string[] {
  const isDifferent = (key: string) => JSON.stringify(before[key]) !== JSON.stringify(after[key])
  return Object.keys(after)
    .filter(isDifferent)
    .map((key) => `${key === 'role' ? '' : `${key} `}${short(before[key])} -> ${short(after[key])}`)
}

const maxValueLength = 60

/** The beginning of a hash is enough to recognise it. */
function short(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  const text = cell(value).replace(/\b([0-9a-f]{12})[0-9a-f]{28,}\b/g, '$1')
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text
}
