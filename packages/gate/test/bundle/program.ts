/** A program that judges the vectors of a file with the bundle. */

import { readFileSync } from 'node:fs'
import * as gate from '@latchkey/gate/bundle'
import { judgeVectors } from './judge-vectors.ts'

const [, , file = ''] = process.argv
console.log(JSON.stringify(await judgeVectors(gate, JSON.parse(readFileSync(file, 'utf8')))))
