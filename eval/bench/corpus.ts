// A seeded corpus of short rules, Chinese and English, of the shape memories have. Nothing here was said by anyone.

/** A small seeded generator (mulberry32), so that every run measures the same texts. */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const zhSubjects = '端口 日志 缓存 队列 数据库 迁移脚本 提交信息 分支 标签 依赖 构建产物 镜像 容器 证书 密钥 配置文件 环境变量 接口 返回值 错误码 时区 编码 字体 主题 按钮 弹窗 表格 列表页 详情页 登录页 权限 角色 审计 备份 快照 回滚 灰度 发布 测试 单元测试 集成测试 用例 覆盖率 性能 内存 线程 协程 超时 重试 限流 熔断 监控 告警 指标 追踪 文档 注释 命名 目录 模块 组件 插件 脚本 命令行 终端 浏览器 服务器 客户端 网关 代理 域名 存储 文件 图片 视频 音频 消息 通知 邮件 短信 订单 支付 账单 发票 库存 商品 用户 会员 活动 优惠 搜索 推荐 排序 索引 分页 国际化 翻译'.split(' ')
const zhVerbs = '固定用 统一放在 必须先经过 禁止直接修改 不要依赖 优先采用 默认关闭 只允许写入 每次都要检查 改动之前先备份 不得超过 需要记录到 由值班同事确认 迁移到 兼容旧版 对齐 回退到 拆分成 合并进 同步到'.split(' ')
const zhObjects = '主干 预发环境 生产环境 本地磁盘 对象存储 统一网关 团队规范 第二阶段 周会 变更单 只读副本 公共模块 基础镜像 内网 白名单 版本号 开发机 流水线 仓库根目录 设计稿 接口文档 测试报告 值班表 共享盘 归档目录'.split(' ')
const enSubjects = 'port log cache queue database migration commit branch tag dependency artifact image container certificate config environment endpoint response schema timezone encoding theme button dialog table page permission role audit backup snapshot rollback release test fixture coverage memory thread timeout retry limiter monitor alert metric trace document comment naming folder module component plugin script terminal browser server client gateway proxy domain storage file message webhook order payment invoice stock user search ranking index pagination locale translation parser lexer compiler runtime scheduler worker session token cursor buffer stream socket handler router middleware'.split(' ')
const enVerbs = 'must stay|should live in|is never changed without|always goes through|depends only on|falls back to|is pinned to|needs approval before|may not exceed|is generated from|belongs next to|breaks when mixed with|is reviewed together with|moves before|is written to'.split('|')
const enObjects = 'the main branch|the staging cluster|a local disk|the shared gateway|the style guide|the second stage|the weekly review|a change request|the read replica|the base image|the internal network|the allow list|the release notes|the pipeline|the repository root|the design sheet|the test report|the archive folder|the public module|the build cache'.split('|')
const parts = 'sync auth user order bill mail audit cache index batch retry proxy event stream graph admin store trade query build'.split(' ')

/** Returns `n` texts. About half are Chinese; a third carry an identifier, a number or a path of their own. */
export function corpus(n: number, seed: number): string[] {
  const next = random(seed)
  // A square draw: few words are common and most are rare, as in real text.
  const pick = (list: readonly string[]): string => list[Math.floor(next() ** 2 * list.length)] ?? ''
  const identifier = (): string => {
    const tail = Math.floor(next() * 9000 + 1000).toString()
    const shapes = [`${pick(parts)}-${pick(parts)}`, `${pick(parts)}_${pick(parts)}.ts`, `${pick(parts)}Service${tail.slice(0, 2)}`, tail, `PR#${tail}`]
    return shapes[Math.floor(next() * shapes.length)] ?? tail
  }
  const texts: string[] = []
  for (let i = 0; i < n; i++) {
    const own = next() < 0.35 ? identifier() : ''
    texts.push(next() < 0.5
      ? `${pick(zhSubjects)}${own}${pick(zhVerbs)}${pick(zhObjects)}${next() < 0.4 ? `，${pick(zhSubjects)}${pick(zhVerbs)}${pick(zhObjects)}` : ''}`
      : `The ${own} ${pick(enSubjects)} ${pick(enVerbs)} ${pick(enObjects)}${next() < 0.4 ? `, and the ${pick(enSubjects)} ${pick(enVerbs)} ${pick(enObjects)}` : ''}`)
  }
  return texts
}
