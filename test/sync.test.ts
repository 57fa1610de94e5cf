/** One memory on three devices: real processes, a real git remote on disk, a plain folder, and what goes wrong on the way. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { open, type Memory } from 'dsh-jev-memory'
import { cli } from './host/cli.ts'
import { Home, REPOSITORY, scratch, type Ended, type Scope } from './host/home.ts'
import { Model } from './host/model.ts'
import { fileRow } from './host/mount.ts'
import { Web } from './host/web.ts'

const ENV = { PATH: process.env.PATH ?? '' }
const SCOPE = 'shop'

const git = (...args: string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...ENV, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' } })

/** A device: a data folder, and the command line over it. */
class Device {
  readonly dsh: string
  readonly data: string

  constructor(scope: Scope) {
    this.dsh = scratch(scope)
    this.data = join(this.dsh, 'jev-memory')
  }

  async run(...args: string[]): Promise<Ended> { return await cli({ dsh: this.dsh }, args, { cwd: this.dsh, env: ENV }) }

  async sync(...args: string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr } = await this.run('sync', ...args, '--json')
    return JSON.parse(stdout || stderr) as Record<string, unknown>
  }

  async use<T>(work: (memory: Memory) => Promise<T>): Promise<T> {
    const memory = await open({ dataDir: this.data })
    try { return await work(memory) } finally { await memory.close() }
  }

  async say(text: string, scope = SCOPE): Promise<void> { await this.use(async memory => { await memory.add(text, { scope }) }) }
  async texts(): Promise<string[]> {
    return await this.use(async memory => (await memory.list({ scope: SCOPE })).map(({ text }) => text).sort())
  }
}

const devices = (scope: Scope): [Device, Device, Device] => [new Device(scope), new Device(scope), new Device(scope)]

/** Every file under a folder, its bytes as text. */
function files(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => join(folder, name)).filter(path => statSync(path).isFile())
    .map(path => readFileSync(path, 'latin1')).join('\n')
}

function bare(scope: Scope): string {
  const path = join(scratch(scope), 'memory.git')
  git('init', '--quiet', '--bare', path)
  return path
}

/** Every text that the remote's newest commit holds. */
const tip = (remote: string): string => git('--git-dir', remote, 'grep', '-h', '', 'dsh-jev-memory')

const RULES = ['Deployments need a second pair of eyes.', 'The nightly report goes to the whole team.', 'Invoices are numbered without gaps.']

test('three devices meet in an empty bare repository and remember the same', async t => {
  const [a, b, c] = devices(t)
  const remote = bare(t)
  for (const [at, device] of [a, b, c].entries()) await device.say(RULES[at] ?? '')
  for (const device of [a, b, c, a, b]) assert.equal((await device.sync(remote)).code, 'done')
  for (const device of [a, b, c]) assert.deepEqual(await device.texts(), [...RULES].sort())
  // The remote is remembered, and a sync with nothing new sends nothing.
  for (const device of [c, a, b]) await device.sync()
  const commit = git('--git-dir', remote, 'rev-parse', 'dsh-jev-memory')
  const again = await a.sync()
  assert.deepEqual([again.code, again.sent, again.taken], ['done', 0, 0])
  assert.equal(git('--git-dir', remote, 'rev-parse', 'dsh-jev-memory'), commit)
  // No file was ever changed: each commit only adds.
  assert.doesNotMatch(git('--git-dir', remote, 'log', '--name-status', '--format=', 'dsh-jev-memory'), /^[^A\n]/m)
})

test('devices that sync at once all arrive', async t => {
  const [a, b, c] = devices(t)
  const remote = bare(t)
  for (const [at, device] of [a, b, c].entries()) await device.say(RULES[at] ?? '')
  const replies = await Promise.all([a, b, c].map(device => device.sync(remote)))
  assert.deepEqual(replies.map(({ code }) => code), ['done', 'done', 'done'])
  for (const device of [a, b, c]) await device.sync()
  for (const device of [a, b, c]) assert.deepEqual(await device.texts(), [...RULES].sort())
})

