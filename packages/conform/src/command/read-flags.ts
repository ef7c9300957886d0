import { readFile } from 'node:fs/promises'
import { messageOf } from '../run-checks.ts'
import { unavailable } from './conform-stop.ts'
import type { ConformFlags } from './options.ts'

export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw unavailable(`${file} cannot be read: ${messageOf(error)}`)
  }
}

export function textOf(flags: ConformFlags, key: string): string | undefined {
  const value = flags[key]
  return typeof value === 'string' ? value : undefined
}

export function listOf(flags: ConformFlags, key: string): readonly string[] {
  const value = flags[key]
  return Array.isArray(value) ? value : []
}
