//! Facts about windows: what is said, when, and until when it holds.

use super::read;
use crate::text::day;

/// Monday, 2026-11-30, 10:00 on the clock of the speaker.
const SAID: &str = "2026-11-30 10:00";

fn utc(text: &str) -> i64 {
    let (date, time) = text.split_once(' ').unwrap_or((text, "00:00"));
    let (hour, minute) = time.split_once(':').unwrap();
    let minutes = hour.parse::<i64>().unwrap() * 60 + minute.parse::<i64>().unwrap();
    day::parse(date).unwrap() + minutes * 60_000
}

fn shown(at: Option<i64>, offset: &dyn Fn(i64) -> i32) -> String {
    at.map_or(String::new(), |at| {
        let minutes = (at / 60_000 + i64::from(offset(at))).rem_euclid(1_440);
        let date = day::local(at, offset(at));
        match minutes {
            0 => date,
            _ => format!("{date} {:02}:{:02}", minutes / 60, minutes % 60),
        }
    })
}

/// Reads `text` said at a local time eight hours ahead of UTC; `from/until`, `-` for none.
fn check_at(said: &str, text: &str) -> String {
    let offset = |_: i64| 480;
    match read(text, utc(said) - 480 * 60_000, &offset) {
        None => "-".to_owned(),
        Some(window) => format!(
            "{}/{}",
            shown(window.from_ms, &offset),
            shown(window.until_ms, &offset)
        ),
    }
}

