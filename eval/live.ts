// Runs a judge that reads N times over a labelled file and reports the least and the most, never one run:
//
//   npm run -s live -- [FILE] [--judge jev|host] [--llm URL] [--endpoint URL] [--repeat N] [--wording FILE] [--record FILE] [--replay FILE]
//
// With `--wording FILE`, JSON of other questions by name, both wordings are asked and stand side by side. Without a key it says so and
// measures the offline judge. FILE is `eval/labels/write.jsonl` where none is given.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { judged, optionsOf, serviceOf, type Service } from './ask.ts'
import { built, root, rows } from './core.ts'
import { at, type Scored } from './metrics.ts'

interface Labelled { id: string, label: 0 | 1 | 'unsure', repo?: string }
interface Predicted { id: string, score: number, fault?: string, model?: string }

const THRESHOLDS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
const REPEAT_MAX = 20

const args = process.argv.slice(2)
const option = optionsOf(args)
const file = args[0] !== undefined && !args[0].startsWith('--') ? args[0] : join(root, 'eval/labels/write.jsonl')
const judge = option('judge') === 'host' ? 'host' : 'jev'
const repeat = Math.min(REPEAT_MAX, Math.max(1, Number(option('repeat') ?? 3)))
const input = readFileSync(file, 'utf8')
const labels = new Map(rows<Labelled>(input).map(row => [row.id, row]))
const predict = built()

const scored = (predictions: string): Scored[] => rows<Predicted>(predictions).flatMap(({ id, score }) => {
  const row = labels.get(id)
  return row === undefined || row.label === 'unsure' ? [] : [{ score, keep: row.label === 1, source: row.repo ?? id }]
})

const shown = (value: number | undefined): string => value === undefined ? '  – ' : value.toFixed(2)
const range = (values: (number | undefined)[]): string => {
  const known = values.filter(value => value !== undefined)
  return known.length === 0 ? '–' : `${shown(Math.min(...known))} to ${shown(Math.max(...known))}`
}

function table(name: string, runs: Scored[][]): void {
  console.log(`\n${name}: ${runs.length} runs, ${runs[0]?.length ?? 0} decided sentences`)
  console.log('threshold | precision | recall | written')
  for (const threshold of THRESHOLDS) {
    const points = runs.map(run => at(run, threshold))
    console.log(`${threshold.toFixed(1)} | ${range(points.map(x => x.precision))} | ${range(points.map(x => x.recall))} | ${range(points.map(x => x.written))}`)
  }
}

async function measure(name: string, service: Service): Promise<void> {
  const runs: Scored[][] = []
  let faults = 0
  const models = new Set<string>()
  for (let n = 0; n < repeat; n++) {
    const { predictions, cost } = await judged(predict, input, service)
    runs.push(scored(predictions))
    for (const row of rows<Predicted>(predictions)) {
      if (row.fault !== undefined) faults += 1
      if (row.model) models.add(row.model)
    }
    console.log(`${name}, run ${n + 1}: ${cost.requests} requests, ${cost.failed} failed, ${cost.inputTokens} tokens in, ${cost.outputTokens} out`)
  }
  table(`${name} (${[...models].join(', ') || service.model})`, runs)
  if (faults > 0) console.log(`${faults} answers were the offline judge's: ${judge} did not answer them`)
}

table('offline judge', [scored(predict('write', input))])
const service = serviceOf(judge, option)
if (!service) console.log(`\n${judge} was not asked: ${judge === 'jev' ? 'there is no key in TYPESAFE_API_KEY' : 'there is no --llm URL'}. The offline judge is all there is to show.`)
else {
  const { wording, ...own } = service
  await measure(`${judge}, our wording`, own)
  if (wording) await measure(`${judge}, the other wording`, { ...own, wording })
}
