import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, renameSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
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

  test(`a commit is made when all is as known, and says how far it came ${where}`, async t => {
    const folder = scratch(t)
    const files = new NodeFiles()
    const at = (name: string): string => join(folder, name)
    const begun = { op: 'files.publish' as const, lock: at('lock'), owner: at('lock.owner.me'), claim: bytes('{"me":1}'), path: at('ledger'), beside: at('memory.json'), stamp: '', withinMs: 1_000 }
    const publish = (end: number, tail: string, more: object = {}): Promise<unknown> =>
      run(files.publish({ ...begun, end, tail: bytes(tail), bytes: bytes('two\n'), ...more }))
    assert.equal(await publish(4, 'one\n'), 'taken', 'there is no file')
    assert.equal(existsSync(at('ledger')), false, 'and none was made')
    assert.equal(readFileSync(at('lock'), 'utf8'), '{"me":1}')
    assert.equal(await publish(4, 'one\n'), 'busy')
    await run(files.remove(at('lock')))
    writeFileSync(at('ledger'), 'one\n')
    assert.equal(await publish(4, 'one\n', { claim: bytes('{"me":22}') }), 'done')
    assert.equal(await publish(8, 'two\n', { claim: bytes('{}') }), 'done')
    assert.equal(readFileSync(at('lock.owner.me'), 'utf8'), '{}', 'nothing of a longer claim is left')
    assert.equal(readFileSync(at('ledger'), 'utf8'), 'one\ntwo\ntwo\n')
    assert.deepEqual(readdirSync(folder).sort(), ['ledger', 'lock.owner.me'])
    // Another file has the name, the same length and another end; another file beside it; a lock that was held for too long.
    writeFileSync(at('other'), 'one\ntwo\n2wo\n')
    renameSync(at('other'), at('ledger'))
    for (const [told, more] of [['taken', {}], ['done', { tail: bytes('2wo\n') }], ['taken', { end: 16, stamp: '1:1:1' }], ['taken', { end: 16, withinMs: 0 }]] as const) {
      assert.equal(await publish(12, 'two\n', more), told)
      assert.equal(existsSync(at('lock')), told !== 'done')
      await run(files.remove(at('lock')))
    }
    assert.equal(readFileSync(at('ledger'), 'utf8'), 'one\ntwo\n2wo\ntwo\n')
    // Swept, or gone with its folder.
    unlinkSync(at('lock.owner.me'))
    assert.equal(await publish(16, 'two\n'), 'done')
    await run(files.close())
  })

  test(`a file comes in pieces, is copied, and is the beginning of another ${where}`, async t => {
    const folder = scratch(t)
    const files = new NodeFiles()
    const at = (name: string): string => join(folder, name)
    const piece = 'a line of a long file\n'.repeat(60_000)
    await run(files.stage(at('whole'), 0, bytes('given up\n')))
    await run(files.stage(at('whole'), 0, bytes(piece)))
    await run(files.stage(at('whole'), piece.length, bytes(piece)))
    assert.equal(existsSync(at('whole')), false)
    const stamp = await run(files.replaceIf(at('whole'), undefined, bytes('end\n'), piece.length * 2))
    assert.equal(stamp, stampOf(at('whole')))
    assert.equal(readFileSync(at('whole'), 'utf8'), `${piece}${piece}end\n`)
    await assert.rejects(async () => { await run(files.stage(at('whole'), 7, bytes('x'))) }, /missing/)
    await run(files.copy(at('whole'), at('copy')))
    await run(files.append(at('whole'), bytes('more\n')))
    assert.equal(readFileSync(at('copy'), 'utf8'), `${piece}${piece}end\n`)
    assert.equal(await run(files.beginsWith(at('whole'), at('copy'))), true)
    assert.equal(await run(files.beginsWith(at('copy'), at('whole'))), false)
    await run(files.replace(at('copy'), bytes(`${piece}${piece}eNd\n`)))
    assert.equal(await run(files.beginsWith(at('whole'), at('copy'))), false)
    assert.equal(text(await run(files.read(at('whole'), 2, 5))), 'line ')
    await run(files.stage(at('never'), 0, bytes('x')))
    await run(files.close())
    assert.deepEqual(readdirSync(folder).sort(), ['copy', 'whole'])
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
