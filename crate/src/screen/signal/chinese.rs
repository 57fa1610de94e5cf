//! The Chinese rows of the lexicon.

use super::{Kind, Signal};

/// Words whose characters look like a signal and are none.
pub const MASKS: &str = "窗口函数|密码框|要不要|是不是|能不能|可不可以|需不需要|应不应该|该不该|分别|区别|特别|类别|识别|级别\
    |个别|别名|差别|判别|性别|别人|别的|辨别|鉴别|告别|预先|事先|先进|先前|原先|祖先|不必须|不一定要\
    |没必要|未必|不统一|没统一|未统一|供应|响应|适应|对应|相应|反应|应用|应急|效应|感应|回应|并发|转换成\
    |必须品|不一定|一定程度|注意力|规范化|标准库|标准输出|标准输入|使用者|使用说明|使用手册|使用场景\
    |使用方法|使用情况|所有权|所有者|平均|均衡|均匀|无须|其他|其它|其中|其实|尤其|因此|如此|彼此|再次\
    |再见|不能够|不得不|不可避免|别墅|理由|自由|由于|路由|由此|缘由|坑位|选择器|选择题|自由选择|存在感\
    |内存条|要求书|需要吗|又或者|还是说|不用谢|不客气|各位|各种|各类|由来|系统性|机器学习|机器人\
    |网络游戏|注意事项|应该怎么|凡尔|为以后|以便以后|方便以后|了以后|完以后|好以后|成以后|到以后|起来以后|以后再说|导致的原因|记住密码|记住我|统一码";

