// Prints the core's predictions for a corpus file or folder: `npm run -s predict -- TASK PATH [OPTIONS] > pred.jsonl`.
//
// Tasks: write, failures, conflicts, retrieval, sessions. No label is read.
//
//   --memories FILE                       what `retrieval` searches
//   --judge host --llm URL [--model M]    `write` by any OpenAI-shaped service; its key, where it needs one, in LLM_API_KEY
//   --judge jev [--endpoint URL]          `write` by Jev; its key in TYPESAFE_API_KEY
//   --record FILE, --replay FILE          keeps requests with their answers, and answers from them without asking

import { readFileSync } from 'node:fs'
import { judged, optionsOf, serviceOf } from './ask.ts'
import { built, inputs, native } from './core.ts'

const [task, path, ...options] = process.argv.slice(2)
if (task === undefined || path === undefined) throw new Error('npm run -s predict -- TASK PATH [--memories FILE] [--judge host --llm URL]')
const option = optionsOf(options)
const predict = options.includes('--native') ? native() : built()
const memories = option('memories')
const judge = option('judge')
for (const input of inputs(path)) {
  if (task !== 'write' || judge === undefined || judge === 'heuristic') {
    process.stdout.write(predict(task, input, memories === undefined ? '' : readFileSync(memories, 'utf8')))
    continue
  }
  if (judge !== 'host' && judge !== 'jev') throw new Error(`--judge takes heuristic, host or jev, not ${judge}`)
  const service = serviceOf(judge, option)
  if (!service) throw new Error(judge === 'host' ? '--judge host needs --llm URL or --replay FILE' : '--judge jev needs TYPESAFE_API_KEY, --endpoint URL or --replay FILE')
  const { predictions, cost } = await judged(predict, input, service)
  process.stdout.write(predictions)
  process.stderr.write(`${cost.requests} requests, ${cost.failed} failed, ${cost.inputTokens} tokens in, ${cost.outputTokens} out\n`)
}
