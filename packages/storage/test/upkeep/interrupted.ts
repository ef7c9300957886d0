/** Upkeep between whose steps something else happens. */

import type { Upkeep } from '../../src/upkeep/upkeep.ts'

/** Every read, every transaction, every question to the hub and every object met, looked into or deleted is a step; `before` is told its number. */
export function withSteps(upkeep: Upkeep, before: (step: number) => Promise<void>): Upkeep {
  const { objects, link } = upkeep
  let step = 0
  const next = () => {
    step += 1
    return before(step)
  }
  return {
    ...upkeep,
    async read(work) {
      await next()
      return upkeep.read(work)
    },
    async change(work) {
      await next()
      return upkeep.change(work)
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
      async remove(key) {
        await next()
        return objects.remove(key)
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
export function cutOffAt(upkeep: Upkeep, at: number): Upkeep {
  return withSteps(upkeep, async (step) => {
    if (step >= at) throw new CutOff()
  })
}

/** Ends when the bytes of the first object are deleted, and no more is on record of it. */
export function cutOffAfterRemoving(upkeep: Upkeep): Upkeep {
  const remove: Upkeep['objects']['remove'] = async (key) => {
    await upkeep.objects.remove(key)
    throw new CutOff()
  }
  return { ...upkeep, objects: { ...upkeep.objects, remove } }
}
