import type { Change } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { Tables } from '../tables/directory.ts'

/** Deletes sealed tokens of providers, so that no renewal uses them, and takes back approvals that no device has used. */
export async function forget(tables: Tables, changes: readonly Change[]): Promise<void> {
  const people = changes.filter((change) => change.thing === 'provider-token')
  const codes = changes.filter((change) => change.thing === 'approval')
  for (const some of chunked(people, peoplePerStatement)) {
    await tables
      .deleteFrom('provider_tokens')
      .where(({ and, eb, or }) =>
        or(
          some.map(({ issuer, subject }) =>
            and([eb('issuer', '=', issuer), eb('subject', '=', subject)]),
          ),
        ),
      )
      .execute()
  }
  for (const some of chunked(codes)) {
    await tables
      .updateTable('device_codes')
      .set({ account_id: null })
      .where(
        'code_hash',
        'in',
        some.map(({ codeHash }) => codeHash),
      )
      .where('used_at', 'is', null)
      .execute()
  }
}

/** SQLite limits how deep a condition nests. */
const peoplePerStatement = 100
