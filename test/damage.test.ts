import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs, { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Core, Health, Job, Learned } from '../dist/core.js'
import { CoreHandle } from '../plugin/core-handle.ts'
import { atEnd, scratch } from './host/home.ts'
import type { Said } from './store/worker.mjs'

const WORKER = fileURLToPath(new URL('./store/worker.mjs', import.meta.url))
const session = { id: 's-damage', cwd: '/', child: false }
const PARTS = ['gateway', 'scheduler', 'importer', 'exporter', 'archiver']
const rule = (part: string): string => `From now on, always label every change of the ${part} in English.`

/** The real core over a folder. */
class Store {
  readonly #handle: CoreHandle
  #turn: number

  constructor(folder: string, turn = 0) {
    this.#turn = turn
    this.#handle = new CoreHandle({ config: { dataDir: folder, judge: 'heuristic', minImportance: 0 }, defaultDataDir: folder, hostVersion: 'test' }, () => {})
    assert.equal(this.#handle.fault, '')
  }

  get health(): Health { return this.#handle.use('health', core => core.health()) as Health }
  get codes(): string[] { return this.health.problems.map(({ code }) => code) }
  run(begin: (core: Core) => Job): Promise<unknown> { return this.#handle.run('test', begin) }
  async settle(): Promise<void> { await this.run(core => core.settle()) }
  async close(): Promise<void> { await this.#handle.close(AbortSignal.timeout(10_000)) }

  async learn(part: string): Promise<Learned> {
    const turn = ++this.#turn
    await this.run(core => core.attach({ ...session, id: `s-${part}` }, 0, 0))
    const input = { session: { ...session, id: `s-${part}` }, turn, readTo: turn * 2, events: [{ kind: 'human', seq: turn * 2 - 1, turn, at: Date.now(), text: rule(part) }] }
    return await this.run(core => core.learn(Buffer.from(JSON.stringify(input)))) as Learned
  }

  /** Learns, as the next turn would, when a lock that nobody can read must first be seen to stand still. */
  async learnInTheEnd(part: string): Promise<number> {
    const begun = performance.now()
    for (;;) {
      const learned = await this.learn(part)
      if (learned.kept.length === 1) return performance.now() - begun
      assert.match(learned.failed?.code ?? '', /^(lock-busy|ended)$/)
      assert.ok(performance.now() - begun < 15_000, 'the lock is never taken away')
    }
  }

  async forget(part: string): Promise<Record<string, unknown>> {
    const humans = [{ seq: 900, turn: 900, at: Date.now(), text: `Please forget the rule about the ${part}.` }]
    return await this.run(core => core.forget({ id: rule(part) }, { session, turn: 900, seq: 901, humans })) as Record<string, unknown>
  }
}

/** Five memories: three in the checkpoint and the ledger, two in the ledger alone. And what else may lie there. */
let whole: string
const end: (() => unknown)[] = []
before(async () => {
  const scope = { after: (undo: () => unknown) => { end.push(undo) } }
  const folder = join(scratch(scope), 'data')
  const store = new Store(folder)
  for (const part of PARTS.slice(0, 3)) assert.equal((await store.learn(part)).kept.length, 1)
  await store.settle()
  for (const part of PARTS.slice(3)) assert.equal((await store.learn(part)).kept.length, 1)
  const { pid } = spawnSync(process.execPath, ['--version'])
  writeFileSync(join(folder, 'lock'), JSON.stringify({ owner: { host: hostname(), pid, started: '12345.none' }, token: 'feedbeef', at: Date.now() }))
  writeFileSync(join(folder, 'embeddings.json'), JSON.stringify({ model: 'some-model', vectors: { abc: [0.25, -1], text: rule('importer') } }, null, 1))
  whole = join(scratch(scope), 'whole')
  cpSync(folder, whole, { recursive: true })
  await store.close()
})
after(async () => { for (const undo of end) await undo() })

type Damage = (bytes: Buffer) => Buffer
/** A place that matters: in a record that the ledger alone has, or else the middle. */
const place = (bytes: Buffer, part = 'archiver'): number => {
  const found = bytes.lastIndexOf(`of the ${part} in`)
  return found < 0 ? bytes.length >> 1 : found
}
const flip = (bytes: Buffer, at: number): Buffer => {
  const flipped = Buffer.from(bytes)
  flipped[at] = (flipped[at] ?? 0) ^ 4
  return flipped
}
const lines = (bytes: Buffer): string[] => bytes.toString().trimEnd().split('\n')
const damages: Record<string, Damage> = {
  truncated: bytes => bytes.subarray(0, Math.floor(bytes.length * 0.6)),
  emptied: () => Buffer.alloc(0),
  'NUL-filled': bytes => Buffer.alloc(bytes.length),
  'NUL in the middle': bytes => Buffer.from(bytes).fill(0, place(bytes), Math.min(bytes.length, place(bytes) + 40)),
  foreign: () => Buffer.from('{"name":"something-else","version":3,"items":[1,2]}\n'),
  'BOM and CRLF': bytes => Buffer.from(`\ufeff${bytes.toString().replaceAll('\n', '\r\n')}`),
  duplicated: bytes => Buffer.concat([bytes, bytes]),
  reordered: bytes => Buffer.from(`${lines(bytes).reverse().join('\n')}\n`),
  'bit-flipped': bytes => flip(bytes, place(bytes)),
}

/** What each damage of each file costs: memories known at opening, files in quarantine after the next turn. Each is said by `health`. */
const table: Record<string, Record<string, [memories: number, quarantined: number]>> = {
  'ledger.jsonl': {
    truncated: [3, 0], emptied: [3, 0], 'NUL-filled': [3, 0], 'NUL in the middle': [4, 1], foreign: [3, 1],
    'BOM and CRLF': [5, 0], duplicated: [5, 0], reordered: [5, 0], 'bit-flipped': [4, 1],
  },
  'memory.json': {
    truncated: [5, 1], emptied: [5, 1], 'NUL-filled': [5, 1], 'NUL in the middle': [5, 1], foreign: [5, 1],
    'BOM and CRLF': [5, 0], duplicated: [5, 1], reordered: [5, 1], 'bit-flipped': [5, 1],
  },
  lock: Object.fromEntries(Object.keys(damages).map(name => [name, [5, 0]])),
  'embeddings.json': Object.fromEntries(Object.keys(damages).map(name => [name, [5, 0]])),
  'forgetting.json': Object.fromEntries(Object.keys(damages).map(name => [name, [5, 0]])),
}

test('every damage of every file has its outcome, and the next turn is kept', async t => {
  const results: string[] = []
  const cell = async (file: string, name: string, damage: Damage, expected: [number, number]): Promise<void> => {
    const told = `${file} ${name}`
    const folder = join(scratch(t), 'data')
    cpSync(whole, folder, { recursive: true })
    const path = join(folder, file)
    const hurt = damage(file === 'forgetting.json' ? Buffer.from('{"ids":["m-abc"],\n"contents":[]}\n') : readFileSync(path))
    writeFileSync(path, hurt)
    const store = new Store(folder, 10)
    const opened = store.health.memories
    await store.learnInTheEnd('inspector')
    await store.settle()
    const quarantine = existsSync(join(folder, 'quarantine')) ? readdirSync(join(folder, 'quarantine')) : []
    const known = store.health.memories
    const codes = store.codes
    await store.close()
    results.push(`${told}: ${JSON.stringify([opened, known, quarantine, codes])}`)
    assert.equal(opened, expected[0], told)
    assert.equal(known, opened + 1, told)
    assert.equal(quarantine.length, expected[1], `${told}: ${quarantine.join()}`)
    // Nothing that was put aside was changed on the way.
    for (const kept of quarantine) assert.ok(hurt.includes(readFileSync(join(folder, 'quarantine', kept))), told)
    if (quarantine.length > 0) assert.ok(codes.some(code => /damaged|quarantined/.test(code)), `${told}: ${codes.join()}`)
    const again = new Store(folder, 20)
    assert.equal(again.health.memories, known, `${told}: reopened`)
    await again.close()
    // The same state, whichever of the two it is read from.
    fs.rmSync(join(folder, 'memory.json'))
    const replayed = new Store(folder, 30)
    assert.equal(replayed.health.memories, known, `${told}: replayed`)
    await replayed.close()
    assert.ok(!existsSync(join(folder, 'lock')) && !existsSync(join(folder, 'forgetting.json')), told)
  }
  const done = await Promise.allSettled(Object.entries(table).flatMap(([file, row]) =>
    Object.entries(row).map(([name, expected]) => cell(file, name, damages[name] ?? (bytes => bytes), expected))))
  t.diagnostic(`${done.length} damages`)
  if (process.env.SHOW) for (const line of results) t.diagnostic(line)
  assert.deepEqual(done.flatMap(one => one.status === 'rejected' ? [String((one.reason as Error).message)] : []), [])
})

test('a bit that flips where the checkpoint knows better is noticed when the ledger is read whole', async t => {
  const folder = join(scratch(t), 'data')
  cpSync(whole, folder, { recursive: true })
  const path = join(folder, 'ledger.jsonl')
  writeFileSync(path, flip(readFileSync(path), place(readFileSync(path), 'gateway')))
  const store = new Store(folder, 10)
  assert.equal(store.health.memories, PARTS.length)
  await store.close()
  fs.rmSync(join(folder, 'memory.json'))
  const replayed = new Store(folder, 20)
  assert.equal(replayed.health.memories, PARTS.length - 1)
  assert.deepEqual(replayed.codes, ['ledger-damaged'])
  await replayed.settle()
  const [kept = '', ...more] = readdirSync(join(folder, 'quarantine'))
  assert.deepEqual(more, [])
  assert.match(readFileSync(join(folder, 'quarantine', kept), 'utf8'), /"kind":"write"/)
  await replayed.close()
})

test('forgetting takes the vectors and what lies in a damaged file, whatever is left of it', async t => {
  for (const [name, damage] of Object.entries(damages)) {
    const folder = join(scratch(t), 'data')
    cpSync(whole, folder, { recursive: true })
    for (const file of ['embeddings.json', 'memory.json']) writeFileSync(join(folder, file), damage(readFileSync(join(folder, file))))
    writeFileSync(join(folder, 'memory.json.1b2c.tmp'), `{"text":"${rule('importer')}`)
    const store = new Store(folder, 10)
    const reply = await store.forget('importer')
    assert.ok(reply.forgotten, `${name}: ${JSON.stringify(reply)}`)
    await store.close()
    assert.ok(!existsSync(join(folder, 'embeddings.json')), name)
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).filter(found => found.isFile())) {
      assert.doesNotMatch(readFileSync(join(entry.parentPath, entry.name), 'utf8'), /he importe|mporter in/, `${name}: ${entry.name}`)
    }
    const again = new Store(folder, 20)
    assert.equal(again.health.memories, 4, name)
    await again.close()
  }
})

test('a newer version of either file is left as it is, byte for byte', async t => {
  for (const [file, sample] of [['ledger.jsonl', 'v2.jsonl'], ['memory.json', 'v2.memory.json']] as const) {
    const folder = join(scratch(t), 'data')
    mkdirSync(folder)
    const before = readFileSync(new URL(`data/ledgers/${sample}`, import.meta.url))
    writeFileSync(join(folder, file), before)
    const store = new Store(folder)
    assert.deepEqual(store.codes, ['newer-version'])
    const learned = await store.learn('gateway')
    assert.deepEqual(learned.kept, [])
    await store.close()
    assert.deepEqual(readdirSync(folder), [file])
    assert.deepEqual(readFileSync(join(folder, file)), before)
  }
})

test('a rename that the system refuses once costs no turn, and is tried again', async t => {
  const folder = join(scratch(t), 'data')
  cpSync(whole, folder, { recursive: true })
  const original = fs.renameSync
  let refused = 0
  const refuse = (suffix: string, times: number): void => {
    refused = 0
    fs.renameSync = (from, to) => {
      if (refused < times && String(to).includes(suffix)) {
        refused++
        throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
      }
      original(from, to)
    }
    syncBuiltinESMExports()
  }
  t.after(() => { fs.renameSync = original; syncBuiltinESMExports() })
  const store = new Store(folder, 10)
  refuse('memory.json', 1)
  assert.equal((await store.learn('inspector')).kept.length, 1)
  await store.settle()
  assert.equal(refused, 1)
  await store.settle()
  assert.ok(readFileSync(join(folder, 'memory.json'), 'utf8').includes('inspector'))
  // A damaged checkpoint that may not be moved aside is not written over meanwhile.
  writeFileSync(join(folder, 'memory.json'), '{"half":')
  refuse('quarantine', 1)
  assert.equal((await store.learn('collector')).kept.length, 1)
  assert.equal(refused, 1)
  assert.equal(readFileSync(join(folder, 'memory.json'), 'utf8'), '{"half":')
  assert.equal((await store.learn('mirror')).kept.length, 1)
  await store.settle()
  assert.equal(readdirSync(join(folder, 'quarantine')).length, 1)
  await store.close()
  assert.deepEqual(readdirSync(folder).filter(name => name.endsWith('.tmp')), [])
  const again = new Store(folder, 20)
  assert.equal(again.health.memories, PARTS.length + 3)
  await again.close()
})

/** Runs a worker under a shell, in a way that holds for the superuser too. */
function shell(script: string, folder: string, wrap: string[]): Said[] {
  const [file = '', ...args] = [...wrap, '/bin/sh', '-c', script, process.execPath, WORKER, folder]
  const ran = spawnSync(file, args, { encoding: 'utf8', timeout: 60_000 })
  const said = ran.stdout.split('\n').filter(line => line !== '').map(line => JSON.parse(line) as Said)
  assert.ok(said.length > 0, `${ran.stderr}${ran.error?.message ?? ''}`)
  return said
}

const isRoot = process.getuid?.() === 0

test('a folder that may not be written to costs the write and leaves every byte', { skip: process.platform === 'win32' && 'no such rights there' }, t => {
  const folder = join(scratch(t), 'data')
  cpSync(whole, folder, { recursive: true })
  fs.rmSync(join(folder, 'lock'))
  const bytes = (): string[] => readdirSync(folder).map(name => `${name} ${readFileSync(join(folder, name), 'base64')}`)
  const before = bytes()
  chmodSync(folder, 0o500)
  atEnd(t, () => { chmodSync(folder, 0o700) })
  // The superuser may write anywhere unless the right to is given up.
  const wrap = isRoot ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search', '--inh-caps', '-dac_override,-dac_read_search'] : ['env']
  const said = shell('"$0" "$1" "$2" ro 1', folder, wrap)
  assert.equal(said[0]?.said === 'open' && said[0].memories, PARTS.length)
  const last = said.at(-1)
  assert.ok(last?.said === 'failed', JSON.stringify(last))
  assert.match(last.code, /not-permitted|files|permission/)
  assert.deepEqual(bytes(), before)
})

test('a disk that fills up fails the commit, and goes on when there is room', { skip: process.platform === 'win32' && 'no such disk there' }, t => {
  const folder = join(scratch(t), 'data')
  const out = join(scratch(t), 'out')
  mkdirSync(folder)
  mkdirSync(out)
  const mayMount = isRoot && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]).status === 0
  t.diagnostic(mayMount ? 'on a file system of 256 KiB' : 'with a file size limit of 64 KiB')
  const said = mayMount
    ? shell(`mount -t tmpfs -o size=256k tmpfs "$2" && head -c 160000 /dev/zero > "$2/filler"; "$0" "$1" "$2" full 0; rm "$2/filler"; "$0" "$1" "$2" after 2; cp -r "$2/." '${out}'`, folder, ['unshare', '-m'])
    : shell(`trap '' XFSZ; (ulimit -f 128; "$0" "$1" "$2" full 0); "$0" "$1" "$2" after 2; cp -r "$2/." '${out}'`, folder, ['env'])
  const failed = said.findIndex(one => one.said === 'failed')
  const full = said[failed]
  assert.ok(full?.said === 'failed' && full.code === 'disk-full', JSON.stringify(full))
  const kept = said.filter(one => one.said === 'kept').map(({ text }) => text)
  assert.ok(failed > 3 && kept.length === failed - 1 + 2, JSON.stringify(said.slice(failed)))
  // Whoever comes next sees what was acknowledged and nothing else, and writes again.
  assert.deepEqual(said.slice(failed + 1).map(one => one.said), ['open', 'kept', 'kept', 'end'])
  const ledger = readFileSync(join(out, 'ledger.jsonl'), 'utf8')
  for (const text of kept) assert.ok(ledger.includes(text), text)
  const last = said.at(-1)
  assert.equal(last?.said === 'end' && last.memories, kept.length)
})
