/** Gathers what arrives within a quarter of a second, so that any number of reports is one transaction. */

import { setTimeout as delay } from 'node:timers/promises'

export const windowMs = 250

export type Wait = (milliseconds: number) => Promise<unknown>

export interface Committing<Post> {
  /** Called for one window at a time. */
  readonly commit: (posts: readonly Post[]) => Promise<void>
  readonly onFailure: (error: unknown) => void
  readonly wait?: Wait
}

export type JoinWindow<Post> = (post: Post) => Promise<'committed' | 'failed'>

interface Window<Post> {
  readonly posts: Post[]
  readonly answered: ReturnType<JoinWindow<Post>>
}

/**
 * A window is answered a whole number of quarters after it was opened, whether it had anything to write or not: so the
 * time of an answer does not tell which tokens were alive.
 */
export function commitWindows<Post>(committing: Committing<Post>): JoinWindow<Post> {
  const { commit, onFailure, wait = delay } = committing
  let open: Window<Post> | undefined
  let last: Promise<void> = Promise.resolve()

  const begin = (): Window<Post> => {
    const posts: Post[] = []
    const answer = async () => {
      await Promise.all([wait(windowMs), last])
      open = undefined
      let outcome: 'committed' | 'failed' | undefined
      last = commit(posts).then(
        () => {
          outcome = 'committed'
        },
        (error) => {
          outcome = 'failed'
          onFailure(error)
        },
      )
      do await wait(windowMs)
      while (outcome === undefined)
      return outcome
    }
    return { posts, answered: answer() }
  }
  return (post) => {
    open ??= begin()
    open.posts.push(post)
    return open.answered
  }
}
