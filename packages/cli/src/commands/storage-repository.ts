import { asRepositoryUid, formatRepoRef, idPattern, parseRepoRef } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text'
import type { Amount, WantedRepository } from '@latchkey/storage/maintenance'
import type { Command } from 'commander'
import { addConfigurationFlags, addOptionFlags } from '../configuration/flags.ts'
import { wrongUsage } from '../output/stop.ts'
import { tell } from '../output/tell.ts'

export function readWantedRepository(text: string): WantedRepository {
  const repository = idPattern.test(text) ? asRepositoryUid(text) : parseRepoRef(text)
  if (repository !== undefined) return repository
  throw wrongUsage(
    `<repository>: ${quoteGiven(text)} is not allowed; give a repository such as models/acme/bert, or its uid`,
  )
}

/** As the command log keeps it. */
export function wantedText(repository: WantedRepository): string {
  return typeof repository === 'string' ? repository : formatRepoRef(repository)
}

/** A repository without a name that the hub does not have is marked, so that the operator does not look for it there. */
export function shownRepository<Row extends { repository: string; isUnknown?: true }>({
  isUnknown,
  ...row
}: Row) {
  const repository = isUnknown ? `${row.repository} (not at the hub)` : row.repository
  return { ...row, repository }
}

/** The data is always on this machine; the hub is asked where its database is not. */
export function addStorageFlags(command: Command): Command {
  return addOptionFlags(addConfigurationFlags(command, 'manage'), 'maintenance')
}

/** `1 object`, `2 objects`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** `2 (5000 bytes)`. */
export function amountText({ count, bytes }: Amount): string {
  return count === 0 ? '0' : `${count} (${counted(bytes, 'byte')})`
}

/** Why what is shown may not be what the hub has now. */
export function tellCaution(sentence: string | undefined): void {
  if (sentence !== undefined) tell(`latchkey: ${sentence}`)
}
