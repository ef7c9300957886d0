/** How fast is issuing beside what somebody would use instead: other servers, and any one that an address is given of? */

import { type BenchDirectory, hotKeys, pathsOf } from '../issue/directory.ts'
import { type Side, startHubSide, visitSide, warmUpAll } from '../issue/sides.ts'
import { sqliteDirectory } from '../issue/sqlite-directory.ts'
import { pin, serverCore } from '../machine.ts'
import type { Figure, Goal } from '../measure/figure.ts'
import { getRequest } from '../measure/load.ts'
import type { Options, Peer } from '../measure/options.ts'
import { detailsOf, inRounds, ratioOf } from '../measure/rounds.ts'
import { startProcess } from '../measure/start-process.ts'
import type { Part } from '../part.ts'
import { type InstalledPeers, installPeers } from '../peers/install.ts'

const repositories = 100_000
/** The second is as jsonwebtoken's documentation shows it. */
const express = {
  prepared: 'Express, SQLite, jsonwebtoken with a key prepared once',
  text: 'Express, SQLite, jsonwebtoken with its key as PEM text',
}
const oidc = 'oidc-provider, client credentials'
const goals: Readonly<Record<string, Goal>> = {
  [express.prepared]: { atLeast: 5 },
  [express.text]: { atLeast: 5 },
  [oidc]: { atLeast: 5 },
}
const goalOfGiven: Goal = { atLeast: 1.3 }

export const peers: Part = {
  name: 'peers',
  async figures(options) {
    const installed = installPeers()
    const directory = await sqliteDirectory(repositories)
    try {
      return await compare(directory, installed, options)
    } finally {
      await directory.close()
      if (typeof installed !== 'string') installed.remove()
    }
  },
}

async function compare(
  directory: BenchDirectory,
  installed: InstalledPeers | string,
  { rounds = 7, roundMs, peer }: Options,
): Promise<readonly Figure[]> {
  const hub = await startHubSide(directory, 'hot')
  const others =
    typeof installed === 'string'
      ? []
      : [
          await startExpress(installed, directory, 'prepared'),
          await startExpress(installed, directory, 'text'),
          await startOidc(installed),
        ]
  if (peer !== undefined) others.push(givenSide(peer))
  await warmUpAll([hub, ...others], roundMs)
  const measured = await inRounds([hub, ...others], (side) => visitSide(side, roundMs), rounds)
  const own = measured.get(hub) ?? []
  const figures = others.map((other): Figure => {
    const anchors = measured.get(other) ?? []
    const result = ratioOf(own, anchors)
    const goal = goals[other.name] ?? goalOfGiven
    const details = { ...detailsOf(own, anchors), 'its CPU µs': detailsOf(anchors, own)['CPU µs'] }
    return { figure: 'hub, hot keys', anchor: other.name, result, goal, details }
  })
  if (typeof installed !== 'string') return figures
  const absent = Object.entries(goals).map(([anchor, goal]): Figure => {
    return { figure: 'hub, hot keys', anchor, goal, result: { notMeasured: installed } }
  })
  return [...absent, ...figures]
}

/** On the same rows as the hub. */
async function startExpress(
  installed: InstalledPeers,
  directory: BenchDirectory,
  keyForm: keyof typeof express,
): Promise<Side> {
  const file = installed.file('express-server.js')
  const order = { ...directory.order(), keyForm }
  const { pid, ready: port } = await startProcess<number>(file, { order })
  const nextPath = pathsOf(repositories, hotKeys)
  const headers = ['Host: 127.0.0.1', `Authorization: ${directory.authorization}`]
  const request = () => getRequest(nextPath(), headers)
  return { name: express[keyForm], pids: [pid], port, request }
}

async function startOidc(installed: InstalledPeers): Promise<Side> {
  const { pid, ready: port } = await startProcess<number>(installed.file('oidc-server.js'))
  const body = 'grant_type=client_credentials&scope=read'
  const credentials = Buffer.from('bench:bench-secret').toString('base64')
  const request = [
    'POST /token HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Basic ${credentials}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
  return { name: oidc, pids: [pid], port, request: () => request }
}

/** With its process id it shares the core of the hub; without, the ratio is of speeds alone and no round is rejected. */
function givenSide({ url, headers, pid }: Peer): Side {
  const { hostname: host, port, pathname, search } = new URL(url)
  const request = getRequest(pathname + search, [`Host: ${host}`, ...headers])
  const pids = pid === undefined ? [] : [pid]
  for (const each of pids) pin(each, serverCore)
  return { name: url, pids, host, port: Number(port || 80), request: () => request }
}
