/** A database of a test file's own, opened as services open theirs. */

import {
  openPostgres,
  type PostgresOptions,
  readPostgresSettings,
} from '@latchkey/service/postgres'
import { onTestFinished } from 'vitest'

/** The settings of an address alone, whatever the environment of the tests has. */
export function settingsOf(url: string) {
  return readPostgresSettings(url, { environment: {}, home: '/nonexistent' })
}

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
