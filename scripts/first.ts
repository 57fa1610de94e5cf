// Writes the numbers of the functions that run up to a session's first block, one a line: what the module's first part holds.
//
//   first.ts CORE.js MARKED.wasm RAN.txt      the module as `split mark` wrote it

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as Module from '../dist/core.js'
import { driveSync } from '../plugin/drive.ts'
import { NodeFiles } from '../plugin/files.ts'
import { Host } from '../plugin/host.ts'

const [glue = '', marked = '', list = ''] = process.argv.slice(2)
const core = createRequire(import.meta.url)(glue) as typeof Module
const exports = core.initSync({ module: readFileSync(marked) }) as unknown as Record<string, unknown>
const ran = Object.entries(exports).filter(([name]) => /^ran\d+$/.test(name)).map(([name, global]) => ({ at: Number(name.slice(3)), global: global as { value: number } }))
core.onRest(() => {})
core.loadRest()

const folder = mkdtempSync(join(tmpdir(), 'jev-first-'))
try {
  mkdirSync(join(folder, 'work'))
  mkdirSync(join(folder, 'data'), { mode: 0o700 })
  write(join(folder, 'data/memory.json'))
  // The first mount reads the file as one edited by hand, and leaves it as the plugin writes it: none of that is counted.
  const counted = ran.map(({ global }) => global.value)
  mount('data', 0)
  ran.forEach(({ global }, i) => { global.value = counted[i] ?? 0 })
  mount('none', 0)
  for (let turn = 1; turn <= 3; turn++) mount('data', turn)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
writeFileSync(list, ran.filter(({ global }) => global.value !== 0).map(({ at }) => at).join('\n'))

/** What the plugin does from its mount to the request of a step, in a session and in a child of it. Turn 0 leaves its writing behind. */
function mount(data: string, turn: number): void {
  const dataDir = join(folder, data)
  const host = new Host(new NodeFiles())
  const live = new core.Core({ config: { dataDir, judge: 'heuristic', recall: { maxTokens: 600 }, types: ['constraint', 'pitfall', 'decision'] }, defaultDataDir: dataDir, hostVersion: '0.1.0' }, host)
  driveSync(live.open(), host)
  if (turn === 0) return void driveSync(live.close(), host)
  live.health()
  for (const session of [{ id: 's-root', cwd: join(folder, 'work'), child: false }, { id: 's-child', cwd: folder, child: true }]) {
    driveSync(live.attach(session, 0, 0, turn === 2 ? 'text' : undefined), host)
    for (const said of ['为什么服务端口被占用了？', 'Why does the build of `src/index.ts` fail, and which port is it?']) {
      driveSync(live.refresh(), host)
      live.hear(session.id, turn, said)
      live.recall(session.id, turn)
      live.recall(session.id, turn)
    }
  }
  live.readPosition('s-root')
}

/** A store of some hundred memories, as a person would write it by hand. */
function write(path: string): void {
  const types = ['constraint', 'pitfall', 'decision']
  const texts = ['服务端口固定用 8000', 'The build of `src/index.ts` needs "node" 22', 'never commit to the main branch\nwithout a review', '提交信息用中文']
  const memories = Array.from({ length: 400 }, (_, i) => ({ text: `${texts[i % texts.length] ?? ''} ${i}`, type: types[i % types.length], scope: 'global', importance: (i % 10) / 10 }))
  writeFileSync(path, JSON.stringify({ format: 'dsh-jev-memory', v: 1, origin: 'd-first0000000', seq: 0, offset: 0, link: '', digest: '', memories }))
}
