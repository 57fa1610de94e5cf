// The whole plugin's budgets: recall, commit, opening, the module. Through the built core and real files.

import { execFileSync } from 'node:child_process'
import { closeSync, fdatasync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, unlinkSync, writeFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Core, Job, Step } from '../../dist/core.js'
import { NodeFiles } from '../../plugin/files.ts'
import { driveSync } from '../../plugin/drive.ts'
import { Host } from '../../plugin/host.ts'
import { type Instance, start } from '../../plugin/instance.ts'
import { corpus } from './corpus.ts'
import type { BenchModule } from './engines.ts'
import { median } from './rank.ts'

/** One figure; without a bar it is only told. `why` says what stands in the way when the bar is missed. */
export interface HouseRow { what: string, at: string, value: number, unit: string, bar?: number, why?: string }

const SCOPE_FOLDER = 'work'

export async function house(root: string, bench: BenchModule, max: number): Promise<HouseRow[]> {
  const rows: HouseRow[] = []
  const first = readFileSync(join(root, 'dist/core_bg.wasm'))
  const rest = readFileSync(join(root, 'dist/core_rest.wasm.gz'))
  const gzipped = gzipSync(first, { level: 9 }).length
  rows.push({ what: 'module that a mount instantiates, after wasm-opt', at: '', value: first.length / 1e3, unit: 'KB', bar: 700, why: 'docs/decisions.md says what was tried' })
  rows.push({ what: 'module that a mount instantiates, gzipped', at: '', value: gzipped / 1e3, unit: 'KB', bar: 250, why: 'as above' })
  rows.push({ what: 'both parts of the module', at: '', value: (first.length + gunzipSync(rest).length) / 1e3, unit: 'KB' })
  rows.push({ what: 'both parts of the module, gzipped', at: '', value: (gzipped + rest.length) / 1e3, unit: 'KB' })
  for (const n of [1_000, 2_000, 10_000, 100_000].filter(n => n <= max)) rows.push(...await opened(root, n, bench))
  return rows
}

/** A fresh instance of the module, as a mount finds it: no function compiled for speed, no memory grown. */
function fresh(root: string): Instance {
  const require = createRequire(import.meta.url)
  const path = join(root, 'dist/core.js')
  Reflect.deleteProperty(require.cache, path)
  const module = require(path) as Instance
  start(module)
  return module
}

/** Opens a folder of `n` memories and measures what a session does there. */
async function opened(root: string, n: number, bench: BenchModule): Promise<HouseRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'jev-bench-'))
  const cwd = join(folder, SCOPE_FOLDER)
  const dataDir = join(folder, 'data')
  const host = new Host(new NodeFiles())
  const at = `${n} memories`
  const rows: HouseRow[] = []
  try {
    mkdirSync(cwd)
    mkdirSync(dataDir, { mode: 0o700 })
    writeFileSync(join(dataDir, 'ledger.jsonl'), ledger(n, line => bench.checksum(line)), { mode: 0o600 })
    const module = fresh(root)
    const make = (): Core => new module.Core({ config: { dataDir, judge: 'heuristic' }, defaultDataDir: dataDir, hostVersion: 'bench' }, host)
    const session = { id: 's-bench', cwd, child: false }
    const mount = (): { core: Core, openMs: number, firstMs: number } => {
      const begin = performance.now()
      const core = make()
      driveSync(core.open() as Job, host)
      const openMs = performance.now() - begin
      driveSync(core.attach(session, 0, 0, undefined) as Job, host)
      core.hear(session.id, 1, context(1))
      core.recall(session.id, 1)
      return { core, openMs, firstMs: performance.now() - begin }
    }
    // The ledger alone, as after the checkpoint was lost.
    const replays = Array.from({ length: 3 }, () => {
      const { core, openMs } = mount()
      core.free()
      return openMs
    })
    rows.push({ what: 'open from the ledger alone, a record', at, value: Math.min(...replays) * 1e3 / n, unit: 'µs' })
    // What a clean close leaves: a checkpoint that holds everything.
    const closing = make()
    driveSync(closing.open() as Job, host)
    if (n === 100_000) rows.push({ what: 'checkpoint, longest hold of the event loop', at, value: await longestHold(closing.close() as Job, host), unit: 'ms', bar: 5, why: 'the last piece and the lists behind the memories are one step' })
    else driveSync(closing.close() as Job, host)
    closing.free()
    const { core } = mount()
    const alone = Array.from({ length: 5 }, () => mountedAlone(root, dataDir, cwd))
    if (n === 1_000) rows.push({ what: 'module, read and instantiated synchronously in a fresh process', at: '', value: median(alone.map(({ startMs }) => startMs)), unit: 'ms', bar: 4 })
    if (n <= 10_000) rows.push({ what: 'mount to first block, cold', at, value: median(alone.map(({ firstMs }) => firstMs)), unit: 'ms', bar: n <= 1_000 ? 20 : 60, why: 'V8 runs code it meets for the first time unoptimised: a third of it goes even with an empty store; the index is not kept on disk, for it would hold what was forgotten' })
    const textBytes = corpus(n, 1).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    rows.push({ what: 'memory of the open store with its index, a record beyond its text', at, value: (median(alone.map(({ grownBytes }) => grownBytes)) - textBytes) / n, unit: 'bytes', bar: 700, why: 'at a thousand records what does not depend on their number, and an index of mostly unique words, are half of it' })
    const warm = Array.from({ length: n > 10_000 ? 3 : 9 }, () => {
      const { core, openMs } = mount()
      core.free()
      return openMs
    })
    rows.push({ what: 'open with its checkpoint, warm, a record', at, value: median(warm) * 1e3 / n, unit: 'µs', bar: 2.2, why: 'at few records what does not depend on their number' })
    if (n > 1_000 && n <= 10_000) {
      const chosen: number[] = []
      const cached: number[] = []
      for (let turn = 2; turn < 200; turn++) {
        core.hear(session.id, turn, context(turn))
        const begin = performance.now()
        core.recall(session.id, turn)
        const middle = performance.now()
        core.recall(session.id, turn)
        cached.push((performance.now() - middle) * 1e3)
        chosen.push(middle - begin)
      }
      rows.push({ what: 'recall, 2 KB in, block out', at, value: median(chosen), unit: 'ms', bar: n <= 2_000 ? 0.15 : 0.4, why: 'half of it is reading two kilobytes into words' })
      rows.push({ what: 'recall, unchanged turn', at, value: median(cached), unit: 'µs', bar: 20 })
    }
    rows.push(...await commits(core, host, session, dataDir, at))
    if (n === 1_000) rows.push(...reading(core, host, session, bench))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return rows
}