fn check(rows: &[(&str, &str)]) {
    let wrong: Vec<String> = rows
        .iter()
        .map(|(text, expected)| (text, expected, check_at(SAID, text)))
        .filter(|(_, expected, read)| *expected != read)
        .map(|(text, expected, read)| format!("{text}\n   expected {expected}\n   read     {read}"))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn chinese_windows_are_read() {
    check(&[
        ("周五前不要合并到 main", "/2026-12-04"),
        ("周五之前接口冻结", "/2026-12-04"),
        ("星期三以前不要升级 Node", "/2026-12-02"),
        ("下周三之前先用旧的网关", "/2026-12-09"),
        ("下下周一前别动支付模块", "/2026-12-14"),
        ("本周五前统一用测试库", "/2026-12-04"),
        ("周末前不要发布", "/2026-12-05"),
        ("月底之前所有改动都走灰度", "/2026-12-01"),
        ("下个月底之前保留旧接口", "/2027-01-01"),
        ("年底前不升级数据库大版本", "/2027-01-01"),
        ("明年年底前必须兼容 IE 模式", "/2028-01-01"),
        ("季度末之前不接新需求", "/2027-01-01"),
        ("明天下午三点前不要动 main 分支", "/2026-12-01 15:00"),
        ("明天下午三点半之前不要动 main 分支", "/2026-12-01 15:30"),
        ("明天15:00前不要部署", "/2026-12-01 15:00"),
        ("今晚十点前不要重启服务", "/2026-11-30 22:00"),
        ("后天中午前保持只读", "/2026-12-02 12:00"),
        ("周五下午 5 点前禁止改表结构", "/2026-12-04 17:00"),
        ("周五晚上12点前禁止改表结构", "/2026-12-05"),
        ("12月15日前不要删除旧字段", "/2026-12-15"),
        ("3月5号之前用预发环境", "/2027-03-05"),
        ("15号前不要动配置中心", "/2026-12-15"),
        ("下个月10号之前都用旧域名", "/2026-12-10"),
        ("2027年3月1日前不支持新协议", "/2027-03-01"),
        ("2027-03-01之前不支持新协议", "/2027-03-01"),
        ("三月前不换框架", "/2027-03-01"),
        ("直到周五都用备用机房", "/2026-12-05"),
        ("冻结到周五，期间不合并", "/2026-12-05"),
        ("到12月20日为止只修缺陷", "/2026-12-21"),
        ("截至三月为止都由丙组维护", "/2027-04-01"),
        ("本周不要动 schema", "/2026-12-07"),
        ("这周统一用 staging 环境", "/2026-12-07"),
        ("本周内不要改公共组件", "/2026-12-07"),
        ("这个月所有接口都走代理", "/2026-12-01"),
        ("本季度不引入新依赖", "/2027-01-01"),
        ("今年都用 Node 22", "/2027-01-01"),
        ("下周由乙组值班", "2026-12-07/2026-12-14"),
        ("下个月由乙组值班", "2026-12-01/2027-01-01"),
        ("明年改用新的计费接口", "2027-01-01/2028-01-01"),
        ("一月到三月由甲组值班", "2027-01-01/2027-04-01"),
        ("七月到九月由甲组值班", "2027-07-01/2027-10-01"),
        ("1-3月由甲组值班", "2027-01-01/2027-04-01"),
        ("从十二月到明年二月由甲组值班", "2026-12-01/2027-03-01"),
        ("12月10日到15日不要发布", "2026-12-10/2026-12-16"),
        ("12月28日到1月5日不要发布", "2026-12-28/2027-01-06"),
        ("10号到15号不要发布", "2026-12-10/2026-12-16"),
        ("下周一到周三不要发布", "2026-12-07/2026-12-10"),
        ("2027年1月到6月用双写", "2027-01-01/2027-07-01"),
        ("从下周一起都用 pnpm", "2026-12-07/"),
        ("12月15日起所有接口必须鉴权", "2026-12-15/"),
        ("从明天开始日志都用 JSON", "2026-12-01/"),
        ("周五之后再开放写权限", "2026-12-05/"),
        ("接下来两周不要重构", "/2026-12-15"),
        ("未来三天都用只读副本", "/2026-12-04"),
        ("今后一个月保留旧日志格式", "/2026-12-31"),
        ("今天不要重启数据库", "/2026-12-01"),
        ("今天之内不要重启数据库", "/2026-12-01"),
        ("明年三月前不换框架", "/2027-03-01"),
        ("第一季度内不升级编译器", "2027-01-01/2027-04-01"),
        ("明年上半年内只做维护", "2027-01-01/2027-07-01"),
        ("从下周一到12月20日冻结主干", "2026-12-07/2026-12-21"),
    ]);
}

#[test]
fn english_windows_are_read() {
    check(&[
        ("Do not merge into main until Friday", "/2026-12-05"),
        ("No deploys till Friday 5pm", "/2026-12-04 17:00"),
        ("No deploys until 5 pm on Friday", "/2026-12-04 17:00"),
        ("Keep main frozen until 17:30 tomorrow", "/2026-12-01 17:30"),
        ("Do not touch main before 3pm tomorrow", "/2026-12-01 15:00"),
        ("Do not restart the service until noon", "/2026-11-30 12:00"),
        ("Do not restart the service until 9am", "/2026-12-01 09:00"),
        ("Do not deploy before Friday", "/2026-12-04"),
        ("Use the old gateway until next week", "/2026-12-07"),
        (
            "Use the old gateway until the end of next week",
            "/2026-12-14",
        ),
        (
            "Use the old gateway until the end of the month",
            "/2026-12-01",
        ),
        (
            "All changes behind a flag before the end of the year",
            "/2027-01-01",
        ),
        ("Keep the old endpoint through March", "/2027-04-01"),
        ("Keep the old endpoint until March", "/2027-03-01"),
        (
            "Keep the old endpoint until the end of March",
            "/2027-04-01",
        ),
        ("Keep the old endpoint until March 15", "/2027-03-16"),
        ("Keep the old endpoint until 15 March 2028", "/2028-03-16"),
        ("Keep the old endpoint until March 3rd, 2028", "/2028-03-04"),
        ("Keep the old endpoint until 2026-12-24", "/2026-12-25"),
        ("Freeze the schema by Friday, then leave it", "/2026-12-05"),
        ("No new dependencies until Q2", "/2027-04-01"),
        ("No new dependencies until 2027", "/2027-01-01"),
        ("No new dependencies until EOY", "/2027-01-01"),
        ("This week use the staging database", "/2026-12-07"),
        ("Use the staging database this month", "/2026-12-01"),
        ("Next week team B is on call", "2026-12-07/2026-12-14"),
        (
            "From January to March team A is on call",
            "2027-01-01/2027-04-01",
        ),
        (
            "Team A is on call from July through September",
            "2027-07-01/2027-10-01",
        ),
        (
            "Between December 10 and December 15 nothing ships",
            "2026-12-10/2026-12-16",
        ),
        (
            "From December 10 to 15 nothing ships",
            "2026-12-10/2026-12-16",
        ),
        (
            "From December 28 until January 5 nothing ships",
            "2026-12-28/2027-01-06",
        ),
        ("Starting Wednesday, use pnpm", "2026-12-02/"),
        (
            "As of January 1, every endpoint needs a token",
            "2027-01-01/",
        ),
        ("From tomorrow on all logs are JSON", "2026-12-01/"),
        ("After Friday writes are open again", "2026-12-05/"),
        ("For the next two weeks do not refactor", "/2026-12-15"),
        ("For the next 3 days use the replica", "/2026-12-04"),
        ("For the next 6 hours use the replica", "/2026-11-30 16:00"),
        ("For the rest of the week use the replica", "/2026-12-07"),
        ("For today, leave the database alone", "/2026-12-01"),
        ("During Q1 only fixes go in", "2027-01-01/2027-04-01"),
        (
            "From next Monday until December 20 main is frozen",
            "2026-12-07/2026-12-21",
        ),
        (
            "Do not touch main until the day after tomorrow",
            "/2026-12-03",
        ),
        ("No releases this weekend", "2026-12-05/2026-12-07"),
    ]);
}

#[test]
fn what_cannot_be_told_for_sure_is_left_without_a_window() {
    let rows = [
        "Do not deploy before the release date",
        "Keep the flag until further notice",
        "Keep the flag until the migration is done",
        "Never deploy after 6 pm",
        "Never deploy before 9am",
        "Every Friday before 5pm run the backup",
        "No deploys on Fridays",
        "The weekly report goes out before Friday",
        "Do not deploy until 5pm UTC",
        "Do not deploy until tomorrow at 3",
        "Do not deploy until next Friday",
        "We moved to pnpm in March",
        "From January to March we moved to pnpm",
        "Raise the limit from 2000 to 2048",
        "Run the job from 9:00 to 17:00",
        "Support stays Monday to Friday",
        "From Monday to Friday keep the office open",
        "Keep logs for 14 days",
        "Friday is release day",
        "Use Node 22",
        "Do not deploy until 2026-11-01",
        "Do not deploy until February 30",
        "Do not edit this week's changelog",
        "上线前不要改配置",
        "发布日之前不要合并",
        "春节前不发版",
        "每周五前提交周报",
        "每天下午三点前同步数据",
        "三点前不要合并",
        "明天三点前不要合并",
        "周一到周五上班时间不要发布",
        "日志保留 14 天",
        "三天内必须回复",
        "周五前端发布",
        "周三后端联调",
        "上周五前的分支都可以删",
        "三月中旬之前不升级",
        "下月初之前不升级",
        "本周的周会纪要放到 docs",
        "三个月前的日志可以删",
        "周五发布",
        "10号楼的门禁配置在 gate.yml",
        "去年一月到三月由甲组值班",
        "端口用 8000",
        "明天上午之前不要合并",
        "一周三次回归",
        "",
    ];
    let wrong: Vec<_> = rows
        .into_iter()
        .map(|text| (text, check_at(SAID, text)))
        .filter(|(_, read)| read != "-")
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_year_is_the_one_in_which_it_is_not_over() {
    for (said, text, expected) in [
        ("2026-01-15 09:00", "一月到三月由甲组值班", "/2026-04-01"),
        (
            "2026-06-10 09:00",
            "七月到九月由甲组值班",
            "2026-07-01/2026-10-01",
        ),
        (
            "2026-01-15 09:00",
            "From November to January team B is on call",
            "/2026-02-01",
        ),
        (
            "2026-02-15 09:00",
            "From November to January team B is on call",
            "2026-11-01/2027-02-01",
        ),
        ("2026-12-04 18:00", "周五前不要合并", "-"),
        (
            "2026-12-04 18:00",
            "Do not merge until Friday",
            "/2026-12-05",
        ),
        (
            "2026-12-05 09:00",
            "Do not merge until Friday",
            "/2026-12-12",
        ),
        (
            "2026-12-04 18:00",
            "Do not merge until next Monday",
            "/2026-12-08",
        ),
        ("2026-01-31 09:00", "今后一个月不要动", "/2026-03-01"),
        ("2028-02-10 09:00", "2月29日前不要动", "/2028-02-29"),
    ] {
        assert_eq!(check_at(said, text), expected, "{said} {text}");
    }
}

#[test]
fn the_instant_is_right_on_any_clock() {
    // Half past midnight: the day is the speaker's own.
    for offset in [480, -420] {
        let said = utc("2026-11-30 00:30") - i64::from(offset) * 60_000;
        let window = read("明天下午三点前不要动 main 分支。", said, &|_| offset).unwrap();
        let until = utc("2026-12-01 15:00") - i64::from(offset) * 60_000;
        assert_eq!(window.until_ms, Some(until));
    }
}

#[test]
fn a_change_to_daylight_saving_on_the_way_counts() {
    // New York: the clock goes from 02:00 to 03:00 on 2026-03-08, from 02:00 to 01:00 on 2026-11-01.
    let (spring, autumn) = (utc("2026-03-08 07:00"), utc("2026-11-01 06:00"));
    let offset = move |at: i64| {
        if (spring..autumn).contains(&at) {
            -240
        } else {
            -300
        }
    };
    for (said, text, until) in [
        (
            "2026-03-07 17:00",
            "Keep main frozen until 3pm tomorrow",
            "2026-03-08 19:00",
        ),
        (
            "2026-03-07 17:00",
            "Keep main frozen until 2:30 am tomorrow",
            "2026-03-08 07:30",
        ),
        (
            "2026-10-31 16:00",
            "Keep main frozen until 3pm tomorrow",
            "2026-11-01 20:00",
        ),
        (
            "2026-10-31 16:00",
            "Keep main frozen until 1:30 am tomorrow",
            "2026-11-01 05:30",
        ),
    ] {
        let window = read(text, utc(said), &offset).unwrap();
        assert_eq!(window.until_ms, Some(utc(until)), "{text}");
    }
}
