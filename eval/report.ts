// Measures the core and writes what a person reads: `npm run eval [-- --corpus DIR] [-- --update]`.
//
// Without options it measures the project's own set in eval/labels and compares with eval/baseline.json; a number that fell
// fails the run, `--update` takes the new ones. With `--corpus DIR` it measures that folder, which stays where it is: the report
// goes to DIR's neighbour or to `--out DIR`, quotes no sentence and is not compared.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { conflicts, type Gold as Pair, type Named } from './conflicts.ts'
import { built, inputs, native, root, rows, type Predict } from './core.ts'
import { at, curve, interval, precisionAt, type Scored } from './metrics.ts'
import { draw } from './plot.ts'
import { withSecrets } from './secrets.ts'

interface Gold {
  id: string
  sentence: string
  label: 0 | 1 | 'unsure'
  lang: string
  channel?: string
  certainty?: string
  stratum?: string
  type?: string | null
  reason?: string | null
  veto?: string
  repo?: string | null
}
interface Prediction { id: string, write: boolean, score: number, type?: string, reason?: string | null, rule?: string }
interface Judged extends Scored { gold: Gold, prediction: Prediction }

/** The default of `minImportance`. */
const THRESHOLD = 0.6
const TYPES = ['constraint', 'decision', 'pitfall']

const options = process.argv.slice(2)
const valueOf = (name: string): string | undefined => {
  const index = options.indexOf(name)
  return index < 0 ? undefined : options[index + 1]
}
const corpus = valueOf('--corpus')
const own = corpus === undefined
const folder = resolve(corpus ?? join(root, 'eval/labels'))
const out = resolve(valueOf('--out') ?? (own ? join(root, 'eval') : `${folder}-report`))
if (!own && out.startsWith(root)) throw new Error('the report of another corpus does not belong into the repository: --out DIR')

const predict: Predict = options.includes('--native') ? native() : built()
const judged = judge()
const decided = judged.filter(row => row.gold.label !== 'unsure')
const lines: string[] = []
const numbers: Record<string, number> = {}

write()

function judge(): Judged[] {
  const [text = ''] = inputs(join(folder, 'write.jsonl'))
  const filled = own ? withSecrets(text) : text
  const predictions = new Map(rows<Prediction>(predict('write', filled)).map(row => [row.id, row]))
  return rows<Gold>(text).map(gold => {
    const prediction = predictions.get(gold.id) ?? { id: gold.id, write: false, score: 0 }
    return { gold, prediction, score: prediction.score, keep: gold.label === 1, source: gold.repo ?? '' }
  })
}

function write(): void {
  lines.push(`# What the offline judge writes: ${own ? 'the project\'s own set' : basename(folder)}`, '')
  lines.push(own
    ? 'Made by `npm run eval`. The sentences are invented, by hand, in the shape of what people type; the label guide is in `labels/README.md`. They are no sample: read the numbers as a check that nothing broke, not as field precision.'
    : `Figures of an external corpus. It is not part of the project; no sentence of it is quoted here. Weights were fitted to the development half of such a corpus: on that half these are training numbers, and \`eval/fit.ts\` prints the ones that are held out.`)
  lines.push('', `${judged.length} sentences, ${decided.filter(row => row.keep).length} worth keeping, ${decided.filter(row => !row.keep).length} not, ${judged.length - decided.length} unsure (not scored). Default threshold ${THRESHOLD}. Intervals are 95 %, by bootstrap${own ? '' : '; by source they are wider'}.`, '')
  table()
  lines.push('', '![Precision against recall](report.svg)', '')
  judges()
  confusion()
  vetoes()
  sensitivity()
  contradictions()
  if (own) misses()
  if (!own) others()
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'report.md'), `${lines.join('\n')}\n`)
  writeFileSync(join(out, 'report.svg'), draw(views().filter(([name]) => ['all', 'zh', 'en'].includes(name)).map(([name, part]) => ({ name, points: curve(part), band: band(part), mark: at(part, THRESHOLD) }))))
  console.log(lines.join('\n'))
  console.log(`\nwritten: ${join(out, 'report.md')} and report.svg`)
  if (own) compare()
}

function views(): [string, Judged[]][] {
  const by = (key: 'lang' | 'channel' | 'certainty' | 'stratum'): [string, Judged[]][] =>
    [...new Set(decided.map(row => row.gold[key] ?? ''))].filter(value => value !== '').sort()
      .map(value => [value, decided.filter(row => row.gold[key] === value)])
  return [['all', decided], ...by('lang'), ...(own ? [] : [...by('channel'), ...by('certainty'), ...by('stratum')])]
}

