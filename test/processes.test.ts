import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { scratch } from './host/home.ts'
import type { Said } from './store/worker.mjs'

const WORKER = fileURLToPath(new URL('./store/worker.mjs', import.meta.url))
/** The default `writeTimeoutMs`, and what a loaded machine may add before a timer is served. */
const BUDGET_MS = 2_500
const LATE_MS = 1_500

const KILLS = 300
/** How long to go on killing, for `npm run soak`. */
const KILL_MS = Number(process.env.KILL_SECONDS ?? 0) * 1_000
/** Half a minute on an idle machine of two cores; this bounds a busy one. */
const KILLS_MAX_MS = 120_000
/** Processes that run at once: more than cores, for some wait for the lock while others start. */
const LANES = 4

type Kept = Extract<Said, { said: 'kept' }>

/** One process over a data folder, and everything it said. */
class Worker {
  readonly said: Said[] = []
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  stderr = ''

  constructor(folder: string, name: string, count: number, kind: 'turn' | 'note' | 'wait' = 'turn', shell = '') {
    const args = [WORKER, folder, name, String(count), kind]
    this.child = shell
      ? spawn('/bin/sh', ['-c', `${shell}; exec "$0" "$@"`, process.execPath, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
      : spawn(process.execPath, args, { stdio: [kind === 'wait' ? 'pipe' : 'ignore', 'pipe', 'pipe'] })
    this.child.stderr?.on('data', (bytes: Buffer) => { this.stderr += bytes.toString() })
    const lines = this.child.stdout && createInterface(this.child.stdout)
    lines?.on('line', line => { this.said.push(JSON.parse(line) as Said) })
    this.ended = new Promise(resolve => { this.child.on('close', resolve) })
  }

  /** Settles when it has said such a thing. */
  async says(isIt: (said: Said) => boolean): Promise<void> {
    while (!this.said.some(isIt)) await new Promise(resolve => { this.child.stdout?.once('data', () => { setImmediate(resolve) }) })
  }

  get kept(): Kept[] { return this.said.filter(said => said.said === 'kept') }
}

/** The state as the next process finds it, and as it writes it down. */
async function state(folder: string): Promise<{ memories: number, checkpoint: string }> {
  const reader = new Worker(folder, 'reader', -1, 'wait')
  reader.child.stdin?.end()
  assert.equal(await reader.ended, 0, reader.stderr)
  const end = reader.said.at(-1)
  assert.equal(end?.said, 'end')
  return { memories: end.memories, checkpoint: readFileSync(join(folder, 'memory.json'), 'utf8') }
}

interface LedgerRow { seq: number, tx: number, last?: boolean, origin: string, kind: string, detail?: string, memory?: { id: string, text: string } }

/** Every row of every segment, as a stranger reads them; the order of the file. */
function rows(folder: string): LedgerRow[] {
  const names = readdirSync(folder).filter(name => /^ledger\..*jsonl$/.test(name)).sort((a, b) => a.length === b.length ? a.localeCompare(b) : b.length - a.length)
  return names.flatMap(name => {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n')
    assert.equal(lines.pop(), '', `${name} ends in the middle of a line`)
    return lines.map(line => JSON.parse(line) as LedgerRow)
  })
}

/** What holds of a ledger whatever happened to those who wrote it. */
function checkLedger(folder: string, acknowledged: Kept[]): void {
  const all = rows(folder)
  const seqs = all.map(({ seq }) => seq)
  assert.deepEqual(seqs, seqs.map((_, at) => at + 1), 'seq is not one order without gaps')
  assert.equal(new Set(all.map(({ origin }) => origin)).size, 1, 'more than one device id')
  const writes = all.filter(({ kind }) => kind === 'write').map(({ memory }) => memory)
  const ids = writes.map(memory => memory?.id)
  assert.equal(new Set(ids).size, ids.length, 'an id was written twice')
  const texts = new Map(writes.map(memory => [memory?.id, memory?.text]))
  const lost = acknowledged.filter(({ id, text }) => texts.get(id) !== text)
  assert.deepEqual(lost, [], 'acknowledged and not there')
  // Whole commits only.
  const open = new Map<number, boolean>()
  for (const { tx, last } of all) open.set(tx, last === true)
  assert.ok([...open.values()].every(Boolean), 'a commit without its last row')
}

/** What a checkpoint says, without the place in the ledger that it is of. */
const tables = (checkpoint: string): string => checkpoint.slice(checkpoint.indexOf('\n'))

async function finished(folder: string): Promise<Extract<Said, { said: 'end' }>> {
  const reader = new Worker(folder, 'reader', 1)
  assert.equal(await reader.ended, 0, reader.stderr)
  const end = reader.said.at(-1)
  assert.equal(end?.said, 'end')
  return end
}

test('eight processes commit at once, some are killed, and nothing acknowledged is missing', async t => {
  const folder = join(scratch(t), 'data')
  const workers = Array.from({ length: 8 }, (_, number) => new Worker(folder, `p${number}`, 200, 'wait'))
  // Three of them die on the way; the others must not notice but for a lock that nobody gives back.
  const doomed = workers.slice(0, 3)
  const survivors = workers.slice(doomed.length)
  const killer = setInterval(() => {
    for (const [number, worker] of doomed.entries()) {
      if (worker.kept.length > 20 + number * 40) worker.child.kill('SIGKILL')
    }
  }, 3)
  await Promise.all(doomed.map(({ ended }) => ended))
  clearInterval(killer)
  // When all have written, each reads what the others did.
  await Promise.all(survivors.map(worker => Promise.race([worker.says(({ said }) => said === 'done'), worker.ended])))
  for (const { child } of survivors) child.stdin?.end()
  for (const worker of survivors) assert.equal(await worker.ended, 0, worker.stderr || JSON.stringify(worker.said.at(-1)))
  assert.ok(doomed.every(({ child }) => child.signalCode === 'SIGKILL'))
  assert.ok(survivors.every(({ kept }) => kept.length === 200))

  const acknowledged = workers.flatMap(({ kept }) => kept)
  const tries = workers.flatMap(({ said }) => said.filter(one => one.said === 'kept' || one.said === 'failed'))
  assert.deepEqual(tries.filter(({ ms }) => ms > BUDGET_MS + LATE_MS), [], 'a commit waited past its budget')
  checkLedger(folder, acknowledged)
  const written = rows(folder).filter(({ kind }) => kind === 'write').length
  for (const worker of survivors) {
    const end = worker.said.at(-1)
    assert.equal(end?.said === 'end' && end.memories, written, 'a reader sees another number than was written')
  }
  // One that opens from the checkpoint and one that folds the whole ledger write the same bytes down.
  const fromCheckpoint = await state(folder)
  rmSync(join(folder, 'memory.json'))
  const fromLedger = await state(folder)
  assert.equal(fromLedger.memories, written)
  assert.equal(tables(fromLedger.checkpoint), tables(fromCheckpoint.checkpoint))
  assert.deepEqual(readdirSync(folder).filter(name => name.startsWith('lock') || name.endsWith('.tmp')), [])
  const times = acknowledged.map(({ ms }) => ms).sort((a, b) => a - b)
  t.diagnostic(`${acknowledged.length} commits; median ${times[times.length >> 1]?.toFixed(1)} ms, longest ${times.at(-1)?.toFixed(0)} ms`)
})

test('three hundred kills at random moments lose nothing that was acknowledged', async t => {
  const folder = join(scratch(t), 'data')
  const begun = performance.now()
  const acknowledged: Kept[] = []
  const noted: string[] = []
  let kills = 0
  const lane = async (number: number): Promise<void> => {
    for (let round = number; performance.now() - begun < (kills < KILLS ? Math.max(KILLS_MAX_MS, KILL_MS) : KILL_MS); round++) {
      const worker = new Worker(folder, `k${number}`, 0, round % 6 === 0 ? 'turn' : 'note')
      // Two in three die some commits after their first, the others before or in it.
      await Promise.race([worker.says(({ said }) => said !== 'open' || round % 3 === 0), worker.ended])
      await new Promise(resolve => setTimeout(resolve, Math.random() * 30))
      worker.child.kill('SIGKILL')
      const code = await worker.ended
      assert.equal(code, null, `it ended by itself: ${worker.stderr} ${JSON.stringify(worker.said.at(-1))}`)
      acknowledged.push(...worker.kept)
      for (const said of worker.said) if (said.said === 'noted') noted.push(said.text)
      kills++
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)))
  const ms = performance.now() - begun
  const end = await finished(folder)
  checkLedger(folder, acknowledged)
  assert.ok(end.memories >= acknowledged.length)
  const details = new Set(rows(folder).map(({ detail }) => detail))
  assert.deepEqual(noted.filter(text => !details.has(text)), [], 'acknowledged and not there')
  // One that closes leaves no file of its own, and removes those of the dead.
  await state(folder)
  assert.deepEqual(readdirSync(folder).filter(name => name.startsWith('lock')), [], 'a lock or a guard is left')
  t.diagnostic(`${kills} kills in ${(ms / 1000).toFixed(0)} s, ${acknowledged.length + noted.length} commits acknowledged`)
  assert.ok(kills >= KILLS, `only ${kills} kills in ${KILLS_MAX_MS} ms`)
})

test('the lock of a dead process is reclaimed within a second', async t => {
  const folder = join(scratch(t), 'data')
  mkdirSync(folder)
  const gone = new Worker(folder, 'gone', 1)
  await gone.ended
  // A process that is gone, and one whose number another process has now.
  const owners = [
    { host: hostname(), pid: gone.child.pid, started: '12345.none' },
    { host: hostname(), pid: process.pid, started: '1.none' },
  ]
  for (const owner of owners) {
    writeFileSync(join(folder, 'lock'), JSON.stringify({ owner, token: 'feedbeef', at: Date.now() }))
    const next = new Worker(folder, 'next', 1)
    assert.equal(await next.ended, 0, next.stderr)
    assert.ok((next.kept[0]?.ms ?? Infinity) < 1_000, `it took ${next.kept[0]?.ms} ms`)
    assert.ok(!existsSync(join(folder, 'lock')))
  }
})

test('a process killed while it holds the lock costs the next one less than a second', async t => {
  const folder = join(scratch(t), 'data')
  const lock = join(folder, 'lock')
  let caught = 0
  for (let round = 0; round < 200 && caught < 5; round++) {
    const worker = new Worker(folder, `h${round}`, 0, 'note')
    await worker.says(({ said }) => said === 'noted')
    // Stopped at any moment; most of a commit is spent under the lock.
    await new Promise(resolve => setTimeout(resolve, Math.random() * 4))
    worker.child.kill('SIGSTOP')
    await new Promise(resolve => setTimeout(resolve, 5))
    const holds = existsSync(lock)
    worker.child.kill('SIGKILL')
    await worker.ended
    if (!holds) continue
    caught++
    assert.ok(existsSync(lock))
    const next = new Worker(folder, `n${round}`, 1, 'note')
    assert.equal(await next.ended, 0, next.stderr)
    const noted = next.said.find(({ said }) => said === 'noted')
    assert.ok(noted?.said === 'noted' && noted.ms < 1_000, JSON.stringify(next.said))
    assert.ok(!existsSync(lock))
  }
  assert.equal(caught, 5)
})

test('a full disk fails the commit, keeps what was there, and the next process goes on', { skip: process.platform === 'win32' && 'no file size limit there' }, async t => {
  const folder = join(scratch(t), 'data')
  // Blocks of 512 bytes; the signal is left aside so that the write answers EFBIG.
  const full = new Worker(folder, 'full', 0, 'turn', "trap '' XFSZ; ulimit -f 40")
  const code = await full.ended
  assert.equal(code, 3, full.stderr)
  const failed = full.said.at(-1)
  assert.equal(failed?.said, 'failed')
  assert.equal(failed?.said === 'failed' && failed.code, 'disk-full')
  assert.ok(full.kept.length > 3)
  const end = await finished(folder)
  assert.equal(end.memories, full.kept.length + 1)
  checkLedger(folder, full.kept)
})
