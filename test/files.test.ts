import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { perform, performSync, type Operation } from '../plugin/calls.ts'
import { NodeFiles, stampOf } from '../plugin/files.ts'
import { Host } from '../plugin/host.ts'
import { scratch } from './host/home.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (content: Uint8Array): string => new TextDecoder().decode(content)

type Run = <T>(operation: Operation<T>) => Promise<T>
const drivers: [string, Run][] = [
  ['on the event loop', operation => new Promise(done => { done(performSync(operation)) })],
  ['on the thread pool', operation => perform(operation)],
]

for (const [where, run] of drivers) {
  test(`files keep the contract of their port ${where}`, async t => {
    const folder = scratch(t)
    const files = new NodeFiles()
    const path = join(folder, 'deep/er/ledger.jsonl')
    await assert.rejects(run(files.read(path, 0)), { code: 'ENOENT' })
    await assert.rejects(run(files.list(join(folder, 'deep'))), { code: 'ENOENT' })

    await run(files.append(path, bytes('one\n')))
    await run(files.append(path, bytes('two\n')))
    assert.equal(text(await run(files.read(path, 0))), 'one\ntwo\n')
    assert.equal(text(await run(files.read(path, 4))), 'two\n')
    assert.equal(text(await run(files.read(path, 99))), '')
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(statSync(join(folder, 'deep/er')).mode & 0o777, 0o700)

    await run(files.truncate(path, 4))
    await run(files.append(path, bytes('2\n')))
    assert.equal(text(await run(files.read(path, 0))), 'one\n2\n')

    await run(files.replace(path, bytes('new\n')))
    await run(files.append(path, bytes('more\n')))
    assert.equal(readFileSync(path, 'utf8'), 'new\nmore\n')

    const known = stampOf(path)
    const made = await run(files.replaceIf(path, known, bytes('checked\n')))
    assert.equal(made, stampOf(path))
    assert.notEqual(made, known)
    assert.equal(await run(files.replaceIf(path, known, bytes('late\n'))), '', 'another file stands there now')
    assert.equal(readFileSync(path, 'utf8'), 'checked\n')
    await run(files.append(path, bytes('more\n')))
    assert.equal(readFileSync(path, 'utf8'), 'checked\nmore\n')
    const fresh = join(folder, 'deep/er/fresh')
    assert.equal(await run(files.replaceIf(fresh, '', bytes('new'))), stampOf(fresh))
    await run(files.remove(fresh))

    const lock = join(folder, 'deep/er/lock')
    assert.equal(await run(files.create(lock, bytes('me'))), true)
    assert.equal(await run(files.create(lock, bytes('you'))), false)
    assert.equal(readFileSync(lock, 'utf8'), 'me')
    assert.deepEqual(readdirSync(join(folder, 'deep/er')), ['ledger.jsonl', 'lock'])

    await assert.rejects(run(files.rename(lock, path)), { code: 'EEXIST' })
    await run(files.rename(lock, join(folder, 'deep/quarantine/lock')))
    await run(files.remove(join(folder, 'deep/quarantine/lock')))
    await run(files.remove(join(folder, 'deep/quarantine/lock')))
    assert.deepEqual(await run(files.list(join(folder, 'deep'))), [
      { name: 'er', length: statSync(join(folder, 'deep/er')).size, folder: true },
      { name: 'quarantine', length: statSync(join(folder, 'deep/quarantine')).size, folder: true },
    ])
    symlinkSync(folder, join(folder, 'link'))
    assert.equal(await run(files.realPath(join(folder, 'link/deep'))), join(folder, 'deep'))
    await run(files.close())
  })

  test(`what is appended goes to the file that has the name now ${where}`, async t => {
    const folder = scratch(t)
    const files = new NodeFiles()
    const path = join(folder, 'ledger.jsonl')
    await run(files.append(path, bytes('mine\n')))
    writeFileSync(`${path}.other`, 'blanked\n')
    renameSync(`${path}.other`, path)
    await run(files.append(path, bytes('next\n')))
    assert.equal(readFileSync(path, 'utf8'), 'blanked\nnext\n')
    await run(files.close())
  })

  test(`a file in place of the folder is an error with the system's name ${where}`, async t => {
    const folder = scratch(t)
    writeFileSync(join(folder, 'data'), '')
    await assert.rejects(run(new NodeFiles().append(join(folder, 'data/ledger.jsonl'), bytes('x'))), { code: 'ENOTDIR' })
  })
}

test('a lock of this process is alive until its core instance is gone', () => {
  const host = new Host(new NodeFiles())
  const { pid, started } = host.owner()
  assert.equal(host.liveness(hostname(), pid, started), 'alive')
  host.retire()
  assert.equal(host.liveness(hostname(), pid, started), 'dead')
  assert.equal(host.liveness('another-machine', pid, started), 'unknown')
})

test('a lock of an ended process is dead, and so is one whose number went to another', () => {
  const host = new Host(new NodeFiles())
  const { pid } = spawnSync(process.execPath, ['--version'])
  assert.equal(host.liveness(hostname(), pid, '1.a'), 'dead')
  assert.equal(host.liveness(hostname(), process.pid, '1.a'), 'dead')
  assert.equal(host.liveness(hostname(), process.pid, ''), 'unknown')
})

test('a stamp changes with the file, and is empty without one', t => {
  const path = join(scratch(t), 'memory.json')
  const host = new Host(new NodeFiles())
  assert.equal(host.stamp(path), '')
  writeFileSync(path, 'a')
  const first = host.stamp(path)
  writeFileSync(path, 'bb')
  assert.notEqual(host.stamp(path), first)
})
