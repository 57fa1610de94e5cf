// Measures and reports. Started by scripts/bench.mjs: main.ts BENCH_MODULE_FOLDER NATIVE_PROGRAM [--json] [--only rank|house] [--max N]

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BenchModule } from './engines.ts'
import { house } from './house.ts'
import { rankAt } from './rank.ts'
import { markdown, missed, plot, type Report } from './report.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [folder = '', native = '', ...options] = process.argv.slice(2)
const json = options.includes('--json')
const option = (name: string): string | undefined => options[options.indexOf(name) + 1] ?? undefined
const only = options.includes('--only') ? option('--only') : undefined
const max = options.includes('--max') ? Number(option('--max')) : 100_000

const module = createRequire(import.meta.url)(join(folder, 'core.js')) as BenchModule
module.initSync({ module: readFileSync(join(folder, 'core_bg.wasm')) })
const say = (text: string): void => { if (!json) process.stderr.write(`${text}\n`) }
const report: Report = {
  machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.versions.node}`,
  date: new Date().toISOString().slice(0, 10),
  rank: [],
  house: [],
}
if (only !== 'house') {
  for (const n of [100, 1_000, 10_000, 100_000].filter(n => n <= max)) {
    say(`bench: ranking at ${n}`)
    report.rank.push(rankAt(n, module, native || undefined))
  }
}
if (only !== 'rank') {
  say('bench: the whole')
  report.house.push(...await house(root, module, max))
}
if (json) {
  console.log(JSON.stringify({ ...report, missed: missed(report) }, null, 2))
} else {
  const text = markdown(report)
  console.log(text)
  if (only === undefined && max >= 100_000) {
    writeFileSync(join(root, 'docs/bench.md'), text)
    writeFileSync(join(root, 'docs/bench.svg'), await plot(report))
  }
}
