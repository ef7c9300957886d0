import { describe, expect, it } from 'vitest'
import { exitCodes, refused, Stop } from '../../src/output/stop.ts'
import { downloadWords, stoppedLine, withKept } from '../../src/upload/result-words.ts'

const target = { repo: 'models/acme/bert', revision: 'main' }

describe('the command that downloads an upload', () => {
  it('goes into a new folder, so that it replaces nothing', () => {
    expect(downloadWords(target, 'bert.manifest.json', {})).toBe(
      'latchkey download models/acme/bert@main --manifest bert.manifest.json -o bert-downloaded',
    )
  })

  it('asks the same hub, and can be pasted whatever is in its words', () => {
    const hub = 'http://127.0.0.1:8080'
    const flags = { hub, allowPlainHttp: true, caCert: 'ca.pem', json: true, config: "a'b" }
    expect(downloadWords(target, '../my files.json', flags)).toBe(
      "latchkey download models/acme/bert@main --manifest '../my files.json' -o 'my files-downloaded' --config 'a'\\''b' --hub http://127.0.0.1:8080 --allow-plain-http --ca-cert ca.pem",
    )
    expect(downloadWords(target, '$(x).json', { allowPlainHttp: false })).toContain(
      "--manifest '$(x).json' -o '$(x)-downloaded' --no-allow-plain-http",
    )
  })
})

describe('an upload that ends too early', () => {
  it('tells what was kept, and how it goes on', () => {
    expect(stoppedLine(67_100_000)).toBe(
      'stopped: the storage has saved 67.1 MB of this run; run the same command to continue',
    )
    expect(stoppedLine(0)).toBe(
      'stopped: no new data is saved yet; run the same command to continue',
    )
  })

  it('tells it after a failure too, with the same exit code', () => {
    const told = withKept(refused('no'), 1000)
    expect(told).toBeInstanceOf(Stop)
    expect(told).toMatchObject({
      exitCode: exitCodes.refused,
      message: 'no; the storage has saved 1.0 kB of this run; run the same command to continue',
    })
    expect(withKept(refused('no'), 0)).toMatchObject({ message: 'no' })
    const bug = new TypeError('bug')
    expect(withKept(bug, 1000)).toBe(bug)
  })
})