/// The rows, for lasting first.
pub const SIGNALS: &[Signal] = &[
    Signal {
        id: "zh-standing",
        prior: 1.7,
        weight: 1.24,
        kind: Kind::Rule,
        negation_window: 3,
        #[cfg(test)]
        case: "以后提交信息用英文",
        words: "以后|今后|往后|从现在起|从现在开始|从今|日后|将来|每次|每回|凡是|但凡|凡|任何时候|任何情况|任何人\
                |无论|不论|不管|长期|永久|一直|每当|所有项目|整个项目|全项目|项目里|项目中|项目内|本项目|这个项目\
                |我们项目|本仓库|这个仓库|仓库里|我们团队|团队|团队约定|记住|请记住|要记得|牢记|约定|约定俗成|原则上|惯例\
                |规矩|规则是|铁律|红线|除非我|我没说|未经|没有我|先问我|先跟我|跟我确认|等我确认|经我|征得|明确要求\
                |明确同意|默认用|默认使用|默认走|从今天起|从今天开始|今天起|任何时候都",
    },
    Signal {
        id: "zh-always",
        prior: 1.3,
        weight: 1.09,
        kind: Kind::Rule,
        negation_window: 3,
        #[cfg(test)]
        case: "日志一律用英文",
        words: "一律|统一|统一用|统一使用|统一走|统一放|只要一|只要两|只要三|只要有|始终|永远|绝不|决不|从不|总是|全部|均|通通|都用|都要|都得|都必须|都走|都放|只用|只能\
                |只允许|仅允许|仅在|仅限|只准|只走|只在|严格",
    },
    Signal {
        id: "zh-rule-start",
        prior: 0.8,
        weight: 0.53,
        kind: Kind::Rule,
        negation_window: 0,
        #[cfg(test)]
        case: "禁止绕过评审",
        words: "^禁止|^严禁|^以后|^今后|^一律|^任何情况|^任何时候|^凡是|^不允许|^永远|^绝不|^从现在起|^从今天起|^每次|^约定|^团队约定\
                |^切勿|^不得",
    },
    Signal {
        id: "zh-firm",
        prior: 0.6,
        weight: 0.64,
        kind: Kind::Rule,
        negation_window: 3,
        #[cfg(test)]
        case: "变量名一律用英文",
        words: "一律|永远|始终|绝不|决不|无一例外|没有例外|不许例外|统一用|统一使用|统一走|统一放",
    },
    Signal {
        id: "zh-must",
        prior: 0.6,
        weight: 0.30,
        kind: Kind::Rule,
        negation_window: 2,
        #[cfg(test)]
        case: "接口必须鉴权",
        words: "必须|务必|须|一定要|强制|应当|要求|应该|应|需要|必需|不可缺少",
    },
    Signal {
        id: "zh-prohibit",
        prior: 0.8,
        weight: 1.05,
        kind: Kind::Rule,
        negation_window: 0,
        #[cfg(test)]
        case: "不要改动数据目录",
        words: "不要|不要改动|不要碰|别碰|不要动|别动|不能动|不许动|禁止|不得|不允许|不能|不准|严禁|切勿|请勿|别|不许|避免|不可|杜绝|不再|不应|勿|不随意|不主动\
                |不用|不引入|不使用|不提交|不碰|不动|不改|不依赖|不写|不做|不加|绝对不|千万不|千万别|少用|慎用|禁用\
                |停用|弃用|废弃|无需",
    },
    Signal {
        id: "zh-forbid",
        prior: 0.6,
        weight: 0.47,
        kind: Kind::Rule,
        negation_window: 0,
        #[cfg(test)]
        case: "严禁在日志里打印身份证号",
        words: "禁止|严禁|不得|不准|切勿|绝对不|绝不|不要改动|不要碰|别碰|不要动|别动|不能动|不许动|不碰",
    },
    Signal {
        id: "zh-prefer",
        prior: 0.9,
        weight: 0.91,
        kind: Kind::Rule,
        negation_window: 2,
        #[cfg(test)]
        case: "优先用标准库",
        words: "优先|尽量|倾向|偏好|我喜欢|我更喜欢|我习惯|习惯|推荐|最好|尽可能|而不是|而非|宁可|宁愿|不喜欢|讨厌|我自己来|我自己跑|我自己改|我自己做|我来评估|我来定|由我来|我自己",
    },
    Signal {
        id: "zh-all",
        prior: 0.3,
        weight: -0.14,
        kind: Kind::Support,
        negation_window: 0,
        #[cfg(test)]
        case: "所有时间用 UTC",
        words: "所有|任何|每个|各个|一切|全部|每一|各|全局|全站|整体|每条|每份|每张",
    },
    Signal {
        id: "zh-choose",
        prior: 1.0,
        weight: 1.40,
        kind: Kind::Choice,
        negation_window: 2,
        #[cfg(test)]
        case: "后端采用 Go",
        words: "采用|选用|改用|换成|换用|切换到|迁移到|定为|定了|选定|用的是|我们用|技术栈|选型|部署在|部署到|运行在\
                |跑在|存储在|存到|存放|固定为|固定用|固定|搭建在|托管在|语言用|数据库用|沿用|保持用",
    },
    Signal {
        id: "zh-use",
        prior: 0.5,
        weight: 0.45,
        kind: Kind::Choice,
        negation_window: 2,
        #[cfg(test)]
        case: "使用 Redis 作为缓存",
        words: "选择|决定|使用|作为|基于|框架|存在|放在|放到|来实现|就用|走的是|由|拆成",
    },
    Signal {
        id: "zh-use-start",
        prior: 0.6,
        weight: 0.72,
        kind: Kind::Choice,
        negation_window: 0,
        #[cfg(test)]
        case: "使用 uv 管理依赖",
        words: "^使用|^用|^采用|^后端|^前端|^数据库|^统一|^部署|^缓存|^消息队列|^测试用|^日志用|^语言|^框架|^技术栈\
                |^构建工具|^包管理",
    },
    Signal {
        id: "zh-rule-noun",
        prior: 0.8,
        weight: 0.87,
        kind: Kind::Support,
        negation_window: 0,
        #[cfg(test)]
        case: "提交信息写英文",
        words: "规范|约定|原则|命名|注释|提交信息|提交|代码风格|代码质量|类型标注|类型注解|依赖|回复|回答|分支|主干\
                |合并|评审|单元测试|单测|覆盖率|硬编码|写死|第三方库|遵循|遵守|缩进|格式化|迁移脚本|上线|流水线\
                |异常处理|错误处理|代码里|变量名|函数名|文件名|目录结构|常量|魔法数字|模块边界|代码审查|发布前\
                |提交前|合并前|上线前",
    },
    Signal {
        id: "zh-arch-noun",
        prior: 0.4,
        weight: 0.38,
        kind: Kind::Support,
        negation_window: 0,
        #[cfg(test)]
        case: "接口走统一网关",
        words: "接口|架构|兼容|开源|安全|合规|配置|环境|日志|密钥|第三方|标准|中文|英文|风格|测试|发布|事务|权限\
                |鉴权|审批|备份|回滚|敏感信息|符合|数据库|缓存|服务",
    },
    Signal {
        id: "zh-env",
        prior: 1.0,
        weight: 1.33,
        kind: Kind::Support,
        negation_window: 0,
        #[cfg(test)]
        case: "密钥在环境变量里",
        words: "环境变量|内网|外网|代理|防火墙|生产库|生产环境|线上|测试环境|开发环境|运行环境|目标环境|预发|本机\
                |本地|服务器|机器|私有仓库|私有库|镜像|端口|版本|网络|离线|显卡|内存|磁盘|系统|权限|账号|域名|重启\
                |公司规定|规定|不让|问过|确认过|运维|甲方|客户要求|老板要求|领导要求|法务|预算|白名单|审计",
    },
    Signal {
        id: "zh-trap",
        prior: 1.2,
        weight: 0.95,
        kind: Kind::Trap,
        negation_window: 0,
        #[cfg(test)]
        case: "否则会丢数据",
        words: "否则|会导致|导致|不支持|踩坑|坑|注意|会报错|报错|会失败|会丢|会消失|丢失|容易|陷阱|小心|才能|才会\
                |会被|会把|会卡|卡死|死锁|泄漏|乱码|超限|超时|不生效|失效|不然|返回裸|缺失|限制|不可用|不稳定|不兼容\
                |冲突|会覆盖|会清空|会触发|会崩|崩溃|只在|上限|最多|误判|误删",
    },
    Signal {
        id: "zh-because",
        prior: 0.4,
        weight: 0.53,
        kind: Kind::Support,
        negation_window: 0,
        #[cfg(test)]
        case: "因为缓存会过期",
        words: "因为|由于|原因|除非|以免|防止|免得|为了避免|以防|考虑到",
    },
    Signal {
        id: "zh-passing",
        prior: -1.0,
        weight: -0.44,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "这次先这样",
        words: "这次|本次|此次|这一次|先|暂时|目前|现在|今天|明天|今晚|昨天|刚才|刚刚|当前|一下|最后一次|临时|已经\
                |正在|马上|接下来|下一步|待会|等会|稍后|这轮|这一轮|本轮|这个任务|本任务|这版|本期|第一版|后面再\
                |回头再|尽快|赶紧",
    },
    Signal {
        id: "zh-sequence",
        prior: -0.6,
        weight: -0.83,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "然后打开文件",
        words: "然后|接着|之后|再|第一步|第二步|第三步|最后|步骤|依次|完成后|如下|以下|以上|上述|下面|上面|同时|此外\
                |首先|其次|另外",
    },
    Signal {
        id: "zh-deictic",
        prior: -0.5,
        weight: -0.40,
        kind: Kind::Pointing,
        negation_window: 0,
        #[cfg(test)]
        case: "这里不对",
        words: "这个|这里|那个|那里|这些|那些|该|此|这样|那样|其|它|这段|这行|这份|这两|这种|这条|这几|这一|你的\
                |我的",
    },
    Signal {
        id: "zh-order-start",
        prior: -1.0,
        weight: -0.90,
        kind: Kind::Order,
        negation_window: 0,
        #[cfg(test)]
        case: "帮我看看日志",
        words: "帮我|帮忙|请你|你来|给我|^请|^看看|^继续|^开始|^修复|^生成|^撰写|^阅读|^分析|^优化|^添加|^增加|^新增\
                |^修改|^删除|^构建|^创建|^检查|^更新|^参考|^查看|^整理|^规划|^设计|^重构|^调整|^补充|^编写|^介绍\
                |^查阅|^根据|^基于|^按照|^执行|^写|^实现|^完善|^思考|^仔细|^深度|^把|^将|^给|^为|^去掉|^移除|^对比\
                |^总结|^解释|^列出|^提供|^试试|^排查|^启动|^运行|^安装|^翻译|^集成|^接入|^读取|^结合|^针对|^从|^再\
                |^让|^用中文|^输出",
    },
    Signal {
        id: "zh-order",
        prior: -0.7,
        weight: -0.34,
        kind: Kind::Order,
        negation_window: 0,
        #[cfg(test)]
        case: "顺手把表头也优化一下",
        words: "看看|生成|撰写|阅读|分析|优化|添加|增加|新增|改成|改为|修改|删除|构建|创建|检查|更新|参考|参照|查看\
                |整理|规划|设计|重构|美化|调整|补充|编写|介绍|查阅|根据|按照|执行|写入|输出|读取|实现|完善|思考|仔细\
                |深度|去掉|移除|确认一下|修复|继续",
    },
    Signal {
        id: "zh-ui",
        prior: -0.7,
        weight: -0.61,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "点击按钮弹出窗口",
        words: "按钮|页面|弹窗|弹出|点击|显示|界面|列表|菜单|图标|背景|颜色|卡片|玩家|输入框|提示框|展示|窗口|动画\
                |右上角|左上角|右下角|左侧|右侧|标题|主页|首页|弹框|样式|布局|效果|滚动|拖拽|下拉|选中|勾选|关卡\
                |游戏|跳转|置顶|渐变|居中|对齐",
    },
    Signal {
        id: "zh-product",
        prior: -0.5,
        weight: -0.44,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "用户可以搜索文章",
        words: "用户|节点|选择|查询|功能|支持|角色|图片|搜索|登录|注册|文章|字段|表单|场景|商品|订单|视频|音频|素材\
                |文案|帖子|评论|通知|消息|文档|报告|方案|需求|章节|课程",
    },
    Signal {
        id: "zh-tentative",
        prior: -0.7,
        weight: -0.98,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "可能要换掉",
        words: "可能|也许|好像|似乎|我觉得|我认为|我想|希望|想要|猜测|是否|如何|怎么|为什么|有没有|什么|吗|哪|或许\
                |不确定|应该是",
    },
    Signal {
        id: "zh-advice",
        prior: -0.5,
        weight: -0.68,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "建议可以加个缓存",
        words: "建议|可以考虑|你可以|您可以|可选|推荐使用|旨在|学员|读者|通过系统|本文|本章|能够",
    },
    Signal {
        id: "zh-if",
        prior: -0.3,
        weight: -0.48,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "如果为空就跳过",
        words: "如果|若|假如|的话|当",
    },
    Signal {
        id: "zh-report",
        prior: -0.8,
        weight: -0.96,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "我改完了",
        words: "我发现|发现|报错了|完成了|改完|跑了|结果|全过|已修|已完成|出现|遇到|失败了|成功|了一次|没有生效\
                |还是不|不对|有问题|问题|为空|看到|试了|改了|加了|删了",
    },
    Signal {
        id: "zh-ack-start",
        prior: -0.8,
        weight: -0.60,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "好的就这样",
        words: "^好的|^好，|^好。|^好吧|^嗯|^是的|^可以|^行，|^行。|^行吧|^对，|^对。|^对的|^不用，|^不用。|^不用了\
                |^谢谢|^没问题|^明白|^没事|^收到|^不是|^不对",
    },
];
