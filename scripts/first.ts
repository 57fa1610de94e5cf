// Writes the numbers of the functions that run up to a session's first block, one a line: what the module's first part holds.
//
//   first.ts CORE.js MARKED.wasm RAN.txt      the module as `split mark` wrote it

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Module from '../dist/core.js'
import { driveSync } from '../plugin/drive.ts'
import { NodeFiles } from '../plugin/files.ts'
import { Host } from '../plugin/host.ts'

const [glue = '', marked = '', list = ''] = process.argv.slice(2)
const core = createRequire(import.meta.url)(glue) as typeof Module
const exports = core.initSync({ module: readFileSync(marked) }) as unknown as Record<string, unknown>
// The folders are made by an instance of its own: what the counted one needs, it must find unmade.
const maker = await import(`${pathToFileURL(glue).href}?maker`) as typeof Module
maker.initSync({ module: readFileSync(join(dirname(glue), 'core_bg.wasm')) })
const ran = Object.entries(exports).filter(([name]) => /^ran\d+$/.test(name)).map(([name, global]) => ({ at: Number(name.slice(3)), global: global as { value: number } }))
core.onRest(() => {})
core.loadRest()
const root = { id: 's-root', cwd: '', child: false }

const configs = [
  {},
  { judge: 'heuristic' },
  {
    types: ['constraint', 'pitfall', 'decision'], judge: ['jev', 'heuristic'], minImportance: 0.6, askOnConflict: true, writeTimeoutMs: 2_500,
    recall: { maxTokens: 600, quota: { constraint: 4, pitfall: 3, decision: 2 }, subagents: 'constraint' },
    jev: { model: 'jev-latest', timeoutMs: 2_000 }, normalize: { enabled: false },
  },
]

/** Messages as people begin a turn with: short and long, of words, names, numbers and paths in two languages. */
const messages = [
  '为什么服务端口 8000 被占用了？',
  'Why does the build of `src/index.ts` fail, and which port is it? user_id, OrderService22, PR#4021, v1.2.3 and ~/.config/app.toml',
  Array.from({ length: 40 }, (_, i) => `网关 auth-sync${i} 必须先经过 the shared gateway, and the PostgreSQL migrations need approval before ${i * 17}，日志统一放在 /var/log/app-${i}`).join('\n'),
  'x y z 端口',
]

const folder = mkdtempSync(join(tmpdir(), 'jev-first-'))
try {
  root.cwd = join(folder, 'work')
  mkdirSync(root.cwd)
  lived(join(folder, 'grown'), 200)
  // Ranking goes another way through many records.
  lived(join(folder, 'large'), 2_000)
  cpSync(join(folder, 'grown'), join(folder, 'replayed'), { recursive: true })
  rmSync(join(folder, 'replayed/memory.json'))
  mkdirSync(join(folder, 'empty'))
  for (const name of ['none', 'empty', 'grown', 'large', 'replayed']) for (const config of configs) mount(join(folder, name), config)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
writeFileSync(list, ran.filter(({ global }) => global.value !== 0).map(({ at }) => at).join('\n'))

function open(module: typeof Module, dataDir: string, config: object): { live: Module.Core, host: Host } {
  const host = new Host(new NodeFiles())
  const live = new module.Core({ config: { dataDir, ...config }, defaultDataDir: dataDir, hostVersion: '0.1.0' }, host)
  driveSync(live.open(), host)
  return { live, host }
}

/** What the plugin does from its mount to the requests of two turns, in a session and in a child of it. */
function mount(dataDir: string, config: object): void {
  const { live, host } = open(core, dataDir, config)
  live.health()
  for (const session of [root, { ...root, id: 's-child', child: true }]) {
    driveSync(live.attach(session, 0, 0, undefined), host)
    for (const [turn, said] of messages.entries()) {
      driveSync(live.refresh(), host)
      live.hear(session.id, turn + 1, said)
      live.recall(session.id, turn + 1)
      live.recall(session.id, turn + 1)
    }
  }
  live.readPosition(root.id)
}

/** Leaves a folder as some turns leave one: a checkpoint with records of every kind, and a ledger that goes on behind it. */
function lived(dataDir: string, n: number): void {
  mkdirSync(dataDir, { mode: 0o700 })
  writeFileSync(join(dataDir, 'memory.json'), JSON.stringify({ format: 'dsh-jev-memory', v: 1, origin: 'd-first0000000', seq: 0, offset: 0, link: '', digest: '', memories: records(n) }))
  const turns = [
    '以后提交信息必须用中文。\nNever push to the main branch without a review.\nWe decided to use Postgres for the orders service.',
    '服务端口以后必须固定用 8000，不要再用 3000。',
    '服务端口以后必须固定用 9100。\nFrom now on always run the linter before you commit, until 2030-01-01.',
  ]
  let { live, host } = open(maker, dataDir, { judge: 'heuristic' })
  for (const [i, text] of [...turns, ...turns].entries()) {
    if (i === turns.length) {
      driveSync(live.close(), host);
      ({ live, host } = open(maker, dataDir, { judge: 'heuristic' }))
    }
    driveSync(live.attach(root, 0, 0, undefined), host)
    const turn = i + 1
    const seq = turn * 10
    const events = [
      { kind: 'human', seq, turn, at: 1_790_000_000_000 + seq, text: i < turns.length ? text : `${text} ${i}` },
      { kind: 'tool-call', seq: seq + 1, turn, callId: `c${i}`, tool: 'bash', arguments: '{"command":"make"}' },
      { kind: 'tool-result', seq: seq + 2, turn, at: 0, callId: `c${i}`, tool: 'bash', text: 'error: cannot find module left-pad\n[exit code: 2]' },
    ]
    driveSync(live.learn(new TextEncoder().encode(JSON.stringify({ session: root, turn, readTo: seq + 3, events }))), host)
    live.hear(root.id, turn, text)
    live.recall(root.id, turn)
  }
  driveSync(live.settle(), host)
}

/** Records as a person would add them by hand. */
function records(n: number): object[] {
  const types = ['constraint', 'pitfall', 'decision']
  const texts = ['服务端口固定用 8000', 'The build of `src/index.ts` needs "node" 22', 'never commit to the main branch\twithout a review', '提交信息用中文']
  return Array.from({ length: n }, (_, i) => ({ text: `${texts[i % texts.length] ?? ''} ${i}`, type: types[i % types.length], scope: 'global', importance: (i % 10) / 10, signals: ['must'] }))
}
