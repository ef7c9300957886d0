/** A migration in the command log, where there is one: the owner of the tables may have no data directory on this machine. */

import { existsSync } from 'node:fs'

export async function recordMigration<Result>(
  data: string,
  target: Readonly<Record<string, string>>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!existsSync(data)) return work()
  const { recordCommand } = await import('./command-log.ts')
  return recordCommand(data, { verb: 'migrate', target: () => target, work })
}
