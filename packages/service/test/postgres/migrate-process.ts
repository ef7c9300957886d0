/** A process that migrates a database and says what it did: `node migrate-process.ts URL JSON`. */

import { migratePostgres } from '@latchkey/service/postgres'
import { settingsOf } from './settings-of.ts'

const [url = '', migrations = '[]'] = process.argv.slice(2)

console.log(
  JSON.stringify(
    await migratePostgres({
      settings: settingsOf(url),
      schema: 'latchkey_test',
      migrations: JSON.parse(migrations),
    }),
  ),
)