test('a remote that is missing, rewritten or full of rubbish loses nothing and is told of', async t => {
  const [a, b, c] = devices(t)
  const remote = bare(t)
  await a.say(RULES[0] ?? '')
  await b.say(RULES[1] ?? '')
  await a.sync(remote)
  await b.sync(remote)
  // Offline.
  renameSync(remote, `${remote}.away`)
  const offline = await a.sync()
  assert.deepEqual([offline.code, offline.exit ?? 1], ['unreachable', 1])
  assert.match(String(offline.text), /nothing is lost/)
  await a.say(RULES[2] ?? '')
  renameSync(`${remote}.away`, remote)
  // Somebody forces an older or another state onto the branch.
  const empty = git('--git-dir', remote, 'commit-tree', '-m', 'x', git('--git-dir', remote, 'hash-object', '-t', 'tree', '-w', '/dev/null').trim()).trim()
  git('--git-dir', remote, 'update-ref', 'refs/heads/dsh-jev-memory', empty)
  for (const device of [a, b, c, a]) await device.sync(remote)
  for (const device of [a, b, c]) assert.deepEqual(await device.texts(), [...RULES].sort())
  // Rubbish beside ours, and a file of ours that is damaged.
  const work = join(scratch(t), 'work')
  git('clone', '--quiet', '--branch', 'dsh-jev-memory', remote, work)
  writeFileSync(join(work, 'notes.txt'), 'not ours')
  const ours = readdirSync(work, { recursive: true, encoding: 'utf8' }).filter(name => /^d-.*\.jsonl$/.test(name)).map(name => join(work, name))
  const path = ours.find(name => readFileSync(name, 'utf8').includes('"kind":"write"')) ?? ''
  writeFileSync(path, readFileSync(path, 'utf8').replace('"kind":"write"', '"kind":"wrote"'))
  git('-C', work, 'add', '.')
  git('-C', work, 'commit', '--quiet', '-m', 'rubbish')
  git('-C', work, 'push', '--quiet', 'origin', 'HEAD:dsh-jev-memory')
  const fresh = new Device(t)
  const met = await fresh.sync(remote)
  assert.match(JSON.stringify(met.problems), /unknown-file.*notes\.txt/)
  assert.match(JSON.stringify(met.problems), /damaged|log-changed/)
  // Who holds it puts it back.
  for (const device of [a, b, fresh]) await device.sync(remote)
  assert.deepEqual(await fresh.texts(), [...RULES].sort())
  // A newer version's file is left alone, and said what to do about.
  git('-C', work, 'pull', '--quiet', 'origin', 'dsh-jev-memory')
  mkdirSync(join(work, 'd-aaaaaaaaaaaa'))
  const newer = 'd-aaaaaaaaaaaa/0000000000000000-0000000000000009.jsonl'
  writeFileSync(join(work, newer), '{"format":"dsh-jev-memory-log","v":7}\n')
  git('-C', work, 'add', '.')
  git('-C', work, 'commit', '--quiet', '-m', 'newer')
  git('-C', work, 'push', '--quiet', 'origin', 'HEAD:dsh-jev-memory')
  assert.match(String((await a.sync(remote)).text), /newer version: update dsh-jev-memory here/)
})

test('a sync that is killed anywhere goes on the next time', async t => {
  const [a, b] = devices(t)
  const remote = bare(t)
  // Each in a scope of its own: nothing there to be compared with.
  for (let n = 0; n < 30; n++) await a.say(`Rule number ${n} of the house is kept by everyone.`, `house-${n}`)
  const kept = async (device: Device): Promise<string[]> => await device.use(async memory => {
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => memory.list({ scope: `house-${n}` })))
    return all.flat().map(({ id, text }) => `${id} ${text}`)
  })
  await a.sync(remote)
  for (const afterMs of [150, 300, 450, 600, 800]) {
    const child = spawn(process.execPath, [join(REPOSITORY, 'dist/cli.js'), 'sync', remote], { cwd: b.dsh, env: { ...ENV, DSH_HOME: b.dsh, HOME: b.dsh }, stdio: 'ignore' })
    const ended = new Promise(done => child.once('exit', done))
    setTimeout(() => { child.kill('SIGKILL') }, afterMs)
    await ended
  }
  await b.say(RULES[0] ?? '')
  assert.equal((await b.sync(remote)).code, 'done')
  assert.equal((await kept(b)).length, 30)
  await a.sync()
  assert.deepEqual([await kept(a), await a.texts()], [await kept(b), [RULES[0]]])
})

