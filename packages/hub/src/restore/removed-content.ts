/** Which repositories of a restored directory lost content after its backup, as the old journal tells it. */

import { chunked } from '../tables/columns.ts'
import type { Directory, Reading } from '../tables/directory.ts'

/** They give a repository a new epoch because content of it was removed; a deleted ref does so under its own verb. */
const removingVerbs = [
  'link raise-epoch',
  'storage forget',
  'storage gc',
  'storage readdress',
  'storage reconcile',
]

/** Their paths, in order. The storage's backup has the content again, and no entry says which content it was. */
export async function findRemovedContent(
  directory: Directory,
  { old, after }: { readonly old: Reading; readonly after: number },
): Promise<readonly string[]> {
  const entries = await old
    .selectFrom('journal')
    .select('repository_uid')
    .distinct()
    .where('number', '>', after)
    .where('thing', '=', 'repository')
    .where('verb', 'in', removingVerbs)
    .execute()
  const uids = entries.flatMap(({ repository_uid }) => repository_uid ?? [])
  const paths: string[] = []
  for (const some of chunked(uids)) {
    const rows = await directory.read((tables) =>
      tables.selectFrom('repositories').select('path').where('uid', 'in', some).execute(),
    )
    paths.push(...rows.map(({ path }) => path))
  }
  return paths.sort()
}
