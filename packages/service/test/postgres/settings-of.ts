/** The settings of an address alone, whatever the environment of the tests has. */

import { readPostgresSettings } from '@latchkey/service/postgres'

export function settingsOf(url: string) {
  return readPostgresSettings(url, { environment: {}, home: '/nonexistent' })
}
