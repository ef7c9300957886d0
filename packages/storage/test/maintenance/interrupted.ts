/** Maintenance between whose steps something else happens. */

import type { Maintenance } from '../../src/maintenance/maintenance.ts'

/** Every read, every transaction, every question to the hub and every object met, looked into or deleted is a step; `before` is told its number. */
export function withSteps(
  maintenance: Maintenance,
  before: (step: number) => Promise<void>,
): Maintenance {
  const { objects, link } = maintenance
  let step = 0
  const next = () => {
    step += 1
    return before(step)
  }
  return {
    ...maintenance,
    async read(work) {
      await next()
      return maintenance.read(work)
    },
    async change(work) {
      await next()
      return maintenance.change(work)
    },
    link: {
      ...link,
      async changes(question) {
        await next()
        return link.changes(question)
      },
      async raiseEpochs(repositories) {
        await next()
        return link.raiseEpochs(repositories)
      },
      async findUnknown(uids) {
        await next()
        return link.findUnknown(uids)
      },
    },
    objects: {
      ...objects,
      async *list() {
        for await (const object of objects.list()) {
          await next()
          yield object
        }
      },
      async table(key) {
        await next()
        return objects.table(key)
      },
      async removeMany(keys) {
        for (const key of keys) {
          await next()
          await objects.remove(key)
        }
      },
      async sweepDrafts(...asked) {
        await next()
        return objects.sweepDrafts(...asked)
      },
    },
  }
}

export class CutOff extends Error {}

/** What is committed or removed stays so, and nothing else happens. */
export function cutOffAt(maintenance: Maintenance, at: number): Maintenance {
  return withSteps(maintenance, async (step) => {
    if (step >= at) throw new CutOff()
  })
}

/** Ends when the bytes of the first object are deleted, and no more is on record of it. */
export function cutOffAfterRemoving(maintenance: Maintenance): Maintenance {
  const removeMany: Maintenance['objects']['removeMany'] = async (keys) => {
    await maintenance.objects.removeMany(keys.slice(0, 1))
    throw new CutOff()
  }
  return { ...maintenance, objects: { ...maintenance.objects, removeMany } }
}
