/** `POST /v1/telemetry`: taken, counted by the request's own line, and dropped. */

import type { Handle } from './asked.ts'
import { jsonReply } from './asked.ts'
import { readWhole } from './read-whole.ts'
import { tooLarge } from './refusals.ts'

const mostBytes = 1024 * 1024

export const takeTelemetry: Handle = async ({ body }) => {
  const text = await readWhole(body, mostBytes)
  return text === undefined ? tooLarge('telemetry document', mostBytes) : jsonReply({})
}
