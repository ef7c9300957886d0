/** Hidden repositories are answered as absent ones, on every route that there is. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { everyRoute, ofNoRepository, type RouteQuestion, routesOfTables } from './every-route.ts'
import { type Answer, type ForgeWorld, startForge, type Who } from './forge-world.ts'

/** Of the same length, so that the lengths of bodies can be compared. */
const [hidden, absent] = ['hidden', 'absent']

// conformance: Forge / Hidden and absent repositories get the same response
test('every route of the tables is asked, and none that is not in them', () => {
  const asked = everyRoute({ name: hidden }).map(({ route }) => route)
  expect(asked.toSorted()).toEqual(routesOfTables().toSorted())
})

describe.skipIf(!isGitThere)('a hub that hides private repositories', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge({ hidePrivateRepositories: true })
    await world.create(hidden)
    await world.commit(hidden, { 'a.txt': 'a' })
  })
  afterAll(() => world?.stopped())

  /** A connection is kept where the body has arrived before the answer, which is chance. */
  const ofChance = ['date', 'x-request-id', 'connection', 'keep-alive']
  /** All that tells one answer from another. */
  const shownBy = ({ status, headers, text }: Answer, name: string) => ({
    status,
    headers: [...headers].filter(([header]) => !ofChance.includes(header)),
    body: text.replaceAll(name, '…').replaceAll(/"requestId":"[^"]*"/g, '"requestId":"…"'),
  })
  const answersFor = async (name: string, as: Who | undefined) => {
    const questions = everyRoute({ name }).filter(({ route }) => !ofNoRepository.includes(route))
    const ask = async ({ route, path, asking }: RouteQuestion) => {
      let answer = await world.ask(path, { ...asking, as })
      // A hub without a free core refuses requests as overloaded, whatever they ask.
      while (answer.status === 503 && answer.headers.has('retry-after')) {
        answer = await world.ask(path, { ...asking, as })
      }
      return { route, ...shownBy(answer, name) }
    }
    // A hub that has too many requests at once refuses some of them.
    const answers = []
    for (let at = 0; at < questions.length; at += 20) {
      answers.push(...(await Promise.all(questions.slice(at, at + 20).map(ask))))
    }
    return answers
  }

  test.each<[who: string, as: Who | undefined]>([
    ['a stranger', 'stranger'],
    ['a caller without a hub token', undefined],
  ])('tells %s nothing apart: status, headers and body', async (_, as) => {
    const answers = await answersFor(hidden, as)
    expect(answers.filter(({ status }) => status < 400)).toEqual([])
    expect(answers).toEqual(await answersFor(absent, as))
  })

  test.each(['/api/models?author=acme', '/api/models', '/api/settings/repositories'])(
    'names no hidden repository in the list %s',
    async (path) => {
      const answer = await world.ask(path, { as: 'stranger' })
      expect(answer.status).not.toBe(500)
      expect(answer.text).not.toContain(`acme/${hidden}`)
    },
  )
})
