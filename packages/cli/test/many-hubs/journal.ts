/** The journal as the database has it after noon. */

import type { Site } from './site.ts'

export interface Entry {
  readonly number: number
  readonly previous: number
  /** Unix milliseconds. */
  readonly at: number
  readonly account: string
  readonly narrows: boolean
  readonly requestId: string
  readonly verb: string
}

export async function readJournal({ sql }: Site): Promise<readonly Entry[]> {
  const rows = await sql(
    'select number, previous, at_milliseconds, account, narrows, request_id, verb from latchkey_hub.journal order by number',
  )
  return rows.split('\n').map((row) => {
    const [number, previous, at, account = '', narrows, requestId = '', verb = ''] = row.split('|')
    return {
      ...{ number: Number(number), previous: Number(previous), at: Number(at) },
      ...{ account, narrows: narrows === 't', requestId, verb },
    }
  })
}
