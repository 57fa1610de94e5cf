import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cli } from './host/cli.ts'
import { scratch, type Ended, type Scope } from './host/home.ts'
import { pack, unpack } from './host/mount.ts'

interface Shell { dsh: string, data: string, run: (...args: string[]) => Promise<Ended>, json: (...args: string[]) => Promise<Record<string, unknown>> }

/** A home whose folder holds the frozen ledger of version 1. */
function shell(scope: Scope, entry?: string): Shell {
  const dsh = scratch(scope)
  const data = join(dsh, 'jev-memory')
  mkdirSync(data, { mode: 0o700 })
  for (const [from, to] of [['v1.jsonl', 'ledger.jsonl'], ['v1.memory.json', 'memory.json']] as const) {
    copyFileSync(new URL(`data/ledgers/${from}`, import.meta.url), join(data, to))
    chmodSync(join(data, to), 0o600)
  }
  const run = (...args: string[]): Promise<Ended> => cli({ dsh }, args, { cwd: dsh, ...(entry === undefined ? {} : { entry }) })
  return { dsh, data, run, json: async (...args) => JSON.parse((await run(...args, '--json')).stdout) as Record<string, unknown> }
}

const bytesOf = (folder: string): string => JSON.stringify(readdirSync(folder).sort().map(name => [name, statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), 'hex') : '']))

test('the packed command line reads a folder without writing to it, and says how it ended', async t => {
  const folder = unpack(t, pack(t))
  // A package manager starts it through a link.
  const bin = join(scratch(t), 'dsh-jev-memory')
  symlinkSync(join(folder, 'dist/cli.js'), bin)
  const { data, run, json } = shell(t, bin)
  const before = bytesOf(data)
  const ends = async (code: number, pattern: RegExp, ...args: string[]): Promise<void> => {
    const { code: got, stdout, stderr } = await run(...args)
    assert.deepEqual([got, pattern.test(stdout + stderr)], [code, true], `${args.join(' ')}: ${stdout}${stderr}`)
  }
  await ends(0, /Examples:/, '--help')
  await ends(0, /^\d+\.\d+\.\d+\n$/, '--version')
  await ends(0, /\[constraint m-9gwhs0kfrwjd 2026-09-21\] Use spaces, never tabs\./, 'list', 'all')
  await ends(0, /What happened:/, 'show', '9gwhs')
  await ends(0, /生效/, 'list', '--all', '--lang', 'zh')
  await ends(1, /No memory is known/, 'show', 'm-zzzz')
  await ends(1, /Nothing is remembered/, 'list')
  await ends(2, /no command `lst`.*--help/s, 'lst')
  await ends(2, /takes no --apply/, 'list', '--apply')
  await ends(2, /ENOENT|no such file/i, 'import', 'nothing.jsonl')
  await ends(0, /would be refused today/, 'sweep')
  const stats = await json('stats')
  assert.deepEqual([stats.code, (stats.writes as { total: number }).total], ['done', 4])
  assert.equal(bytesOf(data), before)
})

test('an export is read in elsewhere, first as a preview, then once', async t => {
  const here = shell(t)
  const file = join(here.dsh, 'memories.jsonl')
  assert.equal((await here.run('export', '--out', file)).code, 0)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal((await here.run('export', '--out', file)).code, 2, 'a file that is there is not written over')
  const dsh = scratch(t)
  const there = (...args: string[]): Promise<Ended> => cli({ dsh }, args, { cwd: dsh })
  assert.match((await there('import', file, '--preview')).stdout, /Would be read in: 3\./)
  assert.ok(!existsSync(join(dsh, 'jev-memory')))
  assert.match((await there('import', file)).stdout, /Read in: 3\./)
  assert.match((await there('import', file)).stdout, /Read in: 0\. There already, or forgotten here: 3\./)
  assert.match((await there('review', 'all')).stdout, /review m-9gwhs0kfrwjd keep/)
  assert.equal((await there('review', 'm-9gwhs0kfrwjd', 'keep')).code, 0)
  assert.match((await there('list', 'all')).stdout, /1 active/)
})

test('the doctor names a file in the place of the folder, an open folder, and goes on where the system refuses', async t => {
  const { dsh, data, run, json } = shell(t)
  chmodSync(data, 0o755)
  const { code, stdout } = await run('doctor')
  assert.deepEqual([code, stdout.includes(`chmod 0700 '${data}'`)], [1, true], stdout)
  const blocked = join(dsh, 'file')
  writeFileSync(blocked, '')
  const inert = await run('doctor', '--data-dir', blocked)
  assert.deepEqual([inert.code, /is a file, not a folder/.test(inert.stderr + inert.stdout)], [3, true], inert.stdout + inert.stderr)
  assert.doesNotMatch(inert.stdout + inert.stderr, /files\./)
  if (process.platform !== 'linux') return
  const refused = await json('import', await exported(run, dsh), '--data-dir', '/proc/jev-memory')
  assert.equal(refused.ok, false, 'a folder that cannot be made is an answer, not an endless wait')
})

async function exported(run: (...args: string[]) => Promise<Ended>, folder: string): Promise<string> {
  const file = join(folder, 'out.jsonl')
  await run('export', '--out', file)
  return file
}
