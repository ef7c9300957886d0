/** One question to a server, with a deadline: a connection that does not answer is closed. */

import type { Client, QueryConfig, QueryResult } from 'pg'
import { ConnectionLost, endsConnection, NoAnswer } from './postgres-error.ts'

/** One statement for reading, in one round trip outside of a transaction: names of tables need their schema. */
export interface NamedQuery {
  readonly name: string
  readonly text: string
  readonly values?: readonly unknown[]
}

export type QueryAnswer = QueryResult<Record<string, unknown>>

/** Several statements in one text have several answers, which only the caller knows: see `askAll`. */
export async function ask(
  client: Client,
  question: string | QueryConfig,
  deadlineMs: number,
): Promise<QueryAnswer> {
  const [answer] = await askAll(client, question, deadlineMs)
  if (answer === undefined) throw new Error('a question without an answer')
  return answer
}

export async function askAll(
  client: Client,
  question: string | QueryConfig,
  deadlineMs: number,
): Promise<readonly QueryAnswer[]> {
  const timer = setTimeout(() => {
    client.connection.stream.destroy(new NoAnswer(`no answer within ${deadlineMs} ms`))
  }, deadlineMs)
  try {
    // The driver answers several statements with a list, which its types leave out.
    const answer: QueryAnswer | QueryAnswer[] =
      await client.query<Record<string, unknown>>(question)
    return Array.isArray(answer) ? answer : [answer]
  } catch (error) {
    throw error instanceof NoAnswer || endsConnection(error) ? new ConnectionLost(error) : error
  } finally {
    clearTimeout(timer)
  }
}
