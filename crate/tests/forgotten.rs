//! A transcript that is read again from its beginning, when nothing but the tombstone knows what was forgotten in it.

#![allow(clippy::expect_used)]

use crate::folder;
use crate::house;

use folder::{DIR, Folder, turn};
use house::House;
use jev_memory_core::fake::{Disk, block_on};
use jev_memory_core::memory::SessionId;
use serde_json::json;

/// The most sessions whose read position is kept, and more than that.
const SESSIONS: u32 = 20_050;

#[test]
fn its_place_in_the_transcript_never_brings_it_back_and_a_new_utterance_does() {
    let disk = Disk::new();
    let config = || json!({ "dataDir": DIR });
    let house = House::mount(&disk, 1, config());
    let mut talk = house.session("s1", "/repo/shop");
    let said = "以后评审都必须有两个人点头。";
    let id = talk.turn(said).kept[0].id.clone();
    talk.turn("以后所有接口都必须先写文档。");
    talk.says("把评审要两个人点头那条忘掉");
    assert!(talk.forget(id.as_str())["forgotten"].is_object());
    talk.ends();
    house.close();
    // So many other sessions that this one's position is no longer known.
    let other = Folder::on(&disk, 2);
    let sessions: Vec<_> = (0..SESSIONS)
        .map(|n| turn(&format!("other-{n}"), 1, 4))
        .collect();
    for some in sessions.chunks(4_000) {
        other.commit(some.to_vec());
    }
    assert_eq!(other.state().read_to(&SessionId::from("s1")).0, 0);

    let again = House::mount(&disk, 3, config());
    let learned = block_on(again.engine.learn(again.ports(), talk.transcript()));
    assert_eq!(learned.failed, None);
    assert!(learned.kept.is_empty(), "{:?}", learned.kept);
    let text = Folder::on(&disk, 4).text("ledger.jsonl");
    assert!(text.contains(r#""reason":"forgotten""#));
    assert!(!text.contains("都必须有两个人"));
    assert!(
        !again
            .session("s8", "/repo/shop")
            .says("评审")
            .contains("点头")
    );

    let anew = again.session("s9", "/repo/shop").turn(said);
    assert_eq!(anew.kept.len(), 1, "{anew:?}");
    assert_eq!(anew.kept[0].id.to_string(), format!("{id}-2"));
    assert!(
        again
            .session("s10", "/repo/shop")
            .says("评审")
            .contains("点头")
    );
}