function percent(value: number | undefined, range?: [number, number]): string {
  if (value === undefined) return '–'
  return range === undefined ? value.toFixed(2) : `${value.toFixed(2)} [${range[0].toFixed(2)}, ${range[1].toFixed(2)}]`
}

function table(): void {
  lines.push('| | sentences | worth keeping | written | precision | recall | precision at recall 0.40 | false writes per 100 |', '|---|---|---|---|---|---|---|---|')
  for (const [name, part] of views()) {
    const found = at(part, THRESHOLD)
    const precision = interval(part, drawn => at(drawn, THRESHOLD).precision)
    const recall = interval(part, drawn => at(drawn, THRESHOLD).recall)
    lines.push(`| ${name} | ${part.length} | ${part.filter(row => row.keep).length} | ${found.written} | ${percent(found.precision, precision)} | ${percent(found.recall, recall)} | ${percent(precisionAt(part, 0.4))} | ${(100 * (found.written - found.right) / Math.max(1, part.length)).toFixed(1)} |`)
    if (found.precision !== undefined) numbers[`${name} precision`] = found.precision
    if (found.recall !== undefined) numbers[`${name} recall`] = found.recall
  }
  if (!own) {
    const range = interval(decided, drawn => at(drawn, THRESHOLD).precision, true)
    lines.push('', `Precision of all rows, drawing whole sources: ${percent(at(decided, THRESHOLD).precision, range)}.`)
  }
}

/** The band of the 95 % interval of precision along the curve. */
function band(part: Judged[]): { recall: number, low: number, high: number }[] {
  return [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8].flatMap(recall => {
    const range = interval(part, drawn => precisionAt(drawn, recall), false, 200)
    return range === undefined ? [] : [{ recall, low: range[0], high: range[1] }]
  })
}

function judges(): void {
  const screenOnly = decided.map(row => ({ ...row, score: row.prediction.score > 0 ? 1 : 0 }))
  const all = decided.map(row => ({ ...row, score: 1 }))
  lines.push('## By judge', '', '| | precision | recall |', '|---|---|---|')
  for (const [name, part] of [['write everything', all], ['the vetoes alone', screenOnly], ['the offline judge', decided]] as const) {
    const found = at(part, THRESHOLD)
    lines.push(`| ${name} | ${percent(found.precision)} | ${percent(found.recall)} |`)
  }
  const file = join(folder, 'answers.jsonl')
  if (existsSync(file)) {
    const answers = new Map(rows<{ id: string, score: number, judge: string }>(readFileSync(file, 'utf8')).map(row => [row.id, row]))
    const scored = decided.filter(row => answers.has(row.gold.id)).map(row => ({ ...row, score: answers.get(row.gold.id)?.score ?? 0 }))
    const found = at(scored, THRESHOLD)
    lines.push(`| recorded answers (${scored.length}) | ${percent(found.precision)} | ${percent(found.recall)} |`)
  } else {
    lines.push('', 'No recorded answers of another judge stand beside these labels.')
  }
}

function confusion(): void {
  const typed = decided.filter(row => row.keep && TYPES.includes(row.gold.type ?? '') && row.prediction.type !== undefined)
  lines.push('', '## Types', '', 'Rows: as labelled. Columns: as judged, of every sentence worth keeping that no veto took.', '', `| | ${TYPES.join(' | ')} |`, `|---|${TYPES.map(() => '---').join('|')}|`)
  for (const type of TYPES) {
    const row = typed.filter(judged => judged.gold.type === type)
    lines.push(`| ${type} | ${TYPES.map(other => row.filter(judged => judged.prediction.type === other).length).join(' | ')} |`)
  }
  const right = typed.filter(row => row.gold.type === row.prediction.type).length
  lines.push('', `Right: ${right} of ${typed.length}.`)
  if (typed.length > 0) numbers['type accuracy'] = right / typed.length
}

function vetoes(): void {
  lines.push('', '## Vetoes', '', '| reason | rule | hits | of them worth keeping | unsure |', '|---|---|---|---|---|')
  const hit = judged.filter(row => row.prediction.rule !== undefined)
  const keys = [...new Set(hit.map(row => `${row.prediction.reason ?? ''}|${row.prediction.rule ?? ''}`))].sort()
  for (const key of keys) {
    const part = hit.filter(row => `${row.prediction.reason ?? ''}|${row.prediction.rule ?? ''}` === key)
    lines.push(`| ${key.split('|').join(' | ')} | ${part.length} | ${part.filter(row => row.keep).length} | ${part.filter(row => row.gold.label === 'unsure').length} |`)
  }
  const secrets = judged.filter(row => row.gold.reason === 'secret')
  const leaked = secrets.filter(row => row.prediction.write).length
  const refused = judged.filter(row => row.prediction.reason === 'veto:secret' && row.gold.reason !== 'secret').length
  lines.push('', `Secrets written: ${leaked} of ${secrets.length}. Refused as a secret and none: ${refused}.`)
  numbers['secrets kept out'] = secrets.length === 0 ? 1 : 1 - leaked / secrets.length
}

