import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { scratch } from './host/home.ts'
import type { Said } from './store/worker.ts'

const WORKER = fileURLToPath(new URL('./store/worker.ts', import.meta.url))
/** The default `writeTimeoutMs`, and what a loaded machine may add before a timer is served. */
const BUDGET_MS = 2_500
const LATE_MS = 1_500

const KILLS = 300
/** Half a minute on an idle machine of two cores; this bounds a busy one. */
const KILLS_MAX_MS = 240_000

type Kept = Extract<Said, { said: 'kept' }>

/** One process over a data folder, and everything it said. */
class Worker {
  readonly said: Said[] = []
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  stderr = ''

  constructor(folder: string, name: string, count: number, kind: 'turn' | 'note' = 'turn', shell = '') {
    const args = [WORKER, folder, name, String(count), kind]
    this.child = shell
      ? spawn('/bin/sh', ['-c', `${shell}; exec "$0" "$@"`, process.execPath, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
      : spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.child.stderr?.on('data', (bytes: Buffer) => { this.stderr += bytes.toString() })
    const lines = this.child.stdout && createInterface(this.child.stdout)
    lines?.on('line', line => { this.said.push(JSON.parse(line) as Said) })
    this.ended = new Promise(resolve => { this.child.on('close', resolve) })
  }

  /** Settles when it has said that much. */
  async says(count: number): Promise<void> {
    while (this.said.length < count) await new Promise(resolve => { this.child.stdout?.once('data', () => { setImmediate(resolve) }) })
  }

  get kept(): Kept[] { return this.said.filter(said => said.said === 'kept') }
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
  assert.ok(seqs.every((seq, at) => at === 0 || seq > (seqs[at - 1] ?? 0)), 'seq is not one ascending order')
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

async function finished(folder: string): Promise<Extract<Said, { said: 'end' }>> {
  const reader = new Worker(folder, 'reader', 1)
  assert.equal(await reader.ended, 0, reader.stderr)
  const end = reader.said.at(-1)
  assert.equal(end?.said, 'end')
  return end
}

test('eight processes commit at once, some are killed, and nothing acknowledged is missing', async t => {
  const folder = join(scratch(t), 'data')
  const workers = Array.from({ length: 8 }, (_, number) => new Worker(folder, `p${number}`, 200))
  // Three of them die on the way; the others must not notice but for a lock that nobody gives back.
  const doomed = workers.slice(0, 3)
  const killer = setInterval(() => {
    for (const [number, worker] of doomed.entries()) {
      if (worker.kept.length > 20 + number * 40) worker.child.kill('SIGKILL')
    }
  }, 3)
  const codes = await Promise.all(workers.map(({ ended }) => ended))
  clearInterval(killer)
  for (const [number, worker] of workers.entries()) {
    if (number >= doomed.length) assert.equal(codes[number], 0, worker.stderr || JSON.stringify(worker.said.at(-1)))
  }
  const acknowledged = workers.flatMap(({ kept }) => kept)
  const late = acknowledged.filter(({ ms }) => ms > BUDGET_MS + LATE_MS)
  assert.deepEqual(late, [], 'a commit waited past its budget')
  const survivors = workers.slice(doomed.length)
  assert.ok(survivors.every(({ kept }) => kept.length === 200))
  const end = await finished(folder)
  checkLedger(folder, acknowledged)
  const written = rows(folder).filter(({ kind }) => kind === 'write').length
  assert.equal(end.memories, written, 'a reader sees another number than was written')
  assert.ok(!existsSync(join(folder, 'lock')))
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
    for (let round = number; kills < KILLS && performance.now() - begun < KILLS_MAX_MS; round++) {
      const worker = new Worker(folder, `k${number}`, 0, round % 6 === 0 ? 'turn' : 'note')
      // Two in three die some commits after their first, the others before or in it.
      await Promise.race([worker.says(round % 3 === 0 ? 1 : 2), worker.ended])
      await new Promise(resolve => setTimeout(resolve, Math.random() * 30))
      worker.child.kill('SIGKILL')
      const code = await worker.ended
      assert.equal(code, null, `it ended by itself: ${worker.stderr} ${JSON.stringify(worker.said.at(-1))}`)
      acknowledged.push(...worker.kept)
      for (const said of worker.said) if (said.said === 'noted') noted.push(said.text)
      kills++
    }
  }
  await Promise.all([lane(0), lane(1), lane(2)])
  const end = await finished(folder)
  checkLedger(folder, acknowledged)
  assert.ok(end.memories >= acknowledged.length)
  const details = new Set(rows(folder).map(({ detail }) => detail))
  assert.deepEqual(noted.filter(text => !details.has(text)), [], 'acknowledged and not there')
  assert.deepEqual(readdirSync(folder).filter(name => name.startsWith('lock')), [], 'a lock or a guard is left')
  t.diagnostic(`${kills} kills in ${((performance.now() - begun) / 1000).toFixed(0)} s, ${acknowledged.length + noted.length} commits acknowledged`)
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