test('what is forgotten on one device is gone on all, and from the remote', async t => {
  const [a, b, c] = devices(t)
  const remote = bare(t)
  const secret = 'The zebra vault opens at half past nine.'
  await a.say(secret)
  await b.say(RULES[0] ?? '')
  for (const device of [a, b, c, a, b]) await device.sync(remote)
  assert.ok(files(c.data).includes('zebra vault'))
  const id = await b.use(async memory => (await memory.list({ scope: SCOPE })).find(({ text }) => text === secret)?.id ?? '')
  const forgotten = await b.run('forget', id)
  assert.equal(forgotten.code, 0, forgotten.stderr)
  const told = await b.sync()
  assert.match(String(told.text), /--rewrite/)
  for (const device of [a, c, b, a]) await device.sync()
  for (const device of [a, b, c]) {
    assert.ok(!files(device.data).includes('zebra vault'), device.data)
    assert.deepEqual(await device.texts(), [RULES[0]])
  }
  assert.ok(!tip(remote).includes('zebra vault'))
  // Older commits still hold it, as the receipt says, until they go, too.
  await a.sync(remote, '--rewrite')
  assert.equal(git('--git-dir', remote, 'rev-list', '--count', 'dsh-jev-memory').trim(), '1')
  for (const device of [b, c]) await device.sync()
  const fresh = new Device(t)
  await fresh.sync(remote)
  assert.deepEqual(await fresh.texts(), [RULES[0]])
  assert.ok(!files(fresh.data).includes('zebra vault'))
})

test('a plain folder carries it, half-written files and conflict copies included', async t => {
  const [a, b, c] = devices(t)
  const folder = join(scratch(t), 'carried')
  for (const [at, device] of [a, b, c].entries()) await device.say(RULES[at] ?? '')
  await a.sync(folder)
  const [origin = ''] = readdirSync(folder)
  const [name = ''] = readdirSync(join(folder, origin))
  const path = join(folder, origin, name)
  const whole = readFileSync(path, 'utf8')
  writeFileSync(path, whole.slice(0, whole.length / 2))
  writeFileSync(path.replace('.jsonl', ' (conflicted copy).jsonl'), whole)
  const half = await b.sync(folder)
  assert.match(JSON.stringify(half.problems), /cut-off/)
  assert.match(JSON.stringify(half.problems), /conflicted copy/)
  writeFileSync(path, whole)
  for (const device of [b, c, a, b]) await device.sync(folder)
  for (const device of [a, b, c]) assert.deepEqual(await device.texts(), [...RULES].sort())
  // A file that was lost is put back by whoever holds it.
  rmSync(path)
  await c.sync(folder)
  const fresh = new Device(t)
  await fresh.sync(folder)
  assert.deepEqual(await fresh.texts(), [...RULES].sort())
  // Not mounted: nothing is made in its place.
  renameSync(folder, `${folder}.away`)
  assert.equal((await a.sync(folder)).code, 'unreachable')
  assert.ok(!existsSync(folder))
})

test('no remote is an option, a program or a place for a password', async t => {
  const [a] = devices(t)
  await a.say(RULES[0] ?? '')
  const marker = join(a.dsh, 'touched')
  for (const remote of [`ext::sh -c touch% ${marker}`, `--upload-pack=touch ${marker}`, 'https://me:' + 'word@example.org/x.git', 'fd::7']) {
    const { code, stdout, stderr } = await a.run('sync', '--', remote)
    assert.equal(code, 2, `${remote}: ${stdout}${stderr}`)
    assert.doesNotMatch(stdout + stderr, /word@/)
  }
  assert.ok(!existsSync(marker))
  assert.match((await a.run('sync')).stderr, /needs a git remote or a folder/)
})