interface Alone { startMs: number, firstMs: number, grownBytes: number }

/** Mounts in a process of its own, as a host does: nothing is compiled yet. */
function mountedAlone(root: string, dataDir: string, cwd: string): Alone {
  const entry = join(root, 'eval/bench/mount.ts')
  return JSON.parse(execFileSync(process.execPath, [entry, root, dataDir, cwd, context(1)], { encoding: 'utf8' })) as Alone
}

/** Reading what was said and what failed, up to where the disk is first asked. */
function reading(core: Core, host: Host, session: { id: string, cwd: string, child: boolean }, bench: BenchModule): HouseRow[] {
  const lines = corpus(2_000, 7)
  const said = lines.join('\n')
  const each = Array.from({ length: 9 }, () => {
    const begin = performance.now()
    bench.judge(said)
    return (performance.now() - begin) * 1e3 / lines.length
  })
  let turn = 5_000
  const toDisk = (events: (turn: number) => object[]): number => median(Array.from({ length: 9 }, () => {
    turn++
    const bytes = new TextEncoder().encode(JSON.stringify({ session, turn, readTo: turn * 4 + 4, events: events(turn) }))
    const begin = performance.now()
    const job = core.learn(bytes) as Job
    let step = job.resume(undefined) as Step
    const decided = performance.now() - begin
    while (step.op !== 'done') step = job.resume(host.answerSync(step)) as Step
    return decided
  }))
  const message = Array.from({ length: 5 }, () => said).join('\n')
  const output = `${'compiling module 17 of 240, 3 warnings, nothing to see in this line\n'.repeat(31_000)}error: cannot find module left-pad\n[exit code: 2]`
  return [
    { what: 'screen, judge and gate one sentence', at: '', value: median(each), unit: 'µs', bar: 5, why: 'the scanners for secrets, vetoes and signals read it one after the other, and most of them are compiled for size' },
    { what: `a message of ${message.split('\n').length} lines, to what is kept`, at: '', value: toDisk(turn => [{ kind: 'human', seq: turn * 4, turn, at: 0, text: message }]), unit: 'ms', bar: 30, why: 'as above, for its first 256 lines' },
    {
      what: `${(output.length / (1 << 20)).toFixed(1)} MB of a tool's output, to its signature`, at: '', unit: 'ms', bar: 50,
      value: toDisk(turn => [
        { kind: 'tool-call', seq: turn * 4, turn, callId: 'c', tool: 'bash', arguments: '{}' },
        { kind: 'tool-result', seq: turn * 4 + 1, turn, at: 0, callId: 'c', tool: 'bash', text: output },
      ]),
    },
  ]
}

