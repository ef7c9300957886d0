import type { MetricsKit } from '@latchkey/service/observe/metrics'

export interface ForgeMetrics {
  /** The kind of a request is one of a few. */
  answered(kind: string, status: number, seconds: number): void
  watchGit(processes: () => GitProcesses): void
  watchCommits(underWay: () => number): void
}

interface GitProcesses {
  readonly running: number
  readonly waiting: number
  readonly killed: number
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** Registered with the first request: a hub without a forge shows none of them. */
export function forgeMetrics({ counter, histogram, gauge }: MetricsKit): ForgeMetrics {
  let measured: ReturnType<typeof register> | undefined
  const register = () => ({
    requests: counter({
      name: 'latchkey_forge_requests_total',
      help: 'Requests for repositories, by what they ask for and the status of the answer.',
      labelNames: ['kind', 'status'],
    }),
    seconds: histogram({
      name: 'latchkey_forge_request_seconds',
      help: 'Time from a request for a repository to the end of its answer.',
      labelNames: ['kind'],
      buckets,
    }),
  })
  return {
    answered(kind, status, seconds) {
      measured ??= register()
      measured.requests.labels(kind, String(status)).inc()
      measured.seconds.labels(kind).observe(seconds)
    },
    watchCommits(underWay) {
      gauge('latchkey_forge_commits', 'Commits that arrive or are being made now.', underWay)
    },
    watchGit(processes) {
      gauge('latchkey_git_processes', 'Git processes that run.', () => processes().running)
      gauge('latchkey_git_waiting', 'Git commands that wait for a slot.', () => processes().waiting)
      let told = 0
      counter({
        name: 'latchkey_git_killed_total',
        help: 'Git processes that were ended because they took too long.',
        collect() {
          const { killed } = processes()
          this.inc(killed - told)
          told = killed
        },
      })
    },
  }
}
