//! What holds for a time: kept with its limits, shown inside them, found in its history after them.
#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use crate::house;

use house::{House, NOON};
use jev_memory_core::fake::Disk;
use serde_json::json;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// The midnight before [`NOON`], UTC, a Tuesday: 2026-09-29.
const MIDNIGHT: i64 = NOON - 8 * HOUR;

/// A rule until tomorrow at three, said half past midnight on a clock `offset` minutes ahead.
fn until_tomorrow_at_three(offset: i64, zone: Option<&str>) {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let said = MIDNIGHT + HOUR / 2 - offset * 60_000;
    house.clock.now_ms.set(said);
    house
        .clock
        .offset_minutes
        .set(if zone.is_none() { offset as i32 } else { 60 });
    let mut talk = house.session("s1", "/repo/shop");
    talk.zone = zone.map(str::to_owned);
    let rule = "明天下午三点前不要动 main 分支。";
    let learned = talk.turn(rule);
    assert_eq!(learned.kept.len(), 1, "{:?}", house.rows(&disk, "skip"));

    let three = said - HOUR / 2 + DAY + 15 * HOUR;
    let row = &house.rows(&disk, "write")[0]["memory"];
    assert_eq!(row["validUntil"], three);
    assert_eq!(row["validFrom"], json!(null));
    for (id, at, shown) in [
        ("s2", said + 60_000, true),
        ("s3", three - 60_000, true),
        ("s4", three, false),
        ("s5", three + 60_000, false),
    ] {
        house.clock.now_ms.set(at);
        let block = house.session(id, "/repo/shop").says("看看 main 分支");
        assert_eq!(block.contains(rule), shown, "{id}: {block}");
    }
    // A step of a turn that began before is told nothing old.
    house.clock.now_ms.set(three - 1);
    let mut late = house.session("s6", "/repo/shop");
    assert!(late.says("看看 main 分支").contains(rule));
    house.clock.now_ms.set(three);
    assert!(!late.block().contains(rule));

    assert_eq!(late.search("main 分支")["hits"], json!([]));
    let history = late.search_with(json!({ "query": "main 分支", "includeHistory": true }));
    assert_eq!(history["hits"][0]["text"], rule, "{history}");
    if zone.is_none() {
        assert_eq!(history["hits"][0]["date"], "2026-09-29");
        assert_eq!(history["hits"][0]["validUntil"], "2026-09-30 15:00");
    }
}

#[test]
fn a_rule_until_an_hour_ends_at_the_right_instant() {
    until_tomorrow_at_three(480, None);
    until_tomorrow_at_three(-420, None);
    until_tomorrow_at_three(0, None);
}

#[test]
fn the_client_tells_whose_clock_it_is() {
    until_tomorrow_at_three(480, Some("Etc/GMT-8"));
    until_tomorrow_at_three(-420, Some("Etc/GMT+7"));
}

#[test]
fn two_periods_are_two_records_each_found_in_its_own() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({ "minImportance": 0.0 }));
    // 2026-01-15 and 2026-06-10.
    let (january, june) = (1_768_464_000_000, 1_781_078_400_000);
    house.clock.now_ms.set(january);
    let first = house
        .session("s1", "/repo/shop")
        .turn("一月到三月由甲组值班。");
    house.clock.now_ms.set(june);
    let mut talk = house.session("s2", "/repo/shop");
    let second = talk.turn("七月到九月由甲组值班。");
    assert_eq!(
        (first.kept.len(), second.kept.len()),
        (1, 1),
        "{:?}",
        house.rows(&disk, "skip")
    );
    assert_eq!(second.held.len(), 0);
    for (day, expected) in [
        ("2026-02-15", json!(["一月到三月由甲组值班。"])),
        ("2026-05-15", json!([])),
        ("2026-08-15", json!(["七月到九月由甲组值班。"])),
    ] {
        let found = talk.search_with(json!({ "query": "谁值班", "asOf": day }));
        let texts: Vec<_> = found["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| &hit["text"])
            .collect();
        assert_eq!(json!(texts), expected, "{day}");
    }
    // By default what comes is found, what is over is not.
    let found = talk.search("值班");
    assert_eq!(found["hits"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["hits"][0]["validFrom"], "2026-07-01 00:00");
}

#[test]
fn said_again_when_its_time_is_over_it_is_a_new_version() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", "/repo/shop");
    let rule = "本周内不要改动 data/ 目录。";
    let id = talk.turn(rule).kept[0].id.clone();
    house.clock.now_ms.set(NOON + DAY);
    assert_eq!(talk.turn(rule).kept.len(), 0);
    assert_eq!(house.rows(&disk, "skip")[0]["reason"], "duplicate");

    house.clock.now_ms.set(NOON + 10 * DAY);
    assert!(!talk.says("看看 data/ 目录").contains(rule));
    let again = talk.turn(rule);
    assert_eq!(again.kept.len(), 1, "{again:?}");
    assert_eq!(again.kept[0].id.as_str(), format!("{id}-2"));
    assert!(talk.says("看看 data/ 目录").contains(rule));
}

#[test]
fn tomorrow_said_on_the_next_day_is_another_day() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", "/repo/shop");
    let rule = "明天下午三点前不要动 main 分支。";
    assert_eq!(talk.turn(rule).kept.len(), 1);
    house.clock.now_ms.set(NOON + DAY);
    let again = talk.turn(rule);
    assert_eq!((again.kept.len(), again.held.len()), (1, 0), "{again:?}");
    let row = house.rows(&disk, "write").pop().unwrap();
    assert_eq!(row["memory"]["validUntil"], MIDNIGHT + 2 * DAY + 15 * HOUR);
}