async function commits(core: Core, host: Host, session: { id: string, cwd: string, child: boolean }, dataDir: string, at: string): Promise<HouseRow[]> {
  const learn: number[] = []
  const commit: number[] = []
  const bare: number[] = []
  const away: number[] = []
  for (let turn = 300; turn < 360; turn++) {
    const text = `以后服务 ${turn} 的端口必须固定用 ${turn + 8_000}。`
    const events = [{ kind: 'human', seq: turn * 2, turn, at: Date.now(), text }]
    const bytes = new TextEncoder().encode(JSON.stringify({ session, turn, readTo: turn * 2 + 1, events }))
    const begin = performance.now()
    const job = core.learn(bytes) as Job
    let step = job.resume(undefined) as Step
    const decided = performance.now() - begin
    const lines = `${JSON.stringify({ text, turn })}\n`.repeat(4)
    // A disk that just synced syncs again faster, so each goes first, second and last as often.
    const ways: [number[], () => void | Promise<void>][] = [
      // What was decided is decided: from here on it is locked, looked at, appended, synced and unlocked.
      [commit, async () => { while (step.op !== 'done') step = job.resume(await host.answer(step, undefined)) as Step }],
      [bare, () => { bareCommit(dataDir, lines) }],
      [away, () => bareCommitAway(dataDir, lines)],
    ]
    for (let i = 0; i < ways.length; i++) {
      const [times, run] = ways[(turn + i) % ways.length] ?? [[], () => {}]
      const from = performance.now()
      await run()
      times.push(performance.now() - from)
    }
    learn.push(decided + (commit.at(-1) ?? NaN))
  }
  return [
    { what: 'turn end without a network judge', at, value: median(learn), unit: 'ms', bar: 5, why: 'at a hundred thousand records, not profiled' },
    { what: 'commit of a turn, over a bare one', at, value: median(commit) / median(bare), unit: '×', bar: 1.2, why: 'the sync waits on the thread pool, so that a busy disk holds up no other session; the rest is the trip into the module and back, and the rows themselves' },
    { what: 'commit of a turn, over a bare one whose sync waits off the event loop, too', at, value: median(commit) / median(away), unit: '×' },
  ]
}

/** Drives a job and returns the longest that one of its steps kept the event loop. */
async function longestHold(job: Job, host: Host): Promise<number> {
  let longest = 0
  let answer: unknown
  for (;;) {
    const begin = performance.now()
    const step = job.resume(answer) as Step
    longest = Math.max(longest, performance.now() - begin)
    if (step.op === 'done') return longest
    answer = await host.answer(step, undefined)
  }
}

/** A lock file, an append, fdatasync, and the lock away: the least a durable commit can do. */
function bareCommit(folder: string, text: string): void {
  const lock = join(folder, 'bench-lock')
  closeSync(openSync(lock, 'wx'))
  const file = openSync(join(folder, 'bench-log'), 'a')
  writeSync(file, text)
  fdatasyncSync(file)
  closeSync(file)
  unlinkSync(lock)
}

/** The same without holding the event loop while the disk syncs. */
async function bareCommitAway(folder: string, text: string): Promise<void> {
  const lock = join(folder, 'bench-lock')
  closeSync(openSync(lock, 'wx'))
  const file = openSync(join(folder, 'bench-log'), 'a')
  writeSync(file, text)
  await new Promise(done => { fdatasync(file, done) })
  closeSync(file)
  unlinkSync(lock)
}

/** Two kilobytes of a message. */
function context(seed: number): string {
  let text = ''
  for (const line of corpus(60, seed)) {
    if (Buffer.byteLength(text) + Buffer.byteLength(line) > 2_048) break
    text += `${line}\n`
  }
  return text
}

/** A ledger of `n` written memories that hold everywhere. */
function ledger(n: number, checksum: (line: string) => string): string {
  const at = 1_790_000_000_000
  const types = ['constraint', 'pitfall', 'decision']
  const rows = corpus(n, 1).map((text, i) => {
    const id = `m-${i.toString(32).padStart(12, '0').replace(/[ilou]/g, 'z')}`
    const memory = {
      id, type: types[i % 3], layer: 'L1_FACT', text, status: 'active', scope: 'global', importance: 0.6 + (i % 40) / 100,
      signals: ['must'], remember: { score: 0.7, by: 'heuristic' }, by: 'human',
      source: { sessionId: 's-old', turn: 1, seq: i, quote: text, at: at + i * 1_000 },
      origin: 'd-bench0000000', revision: 1, createdAt: at, updatedAt: at,
    }
    const row = JSON.stringify({ v: 1, origin: 'd-bench0000000', seq: i + 1, at, tx: i + 1, last: true, kind: 'write', memory }).slice(0, -1)
    return `${row},"sum":"${checksum(row)}"}`
  })
  return `${rows.join('\n')}\n`
}
