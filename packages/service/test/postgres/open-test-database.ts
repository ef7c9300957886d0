/** A database of a test file's own, opened as services open theirs. */

import { openPostgres, type PostgresOptions } from '@latchkey/service/postgres'
import { onTestFinished } from 'vitest'
import { settingsOf } from './settings-of.ts'

export async function openUntilEnd<Schema>(
  url: string,
  options: Partial<Omit<PostgresOptions, 'settings'>> = {},
) {
  const database = await openPostgres<Schema>({
    settings: settingsOf(url),
    schema: 'public',
    ...options,
  })
  onTestFinished(() => database.close())
  return database
}
