/** The steps by which the content of a repository moves to another storage. The one who copies takes them in order. */

import {
  formatRepoRef,
  type JournalNumber,
  type Refusal,
  refuse,
  type StorageName,
} from '@latchkey/protocol'
import { notedAudiences, refuseUnknownStorage } from '../minting/storage-names.ts'
import type { Change } from '../tables/change.ts'
import type { ChangeWork } from '../tables/directory.ts'
import type { RepositoryRow } from '../tables/rows.ts'
import type { Does } from './does.ts'
import { repositoryOutput } from './repositories.ts'
import { findRepositoryRow, noRepository } from './repository-rows.ts'

type Input = Parameters<Does<'repo move-storage'>>[1]

/** Each step may be repeated. A close takes the move over: a switch with an earlier number is refused from then on. */
export const moveRepositoryStorage: Does<'repo move-storage'> = async (work, input) => {
  const { tables, put } = work
  const row = await findRepositoryRow(tables, input.repository)
  if (row === undefined) return noRepository(input.repository)
  const refused = (await refuseUnknownStorage(tables, input.to)) ?? refuseStep(row, input)
  if (refused !== undefined) return refused
  const after = steps[input.step](work, row, input)
  const revoked: Change[] =
    after.storage === row.storage
      ? []
      : [
          {
            thing: 'cut-off',
            cuts: [{ kind: 'repository', id: row.uid }],
            about: { repository: after },
          },
        ]
  await put([{ thing: 'repository', before: row, after }, ...revoked])
  const audiences = await notedAudiences(tables)
  const audienceOf = (name: StorageName) => audiences.get(name) ?? ''
  return {
    ...repositoryOutput(after),
    sourceAudience: audienceOf(row.storage),
    targetAudience: audienceOf(input.to),
  }
}

const steps: Readonly<
  Record<Input['step'], (work: ChangeWork, row: RepositoryRow, input: Input) => RepositoryRow>
> = {
  close: ({ number }, row, { to }) => ({ ...row, moves_to: to, moves_number: number }),
  switch: (_, row, { to }) => ({ ...row, storage: to, moves_to: null, moves_number: null }),
  cancel: (_, row) => ({ ...row, moves_to: null, moves_number: null }),
}

function refuseStep(row: RepositoryRow, { repository, to, step, movesNumber }: Input) {
  const path = formatRepoRef(repository)
  if (step !== 'cancel' && row.storage === to) {
    return conflict(path, `The content of ${path} is on the storage "${to}" already.`)
  }
  if (row.moves_to !== null && row.moves_to !== to) {
    return conflict(path, `The content of ${path} moves to "${row.moves_to}". Cancel that first.`)
  }
  if (step !== 'switch' || row.moves_number === (movesNumber as JournalNumber | undefined)) {
    return undefined
  }
  return conflict(
    path,
    row.moves_number === null
      ? `Uploads to ${path} are not closed. Close them, copy the content, then switch.`
      : `Another run has taken over the move of ${path} since. Let that one finish, or start again.`,
  )
}

function conflict(path: string, detail: string): Refusal {
  return refuse('conflict', detail, { next: ['repo', 'show', path] })
}
