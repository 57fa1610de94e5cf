// The smoke form of `live.ts`: twenty sentences, eight to keep and twelve not. Offline without a key; `WP_REPEAT=N` asks N times.
//
//   npm run -s write-precision [-- --judge host --llm URL]
//   npm run -s write-precision -- --ledger FOLDER     thresholds swept over the `remember` rows of a ledger, without asking again

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { judged, optionsOf, serviceOf } from './ask.ts'
import { built, rows } from './core.ts'

const KEEP = [
  '以后所有接口都要带超时参数，默认五秒。',
  '数据目录只读，任何脚本都不许写进去。',
  '我们定了用 Kotlin 写后端，不再用 Java。',
  '这个驱动在容器里会卡死，必须加 --no-sandbox。',
  'From now on every migration needs a rollback script.',
  'Never commit files from the build folder.',
  'We use Poetry for dependencies, not pip.',
  'The emulator hangs on ARM unless the cache is off.',
]
const LEAVE = [
  '先把登录页的按钮改成蓝色。',
  '这个报错是什么意思？',
  '好的，继续。',
  '刚才的测试已经跑过了，都过了。',
  '把上面那段日志贴到这里我看看。',
  '这次先不用管样式。',
  'Rename the helper to loadUser.',
  'Can you explain what this function does?',
  'Looks good, thanks.',
  'The tests passed on my machine just now.',
  'Add a column for the phone number to the form.',
  'Let me check the logs first.',
]
const REPEAT_MAX = 20

const option = optionsOf(process.argv.slice(2))
const ledger = option('ledger')
if (ledger !== undefined) sweep(ledger)
else await smoke()

interface Predicted { id: string, write: boolean, by?: string }

async function smoke(): Promise<void> {
  const predict = built()
  const sentences = [...KEEP.map(text => ({ text, keep: true })), ...LEAVE.map(text => ({ text, keep: false }))]
  const input = sentences.map(({ text }, at) => JSON.stringify({ id: String(at), sentence: text })).join('\n')
  const judge = option('judge') === 'host' ? 'host' : 'jev'
  const service = serviceOf(judge, option)
  if (!service) console.log(`${judge} was not asked: ${judge === 'jev' ? 'there is no key in TYPESAFE_API_KEY' : 'there is no --llm URL'}. This is the offline judge.`)
  const runs = service ? Math.min(REPEAT_MAX, Math.max(1, Number(process.env.WP_REPEAT ?? 1))) : 1
  const results: { right: number, wrong: number }[] = []
  for (let run = 0; run < runs; run++) {
    const predictions = rows<Predicted>(service ? (await judged(predict, input, service)).predictions : predict('write', input))
    let right = 0
    let wrong = 0
    for (const { id, write } of predictions) {
      const sentence = sentences[Number(id)]
      if (!sentence || sentence.keep === write) { if (write) right += 1; continue }
      if (write) wrong += 1
      console.log(`  ${write ? 'kept, and should not be' : 'not kept, and should be'}: ${sentence.text}`)
    }
    results.push({ right, wrong })
  }
  const range = (values: number[]): string => `${Math.min(...values)} to ${Math.max(...values)}`
  console.log(`kept ${range(results.map(x => x.right))} of ${KEEP.length}, and ${range(results.map(x => x.wrong))} of ${LEAVE.length} wrongly, in ${runs} run${runs === 1 ? '' : 's'}`)
}

interface Row { kind: string, by?: string, model?: string, score?: number }

/** What each threshold would have admitted of what was judged. Nobody is asked. */
function sweep(folder: string): void {
  if (!existsSync(folder)) throw new Error(`there is no folder ${folder}`)
  const names = readdirSync(folder).filter(name => /^ledger.*\.jsonl$/.test(name)).sort()
  const remembered = names.flatMap(name => readFileSync(join(folder, name), 'utf8').split('\n')).flatMap(line => {
    try { return [JSON.parse(line) as Row] } catch { return [] }
  }).filter(({ kind }) => kind === 'remember')
  const judges = new Set(remembered.map(({ by, model }) => `${by ?? ''} ${model ?? ''}`.trim()))
  for (const judge of judges) {
    const scores = remembered.filter(({ by, model }) => `${by ?? ''} ${model ?? ''}`.trim() === judge).map(({ score }) => score ?? 0)
    console.log(`${judge}: ${scores.length} judged`)
    for (let threshold = 0.1; threshold < 0.95; threshold += 0.1) console.log(`  from ${threshold.toFixed(1)} on: ${scores.filter(score => score >= threshold).length} kept`)
  }
  if (judges.size === 0) console.log('no sentence was judged in this ledger yet')
}
