/** Checks as balancers and orchestrators make them: again and again, each on a connection of its own. */

import { get } from 'node:http'

export interface Check {
  readonly path: string
  /** 0 without an answer. */
  readonly status: number
  readonly milliseconds: number
}

const everyMs = 250

/** The function that is given back ends them, and waits for those under way. */
export function keepChecking(base: string): () => Promise<readonly Check[]> {
  const checks: Promise<Check>[] = []
  const timer = setInterval(() => {
    checks.push(check(`${base}/healthz`), check(`${base}/readyz`))
  }, everyMs)
  return () => {
    clearInterval(timer)
    return Promise.all(checks)
  }
}

function check(url: string): Promise<Check> {
  const sentAt = performance.now()
  return new Promise((resolve) => {
    const over = (status = 0) =>
      resolve({ path: new URL(url).pathname, status, milliseconds: performance.now() - sentAt })
    get(url, { agent: false }, (response) => {
      response.resume().on('end', () => over(response.statusCode))
    }).on('error', () => over())
  })
}
