import type { MetricsKit } from '@latchkey/service/observe/metrics'
import type { GitProcesses } from '../git/index.ts'

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

interface Watched {
  readonly git: () => GitProcesses
  /** Commits that arrive or are being made. */
  readonly commits: () => number
}

/** Registers the metrics of the forge. Gives what measures a request when its connection is done with it; its kind is one of a few. */
export function forgeMetrics({ counter, histogram, gauge }: MetricsKit, { git, commits }: Watched) {
  gauge('latchkey_forge_commits', 'Commits in progress.', commits)
  gauge('latchkey_git_processes', 'Git processes that run.', () => git().running)
  gauge('latchkey_git_waiting', 'Git commands that wait for a slot.', () => git().waiting)
  let counted = 0
  counter({
    name: 'latchkey_git_killed_total',
    help: 'Git processes that were ended because they took too long.',
    collect() {
      const { killed } = git()
      this.inc(killed - counted)
      counted = killed
    },
  })
  const requests = counter({
    name: 'latchkey_forge_requests_total',
    help: 'Requests for repositories, by kind and status of the response.',
    labelNames: ['kind', 'status'],
  })
  const duration = histogram({
    name: 'latchkey_forge_request_seconds',
    help: 'Time from a request for a repository to the end of its response.',
    labelNames: ['kind'],
    buckets,
  })
  return (kind: string, status: number, seconds: number): void => {
    requests.labels(kind, String(status)).inc()
    duration.labels(kind).observe(seconds)
  }
}
