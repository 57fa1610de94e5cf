// The estimate of tokens beside the tokeniser it was fitted to: never under the truth by more than a tenth.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getEncoding } from 'js-tiktoken'
import { loadSync } from '../plugin/instance.ts'

const core = loadSync()
const o200k = getEncoding('o200k_base')

const kinds: Record<string, string[]> = {
  zh: [
    '以后所有接口的错误信息都必须写中文，不要直接把英文堆栈丢给前端。',
    '部署脚本只能在晚上十点以后跑，白天会影响结算。',
    '这个仓库统一用四个空格缩进，提交之前先跑一遍格式检查。',
    '别再用旧的网关了，新服务的地址以配置中心里的为准。',
    '订单金额一律按分存成整数，展示的时候再换算成元。',
    '日志里绝不能出现用户的手机号和身份证，打码以后再写。',
  ],
  en: [
    'Always run the linter before you commit, and never skip the failing tests.',
    'The staging database is shared with the mobile team, so migrations need their approval first.',
    'We decided to keep the old endpoint until the end of the quarter because two partners still call it.',
    'Use tabs in this repository; the formatter config is authoritative.',
    'Do not touch the generated files under the client folder by hand.',
    'Prefer small pull requests: one change, one reason, one reviewer.',
  ],
  code: [
    'export async function readConfig(path: string): Promise<Config> { return JSON.parse(await readFile(path, "utf8")) }',
    'for i in range(len(items)):\n    if items[i].price_cents > LIMIT_CENTS:\n        raise ValueError(f"item {i} is too dear")',
    'cargo test --package storage --lib -- --nocapture index::tests::merge_keeps_order',
    "SELECT u.id, COUNT(*) AS n FROM users u JOIN orders o ON o.user_id = u.id WHERE o.created_at > NOW() - INTERVAL '7 days' GROUP BY u.id",
    'error[E0502]: cannot borrow `cache` as mutable because it is also borrowed as immutable --> src/cache.rs:88:9',
    'git rebase --onto origin/main HEAD~3 feature/checkout-timeout',
  ],
  emoji: [
    '🚀 ship it after the green build ✅ and tell the channel 📣',
    '这次发布 🎉🎉🎉 记得先看监控 📈，出问题马上回滚 ⏪',
    '⚠️ never merge on red 🔴🔴, wait for 🟢',
    '👩‍💻👨‍👩‍👧‍👦 family and flags 🇯🇵🇩🇪🇧🇷 count, too',
  ],
}

for (const [kind, texts] of Object.entries(kinds)) {
  test(`the estimate of ${kind} is at least nine tenths of what o200k_base counts`, t => {
    // Each alone, and all together: a block is both.
    const all = [...texts, texts.join('\n')]
    const input = all.map(text => JSON.stringify({ text })).join('\n')
    const told = (core.predict('tokens', input, '') ?? '').trimEnd().split('\n').map(line => (JSON.parse(line) as { tokens: number }).tokens)
    const truth = all.map(text => o200k.encode(text).length)
    const under = all.filter((_, at) => (told[at] ?? 0) < 0.9 * (truth[at] ?? 0))
    assert.equal(told.length, all.length)
    assert.deepEqual(under, [])
    const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0)
    t.diagnostic(`${kind}: estimated ${sum(told)}, counted ${sum(truth)}`)
  })
}
