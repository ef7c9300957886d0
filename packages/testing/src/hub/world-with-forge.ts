/** A world whose hub has a forge: both in this process, and the forge asks its hub over HTTP as everywhere. */

import { type ForgeSettings, type ForgeSurroundings, startForge } from '@latchkey/forge'
import type { RunningHub } from '@latchkey/hub'
import type { StatusSource } from '@latchkey/service/http/operations-routes'
import { type SettingsChange, startOfTime } from './hub-settings.ts'
import { startWorld, type World } from './world.ts'

/** What a test gives to a forge. */
export type ForgeChange = Pick<ForgeSettings, 'data'> &
  Partial<Pick<ForgeSettings, 'gitProgram' | 'gitBounds' | 'bounds' | 'bodyLimits' | 'publicUrl'>>

/** Both measure their process, which is the same one here. */
const ofTheForge = /^(?:# \w+ )?latchkey_.*\n/gm

export interface ForgeHere extends StatusSource {
  /** For the hub: where its forge is. */
  readonly place: { url(): string | undefined }
  start(hub: Pick<RunningHub, 'url' | 'embedded'>): Promise<void>
  stop(): Promise<void>
}

/** A forge that starts once its hub runs. */
export function forgeHere(change: ForgeChange, overrides: Partial<ForgeSurroundings>): ForgeHere {
  let running: Awaited<ReturnType<typeof startForge>> | undefined
  return {
    place: { url: () => running?.url },
    isReady: async () => running?.isReady() ?? false,
    async metricsText() {
      const text = (await running?.metrics.text()) ?? ''
      return (text.match(ofTheForge) ?? []).join('')
    },
    async start({ url: hubUrl, embedded }) {
      const settings: ForgeSettings = {
        ...{ host: '127.0.0.1', port: 0, publicUrl: 'https://hub.example' },
        hub: { hubUrl, credential: embedded.forge, allowPlainHttp: true },
        ...{ allowedHosts: [], trustedProxies: ['127.0.0.1'], limits: { connections: 10_000 } },
        ...{ log: { level: 'error' }, stopDeadlineSeconds: 5, ...change },
      }
      running = await startForge(settings, overrides)
    },
    async stop() {
      const stopping = running
      running = undefined
      await stopping?.stop()
    },
  }
}

export async function startWorldWithForge(
  file: object,
  change: SettingsChange,
  forge: ForgeChange,
  overrides: Partial<ForgeSurroundings> = {},
): Promise<World> {
  let world: World | undefined
  const clock = () => world?.now() ?? startOfTime
  const logLines: string[] = []
  const lines = { write: (line: string) => logLines.push(line), async close() {} }
  const beside = forgeHere(forge, { clock, lines, ...overrides })
  world = await startWorld(file, change, {
    forge: beside.place,
    companions: { forge: beside },
    logLines,
  })
  const running = world
  try {
    await beside.start(running.hub)
  } catch (error) {
    await running.close()
    throw error
  }
  const close = async () => {
    await beside.stop()
    await running.close()
  }
  return { ...running, close }
}
