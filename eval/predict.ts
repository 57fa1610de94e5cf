// Prints the core's predictions for a corpus file or folder: `npm run -s predict -- TASK PATH [--memories FILE] > pred.jsonl`.
//
// Tasks: write, failures, conflicts, retrieval, sessions. No label is read.

import { readFileSync } from 'node:fs'
import { built, inputs, native } from './core.ts'

const [task, path, ...options] = process.argv.slice(2)
if (task === undefined || path === undefined) throw new Error('npm run -s predict -- TASK PATH [--memories FILE]')
const predict = options.includes('--native') ? native() : built()
const file = options[options.indexOf('--memories') + 1]
const memories = options.includes('--memories') && file !== undefined ? readFileSync(file, 'utf8') : ''
for (const input of inputs(path)) process.stdout.write(predict(task, input, memories))