test('logs are exported and imported by hand, from where the other device stands', async t => {
  const [a, b] = devices(t)
  await a.say(RULES[0] ?? '')
  const log = join(a.dsh, 'all.jsonl')
  assert.equal((await a.run('export', '--log', log)).code, 0)
  const preview = await b.run('import', log, '--preview')
  assert.match(preview.stdout, /Nothing was written/)
  assert.match((await b.run('import', log)).stdout, /new entries/)
  assert.match((await b.run('import', log)).stdout, /^0 new entries/)
  assert.deepEqual(await b.texts(), [RULES[0]])
  await b.say(RULES[1] ?? '')
  const back = join(b.dsh, 'back.jsonl')
  assert.equal((await b.run('export', '--log', '--since', log, back)).code, 0)
  assert.ok(!readFileSync(back, 'utf8').includes(RULES[0] ?? ''))
  assert.equal((await a.run('import', back)).code, 0)
  assert.deepEqual(await a.texts(), [RULES[0], RULES[1]].sort())
  // By the library, too; and a newer log is refused with a word on what to do.
  const since = await b.use(memory => memory.vector())
  const rest = await a.use(memory => memory.exportLog(since))
  assert.equal((await b.use(memory => memory.importLog(rest))).complete, true)
  writeFileSync(log, readFileSync(log, 'utf8').replace('"v":1', '"v":9'))
  const newer = await b.run('import', log)
  assert.deepEqual([newer.code, /update dsh-jev-memory/.test(newer.stderr)], [2, true])
})

let model: Model
before(async () => { model = await Model.start() })
after(async () => { await model.close() })

test('/memory sync in a host brings in what another device knows, and a folder is joined by a person', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow()])
  const cwd = home.workspace()
  const web = await Web.boot(t, home, { cwd })
  const session = await web.open(cwd)
  const memory = async (words: string): Promise<string> => {
    const { result } = await web.command(session, `/memory ${words}`) as { result: { text: string } }
    return result.text
  }
  await web.prompt(session, 'From now on, always run make check before you push.')
  const folder = join(scratch(t), 'carried')
  assert.match(await memory('sync'), /needs a git remote or a folder/)
  assert.match(await memory(`sync ${folder}`), /^Synced: /)
  const other = new Device(t)
  await other.sync(folder)
  const there = await other.run('list', '--all')
  assert.match(there.stdout, /make check/)
  // Its folder is no project of the other device until a person says so.
  assert.match((await other.run('list')).stdout, /Nothing is remembered/)
  const scopes = await other.run('scope', 'list')
  const [, from = ''] = /(path:@d-\S+): 1/.exec(scopes.stdout) ?? []
  assert.match((await other.run('scope', 'join', from, '.')).stdout, /is path:.* now; memories moved: 1/)
  assert.match((await other.run('list')).stdout, /make check/)
  await other.sync(folder)
  assert.match(await memory('sync'), /^Synced: /)
  assert.match(await memory('list'), /make check/)
  assert.match(await memory('devices'), /this device/)
})

test('a copied folder is said at each sync, and never writes over what the first one sent', async t => {
  const [a, b] = devices(t)
  const remote = join(scratch(t), 'memory')
  await a.say(RULES[0] ?? '')
  cpSync(a.data, b.data, { recursive: true })
  await a.say('Only the first device said pistachio.')
  assert.equal((await a.sync(remote)).code, 'done')
  await b.say('Only the copy said cashew.')
  for (let i = 0; i < 2; i++) {
    assert.equal((await b.sync(remote)).code, 'forked')
    assert.match(files(remote), /pistachio/)
    assert.doesNotMatch(files(remote), /cashew/)
  }
})