function sensitivity(): void {
  const doubtful = judged.filter(row => row.gold.label === 'unsure')
  const soft = decided.filter(row => row.gold.certainty === 'soft')
  const flipped = decided.map(row => (row.gold.certainty === 'soft' ? { ...row, keep: !row.keep } : row))
  lines.push('', '## If the labels were wrong', '', '| | precision | recall |', '|---|---|---|')
  const cases: [string, Scored[]][] = [
    ['as labelled', decided],
    [`the ${doubtful.length} unsure ones were worth keeping`, [...decided, ...doubtful.map(row => ({ ...row, keep: true }))]],
    [`the ${doubtful.length} unsure ones were not`, [...decided, ...doubtful.map(row => ({ ...row, keep: false }))]],
    ...(soft.length > 0 ? [[`the ${soft.length} on which passes differed were the other way round`, flipped]] as [string, Scored[]][] : []),
    ['one keeper in ten was none (the lowest-scored tenth of what was written)', dropTenth()],
  ]
  for (const [name, part] of cases) {
    const found = at(part, THRESHOLD)
    lines.push(`| ${name} | ${percent(found.precision)} | ${percent(found.recall)} |`)
  }
}

function dropTenth(): Scored[] {
  const written = decided.filter(row => row.keep && row.score >= THRESHOLD).sort((a, b) => a.score - b.score)
  const dropped = new Set(written.slice(0, Math.ceil(written.length / 10)))
  return decided.map(row => (dropped.has(row) ? { ...row, keep: false } : row))
}

function contradictions(): void {
  const file = join(folder, 'conflicts.jsonl')
  if (!existsSync(file)) return
  const text = readFileSync(file, 'utf8')
  const found = conflicts(rows<Pair>(text), rows<Named>(predict('conflicts', text)))
  lines.push('', ...found.lines)
  Object.assign(numbers, found.numbers)
}

function misses(): void {
  const wrong = decided.filter(row => !row.keep && row.score >= THRESHOLD).sort((a, b) => b.score - a.score)
  const missed = decided.filter(row => row.keep && row.score < THRESHOLD).sort((a, b) => a.score - b.score)
  lines.push('', '## The worst twenty', '')
  for (const row of [...wrong, ...missed].slice(0, 20)) {
    lines.push(`- ${row.keep ? 'missed' : 'written'} at ${row.score.toFixed(2)} (${row.gold.type ?? row.gold.reason ?? ''}${row.prediction.rule === undefined ? '' : `, ${row.prediction.rule}`}): ${row.gold.sentence}`)
  }
}

/** The other tasks of a corpus folder, as far as they need no judgement of ours to score. */
function others(): void {
  const file = join(folder, 'failures.jsonl')
  if (existsSync(file)) {
    const texts = rows<{ id: string, group: string, family: string, strict?: boolean }>(readFileSync(file, 'utf8'))
    const found = new Map(rows<{ id: string, signature: string }>(predict('failures', readFileSync(file, 'utf8'))).map(row => [row.id, row.signature]))
    let same = 0
    let pairs = 0
    let crossed = 0
    texts.forEach((a, index) => {
      for (const b of texts.slice(0, index)) {
        const equal = found.get(a.id) === found.get(b.id)
        if (a.group === b.group && a.strict !== false && b.strict !== false) {
          pairs += 1
          same += Number(equal)
        }
        if (a.family !== b.family && equal) crossed += 1
      }
    })
    lines.push('', '## Failures', '', `Pairs of one group that share a signature: ${same} of ${pairs}. Pairs of two families that do: ${crossed}.`)
  }
  lines.push('', `Sessions and retrieval: \`npm run -s predict -- TASK PATH\` gives the corpus scorer's format.`)
}

function compare(): void {
  const file = join(root, 'eval/baseline.json')
  const rounded = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value.toFixed(4))]))
  if (options.includes('--update') || !existsSync(file)) {
    writeFileSync(file, `${JSON.stringify(rounded, null, 2)}\n`)
    console.log('baseline.json updated')
    return
  }
  const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>
  const fell = Object.entries(before).filter(([name, value]) => (rounded[name] ?? 0) < value - 1e-9)
  for (const [name, value] of fell) console.error(`fell: ${name} from ${value} to ${rounded[name] ?? 'nothing'}`)
  if (fell.length > 0) {
    console.error('npm run eval -- --update takes the new numbers, when they are meant')
    process.exitCode = 1
  }
}
